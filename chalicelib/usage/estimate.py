"""Says before a large run what it will take."""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from chalicelib.database.transaction import Transaction
from chalicelib.identity.model import OrganizationId, WorkspaceId
from chalicelib.usage import budget_store
from chalicelib.usage.model import Counts, Month, Standing
from chalicelib.usage.prices import Prices

BYTES_OF_TOKEN = 4
"""Bytes of text that are taken for a token where nothing was chunked yet: about right for English and code, too many
for German (3.5 or so), and far too few tokens for scripts without spaces, whose characters have three bytes."""


def tokens_of(size: int) -> int:
    """Return about how many tokens a text of `size` bytes has, rounded up."""
    return -(-size // BYTES_OF_TOKEN)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunEstimate:
    """What a run would use. `money` is None where the price is unknown; `is_in_house`: no token is billed.

    `exceeds` are the budgets of the present month that it would end.
    """

    model: str
    counts: Counts
    money: Decimal | None
    currency: str
    is_in_house: bool
    exceeds: tuple[Standing, ...]


def estimate_run(
    tx: Transaction,
    *,
    organization_id: OrganizationId,
    workspace_id: WorkspaceId | None,
    model: str,
    counts: Counts,
    prices: Prices,
    now: datetime,
) -> RunEstimate:
    """Say what so many calls and tokens of a model cost, and which budgets they would end.

    For use cases that have authorized their principal. Of a run over several workspaces (`workspace_id` None) all
    budgets of the organization are compared with the whole of it.
    """
    cost = prices.cost(model, counts)
    budgets = budget_store.list_budgets(tx, organization_id, workspace_id=workspace_id)
    standings = budget_store.standings_of(tx, budgets, month=Month.of(now), prices=prices)
    return RunEstimate(
        model=model,
        counts=counts,
        money=cost,
        currency=prices.currency,
        is_in_house=prices.is_in_house(model),
        exceeds=tuple(each for each in standings if _would_end(each, counts, cost)),
    )


def _would_end(standing: Standing, counts: Counts, cost: Decimal | None) -> bool:
    budget = standing.budget
    ends_tokens = budget.tokens is not None and standing.tokens_used + counts.tokens > budget.tokens
    ends_money = budget.money is not None and cost is not None and standing.money_used + cost > budget.money
    return ends_tokens or ends_money
