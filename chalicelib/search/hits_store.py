"""Reads what hits are ordered and shown by, each time within what the asker may read."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime

from chalicelib.database.statements import filled, load_statements
from chalicelib.database.transaction import Row, Transaction
from chalicelib.items.model import ItemId
from chalicelib.items.store import READABLE_ITEMS
from chalicelib.search.store import Reach

_SQL = filled(load_statements(__package__, "hits.sql"), READABLE_ITEMS)


@dataclass(frozen=True, slots=True)
class Described:
    """An item as the order of hits knows it. `age` is in days since its last update, `body` its body's SHA-256."""

    title: str
    path: str
    body: bytes
    updated_at: datetime
    age: float
    is_stale: bool


def describe_candidates(tx: Transaction, reach: Reach, item_ids: Collection[ItemId]) -> Mapping[ItemId, Described]:
    """Read the items of candidates; one that went away or out of reach is left out.

    An item is stale whose metadata say in `review_by` (an ISO 8601 date) that it was to be reviewed before today.
    """
    rows = tx.fetch_all(_SQL["describe_candidates"], item_ids=list(set(item_ids)), **reach.parameters())
    return {
        row["id"]: Described(
            row["title"],
            row["path"],
            row["body_sha256"],
            row["updated_at"],
            row["age"],
            _is_past(row["review_by"], row["today"]),
        )
        for row in rows
    }


def read_neighbours(
    tx: Transaction, reach: Reach, places: Sequence[tuple[ItemId, int]], *, neighbours: int
) -> Sequence[Row]:
    """Read the chunks of places (item, ordinal) and of up to `neighbours` on either side, in their order."""
    return tx.fetch_all(
        _SQL["read_neighbours"],
        item_ids=[item_id for item_id, _ in places],
        ordinals=[ordinal for _, ordinal in places],
        reach=neighbours,
        **reach.parameters(),
    )


def _is_past(said: str | None, today: date) -> bool:
    try:
        return said is not None and date.fromisoformat(said[:10]) < today
    except ValueError:
        return False
