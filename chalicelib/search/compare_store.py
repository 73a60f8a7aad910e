"""Reads which questions a workspace's own items answer."""

from collections.abc import Sequence

from chalicelib.database.statements import filled, load_statements
from chalicelib.database.transaction import Transaction
from chalicelib.items.model import ItemId
from chalicelib.items.store import READABLE_ITEMS
from chalicelib.search.store import Reach

_SQL = filled(load_statements(__package__, "compare.sql"), READABLE_ITEMS)


def sample_titles(tx: Transaction, reach: Reach, *, limit: int) -> Sequence[tuple[ItemId, str]]:
    """Read at most `limit` items with their titles, spread evenly over all that the reach has, the same each time."""
    rows = tx.fetch_all(_SQL["sample_titles"], limit=limit, **reach.parameters())
    return [(ItemId(row["id"]), row["title"]) for row in rows]
