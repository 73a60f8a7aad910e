"""Reads which items were indexed by something else than now."""

from collections.abc import Sequence
from dataclasses import dataclass

from chalicelib.database.statements import load_statements
from chalicelib.database.transaction import Transaction
from chalicelib.identity.model import WorkspaceId
from chalicelib.items.model import ItemId

_SQL = load_statements(__package__, "reindex.sql")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reindexing:
    """How many items are in search, how many of them are stale, and how many could not be indexed."""

    items: int
    stale: int
    failed: int
    is_running: bool


def read_reindexing(tx: Transaction, workspace_id: WorkspaceId, *, makes: str) -> Reindexing:
    """Count a workspace's items, and tell whether it is being indexed again."""
    row = tx.fetch_one(_SQL["count_stale"], workspace_id=workspace_id, makes=makes)
    if row is None:
        raise LookupError("counting gave nothing")
    is_running = tx.fetch_one(_SQL["find_reindexing"], workspace_id=workspace_id) is not None
    return Reindexing(items=row["items"], stale=row["stale"], failed=row["failed"], is_running=is_running)


def list_stale(tx: Transaction, workspace_id: WorkspaceId, *, makes: str, limit: int) -> Sequence[ItemId]:
    """Read stale items that no job is about to index."""
    rows = tx.fetch_all(_SQL["list_stale"], workspace_id=workspace_id, makes=makes, limit=limit)
    return [ItemId(row["id"]) for row in rows]


def count_indexing(tx: Transaction, workspace_id: WorkspaceId) -> int:
    """Count the index jobs that wait or run."""
    row = tx.fetch_one(_SQL["count_indexing"], workspace_id=workspace_id)
    return int(row["jobs"]) if row else 0
