"""What embedding and language models use up: the ledger, what it costs, and the budgets that stop it."""
