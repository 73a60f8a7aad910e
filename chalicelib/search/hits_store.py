"""Reads what hits are ordered and shown by, each time within what the asker may read."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from chalicelib.database.statements import filled, load_statements
from chalicelib.database.transaction import Row, Transaction
from chalicelib.items.model import ItemId
from chalicelib.items.store import READABLE_ITEMS
from chalicelib.search.store import Reach

_SQL = filled(load_statements(__package__, "hits.sql"), READABLE_ITEMS)


@dataclass(frozen=True, slots=True)
class Aged:
    """How old an item is: `age` is in days since its last update; see is_overdue."""

    age: float
    is_stale: bool


def list_ages(tx: Transaction, reach: Reach, item_ids: Collection[ItemId]) -> Mapping[ItemId, Aged]:
    """Read how old candidates are; one that went away or out of reach is left out."""
    rows = tx.fetch_all(_SQL["list_ages"], item_ids=list(item_ids), **reach.parameters())
    return {row["id"]: Aged(row["age"], is_overdue(row["review_by"], today=row["today"])) for row in rows}


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


def is_overdue(review_by: str | None, *, today: date) -> bool:
    """Tell whether an item is stale: its metadata say in `review_by` (an ISO 8601 date) that it was to be reviewed."""
    try:
        return review_by is not None and date.fromisoformat(review_by[:10]) < today
    except ValueError:
        return False
