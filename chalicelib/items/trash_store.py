"""Reads the trash in the database, and lets what lies in it live again or go for good."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from psycopg.errors import UniqueViolation

from chalicelib.access.model import Audiences
from chalicelib.database.statements import filled, load_statements
from chalicelib.database.transaction import Row, Transaction
from chalicelib.identity.model import PrincipalId, WorkspaceId
from chalicelib.items.errors import PathTaken
from chalicelib.items.model import Item, ItemId, Revision
from chalicelib.items.rows import item_of, revision_of

_LOADED = load_statements(__package__, "trash.sql")
ITEM_STATE = {"item_state": _LOADED["item_state"]}
_SQL = filled(_LOADED, ITEM_STATE)


@dataclass(frozen=True, slots=True)
class TrashedItem:
    """An item in the trash, as it was when it was deleted, and who deleted it when."""

    item: Item
    deleted_at: datetime
    deleted_by: PrincipalId | None


@dataclass(frozen=True, slots=True, kw_only=True)
class TrashFilters:
    """Which of the trash a list shows; None means all."""

    path: str | None = None
    folder: str | None = None
    deleted_by: PrincipalId | None = None


def list_trash(
    tx: Transaction,
    workspace_id: WorkspaceId,
    filters: TrashFilters,
    *,
    audiences: Audiences,
    last: tuple[datetime, ItemId] | None,
    limit: int,
) -> Sequence[TrashedItem]:
    """Read items in the trash, those deleted last first, from behind `last`."""
    rows = tx.fetch_all(
        _SQL["list_trash"],
        workspace_id=workspace_id,
        audiences=audiences,
        path=filters.path,
        folder=filters.folder or None,
        deleted_by=filters.deleted_by,
        last_deleted_at=last[0] if last else None,
        last_id=last[1] if last else None,
        limit=limit,
    )
    return [_trashed_of(row) for row in rows]


def find_in_trash(
    tx: Transaction, workspace_id: WorkspaceId, item_id: ItemId, *, audiences: Audiences, lock: bool = False
) -> TrashedItem | None:
    """Read a readable item in the trash; locked until commit where that is asked for."""
    statement = _SQL["lock_in_trash" if lock else "find_in_trash"]
    row = tx.fetch_one(statement, workspace_id=workspace_id, item_id=item_id, audiences=audiences)
    return _trashed_of(row) if row else None


def find_revision(
    tx: Transaction, workspace_id: WorkspaceId, item_id: ItemId, number: int, *, audiences: Audiences
) -> Revision | None:
    """Read one revision with its body, of a readable item in the trash."""
    row = tx.fetch_one(
        _SQL["find_revision_in_trash"], workspace_id=workspace_id, item_id=item_id, number=number, audiences=audiences
    )
    return revision_of(row) if row else None


def list_revisions(
    tx: Transaction,
    workspace_id: WorkspaceId,
    item_id: ItemId,
    *,
    audiences: Audiences,
    before: int | None,
    limit: int,
) -> Sequence[Revision]:
    """Read revisions without bodies, latest first."""
    rows = tx.fetch_all(
        _SQL["list_revisions_in_trash"],
        workspace_id=workspace_id,
        item_id=item_id,
        audiences=audiences,
        before=before,
        limit=limit,
    )
    return [revision_of(row) for row in rows]


def restore_item(
    tx: Transaction, workspace_id: WorkspaceId, item_id: ItemId, *, path: str, principal_id: PrincipalId
) -> Item:
    """Let an item that this transaction has locked live again at a path, as its next revision. Raises PathTaken."""
    try:
        row = tx.fetch_one(
            _SQL["restore_item"], workspace_id=workspace_id, item_id=item_id, path=path, principal_id=principal_id
        )
    except UniqueViolation as error:  # another came to the path between our look and our step
        raise PathTaken(f"Another item lies at {path}.", path=path) from error
    if row is None:
        raise LookupError(f"item {item_id} was not locked in the trash before it was restored")
    return item_of(row)


def lock_trash(tx: Transaction, workspace_id: WorkspaceId, *, audiences: Audiences, limit: int) -> Sequence[Item]:
    """Lock and read some readable items in the trash, those that lie there longest first."""
    rows = tx.fetch_all(_SQL["lock_trash"], workspace_id=workspace_id, audiences=audiences, limit=limit)
    return [item_of(row) for row in rows]


def find_oldest_trash(tx: Transaction, *, before: datetime) -> WorkspaceId | None:
    """Return the workspace of the item that has lain in the trash longest, if since before then."""
    row = tx.fetch_one(_SQL["find_oldest_trash"], before=before)
    return WorkspaceId(row["workspace_id"]) if row else None


def lock_old_trash(tx: Transaction, workspace_id: WorkspaceId, *, before: datetime, limit: int) -> Sequence[Item]:
    """Lock and read some items that have lain in the trash since before then, whoever may read them."""
    rows = tx.fetch_all(_SQL["lock_old_trash"], workspace_id=workspace_id, before=before, limit=limit)
    return [item_of(row) for row in rows]


def count_copies(tx: Transaction, workspace_id: WorkspaceId, item_ids: Sequence[ItemId]) -> tuple[int, int]:
    """Count the citations of items, and the bytes of what is said by answers that cite them, as these were counted."""
    row = tx.fetch_one(_SQL["count_copies"], workspace_id=workspace_id, item_ids=list(item_ids))
    return (int(row["citations"]), int(row["answer_bytes"])) if row else (0, 0)


def delete_items(tx: Transaction, workspace_id: WorkspaceId, item_ids: Sequence[ItemId]) -> int:
    """Forget items in the trash with their revisions, and bodies that no other has; return how many bytes those had.

    This transaction has locked the items and holds the places, so that nobody can be about to use a body.
    """
    bodies = [
        row["body_sha256"]
        for row in tx.fetch_all(_SQL["list_bodies"], workspace_id=workspace_id, item_ids=list(item_ids))
    ]
    tx.execute(_SQL["delete_items"], workspace_id=workspace_id, item_ids=list(item_ids))
    rows = tx.fetch_all(_SQL["delete_unused_bodies"], workspace_id=workspace_id, sha256s=bodies)
    return sum(row["bytes"] for row in rows)


def _trashed_of(row: Row) -> TrashedItem:
    return TrashedItem(item_of(row), row["deleted_at"], row["deleted_by"])
