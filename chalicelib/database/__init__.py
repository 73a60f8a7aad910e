"""Pool, transactions, statement files and migrations. Knows no table's meaning."""
