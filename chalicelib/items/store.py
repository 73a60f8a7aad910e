"""Reads and writes items, revisions and usage in the database."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from psycopg.errors import UniqueViolation
from psycopg.types.json import Jsonb

from chalicelib.access.model import AudienceId, Audiences
from chalicelib.database.statements import filled, load_statements
from chalicelib.database.transaction import Row, Transaction
from chalicelib.identity.model import PrincipalId, WorkspaceId
from chalicelib.items.errors import PathTaken
from chalicelib.items.model import Draft, IndexState, Item, ItemFilters, ItemId, Problem, Revision
from chalicelib.items.rows import columns_of, item_of, revision_of, state_of

_LOADED = load_statements(__package__, "items.sql")
_WITH_FOLDERS = filled(_LOADED, {"outermost_folders": _LOADED["outermost_folders"]})
READABLE_ITEMS = {"readable_items": _WITH_FOLDERS["readable_items"]}
_SQL = filled(_LOADED, READABLE_ITEMS)


def put_body(tx: Transaction, workspace_id: WorkspaceId, *, sha256: bytes, body: str) -> bool:
    """Keep a body; True where the workspace did not have it."""
    return tx.fetch_one(_SQL["put_body"], workspace_id=workspace_id, sha256=sha256, body=body) is not None


def insert_item(
    tx: Transaction,
    workspace_id: WorkspaceId,
    *,
    item_id: ItemId,
    draft: Draft,
    body_sha256: bytes,
    audience_id: AudienceId,
    principal_id: PrincipalId | None,
) -> Item | None:
    """Add the living item of a path with its first revision; None where the path is taken."""
    row = tx.fetch_one(
        _SQL["insert_item"],
        id=item_id,
        workspace_id=workspace_id,
        audience_id=audience_id,
        body_sha256=body_sha256,
        principal_id=principal_id,
        **_parameters_of(draft),
    )
    return _with_revision(tx, row, principal_id) if row else None


def update_item(
    tx: Transaction,
    workspace_id: WorkspaceId,
    *,
    item_id: ItemId,
    draft: Draft,
    body_sha256: bytes,
    principal_id: PrincipalId | None,
) -> Item:
    """Make the next revision of an item that this transaction has locked. Raises PathTaken."""
    try:
        row = tx.fetch_one(
            _SQL["update_item"],
            id=item_id,
            workspace_id=workspace_id,
            body_sha256=body_sha256,
            principal_id=principal_id,
            **_parameters_of(draft),
        )
    except UniqueViolation as error:  # another came to the path between our look and our step
        raise PathTaken(f"Another item lies at {draft.path}.", path=draft.path) from error
    if row is None:
        raise LookupError(f"item {item_id} was not locked before it was updated")
    return _with_revision(tx, row, principal_id)


def _with_revision(tx: Transaction, row: Row, principal_id: PrincipalId | None) -> Item:
    tx.execute(
        _SQL["insert_revision"],
        item_id=row["id"],
        number=row["revision"],
        workspace_id=row["workspace_id"],
        body_sha256=row["body_sha256"],
        title=row["title"],
        state=Jsonb(state_of(row)),
        principal_id=principal_id,
    )
    return item_of(row)


def find_item(
    tx: Transaction, workspace_id: WorkspaceId, item_id: ItemId, *, audiences: Audiences, lock: bool = False
) -> Item | None:
    """Read a living, readable item; locked until commit where that is asked for."""
    statement = _SQL["lock_item" if lock else "find_item"]
    row = tx.fetch_one(statement, workspace_id=workspace_id, item_id=item_id, audiences=audiences)
    return item_of(row) if row else None


def find_item_at_path(tx: Transaction, workspace_id: WorkspaceId, path: str, *, audiences: Audiences) -> Item | None:
    """Read the living, readable item at a path."""
    row = tx.fetch_one(_SQL["find_item_at_path"], workspace_id=workspace_id, path=path, audiences=audiences)
    return item_of(row) if row else None


def lock_item_at_path(tx: Transaction, workspace_id: WorkspaceId, path: str) -> Item | None:
    """Lock and read the living item at a path, whoever may read it: for intake alone."""
    row = tx.fetch_one(_SQL["lock_item_at_path"], workspace_id=workspace_id, path=path)
    return item_of(row) if row else None


def find_revision(
    tx: Transaction, workspace_id: WorkspaceId, item_id: ItemId, number: int, *, audiences: Audiences
) -> Revision | None:
    """Read one revision with its body, of a living, readable item."""
    row = tx.fetch_one(
        _SQL["find_revision"], workspace_id=workspace_id, item_id=item_id, number=number, audiences=audiences
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
        _SQL["list_revisions"],
        workspace_id=workspace_id,
        item_id=item_id,
        audiences=audiences,
        before=before,
        limit=limit,
    )
    return [revision_of(row) for row in rows]


def list_items_by_path(
    tx: Transaction,
    workspace_id: WorkspaceId,
    filters: ItemFilters,
    *,
    audiences: Audiences,
    after_path: str | None,
    limit: int,
) -> Sequence[Item]:
    """Read items in order of their paths, from behind `after_path`."""
    rows = tx.fetch_all(
        _SQL["list_items_by_path"],
        after_path=after_path,
        limit=limit,
        **reading_parameters(workspace_id, audiences, filters),
    )
    return [item_of(row) for row in rows]


def list_items_by_update(
    tx: Transaction,
    workspace_id: WorkspaceId,
    filters: ItemFilters,
    *,
    audiences: Audiences,
    last: tuple[datetime, ItemId] | None,
    limit: int,
) -> Sequence[Item]:
    """Read items, those changed last first, from behind `last`."""
    rows = tx.fetch_all(
        _SQL["list_items_by_update"],
        last_updated_at=last[0] if last else None,
        last_id=last[1] if last else None,
        limit=limit,
        **reading_parameters(workspace_id, audiences, filters),
    )
    return [item_of(row) for row in rows]


def list_folders(
    tx: Transaction, workspace_id: WorkspaceId, filters: ItemFilters, *, prefix: str, audiences: Audiences
) -> Mapping[str, int]:
    """Count readable items below each immediate subfolder; `prefix` is empty or ends with `/`."""
    rows = tx.fetch_all(_SQL["list_folders"], prefix=prefix, **reading_parameters(workspace_id, audiences, filters))
    return {row["name"]: row["items"] for row in rows}


def list_folder_items(
    tx: Transaction,
    workspace_id: WorkspaceId,
    filters: ItemFilters,
    *,
    prefix: str,
    audiences: Audiences,
    after_path: str | None,
    limit: int,
) -> Sequence[Item]:
    """Read the items directly in a folder; `prefix` is empty or ends with `/`."""
    rows = tx.fetch_all(
        _SQL["list_folder_items"],
        prefix=prefix,
        after_path=after_path,
        limit=limit,
        **reading_parameters(workspace_id, audiences, filters),
    )
    return [item_of(row) for row in rows]


def list_tags(tx: Transaction, workspace_id: WorkspaceId, *, audiences: Audiences, limit: int) -> Mapping[str, int]:
    """Count readable items of each tag, most used first."""
    rows = tx.fetch_all(_SQL["list_tags"], workspace_id=workspace_id, audiences=audiences, limit=limit)
    return {row["tag"]: row["items"] for row in rows}


def bury_item(tx: Transaction, workspace_id: WorkspaceId, item_id: ItemId, *, principal_id: PrincipalId | None) -> None:
    """Leave a tombstone where an item, locked before, lived."""
    tx.execute(_SQL["bury_item"], workspace_id=workspace_id, item_id=item_id, principal_id=principal_id)


def count_states(tx: Transaction, workspace_id: WorkspaceId, *, audiences: Audiences) -> Mapping[IndexState, int]:
    """Count readable items by state; every state is there."""
    rows = tx.fetch_all(_SQL["count_states"], workspace_id=workspace_id, audiences=audiences)
    counts = {row["state"]: row["items"] for row in rows}
    return {state: counts.get(state, 0) for state in IndexState}


def count_waits(tx: Transaction, workspace_id: WorkspaceId, *, audiences: Audiences) -> Sequence[tuple[Problem, int]]:
    """Count readable items that wait for their vectors, by what for; where that is not known they are left out."""
    rows = tx.fetch_all(_SQL["count_waits"], workspace_id=workspace_id, audiences=audiences)
    return [(row["reason"], row["items"]) for row in rows]


def list_in_state(
    tx: Transaction, workspace_id: WorkspaceId, state: IndexState, *, audiences: Audiences, limit: int
) -> Sequence[Row]:
    """Read readable items in a state: id, path, reason."""
    return tx.fetch_all(_SQL["list_in_state"], workspace_id=workspace_id, state=state, audiences=audiences, limit=limit)


def set_index_state(
    tx: Transaction,
    workspace_id: WorkspaceId,
    item_id: ItemId,
    *,
    revision: int,
    state: IndexState,
    reason: Problem | None = None,
) -> bool:
    """Note how far a revision is; False where the item is gone or has a later revision."""
    return bool(
        tx.execute(
            _SQL["set_index_state"],
            workspace_id=workspace_id,
            item_id=item_id,
            revision=revision,
            state=state,
            reason=Jsonb(dict(reason)) if reason else None,
        )
    )


def _parameters_of(draft: Draft) -> dict[str, object]:
    columns = columns_of(draft)
    return {**columns, "metadata": Jsonb(columns["metadata"]), "warnings": Jsonb(columns["warnings"])}


def reading_parameters(workspace_id: WorkspaceId, audiences: Audiences, filters: ItemFilters) -> dict[str, object]:
    """Return what <readable_items> needs."""
    return {
        "workspace_id": workspace_id,
        "audiences": audiences,
        "kinds": list(filters.kinds) or None,
        "classes": list(filters.classes) or None,
        "scopes": list(filters.scopes) or None,
        "statuses": list(filters.statuses) or None,
        "states": list(filters.states) or None,
        "languages": list(filters.languages) or None,
        "tags": list(filters.tags) or None,
        "categories": list(filters.categories) or None,
        "metadata": Jsonb(dict(filters.metadata)) if filters.metadata else None,
        "folder": filters.folder or None,
        "path": filters.path,
        "updated_after": filters.updated_after,
        "updated_before": filters.updated_before,
        "knowledge_bases": None if filters.knowledge_bases is None else list(filters.knowledge_bases),
    }
