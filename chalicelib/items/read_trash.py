"""Lists the trash, and reads one item in it, with its revisions: for whoever could read it before."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from chalicelib.access.readers import audiences_of
from chalicelib.database.transaction import Transaction
from chalicelib.identity.model import Principal, WorkspaceId
from chalicelib.identity.rights import Action, authorize
from chalicelib.items import trash_store
from chalicelib.items.clean_filters import clean_filters
from chalicelib.items.errors import ItemNotFound, RevisionNotFound
from chalicelib.items.model import ItemFilters, ItemId, Revision
from chalicelib.items.trash_store import TrashedItem, TrashFilters


def list_trash(
    tx: Transaction,
    *,
    principal: Principal,
    workspace_id: WorkspaceId,
    filters: TrashFilters,
    last: tuple[datetime, ItemId] | None,
    limit: int,
) -> Sequence[TrashedItem]:
    """Return readable items in the trash, those deleted last first, from behind `last`."""
    authorize(principal, workspace_id, Action.READ)
    clean = clean_filters(ItemFilters(path=filters.path, folder=filters.folder))
    return trash_store.list_trash(
        tx,
        workspace_id,
        replace(filters, path=clean.path, folder=clean.folder),
        audiences=audiences_of(tx, principal, workspace_id),
        last=last,
        limit=limit,
    )


def read_trashed_item(
    tx: Transaction, *, principal: Principal, workspace_id: WorkspaceId, item_id: ItemId
) -> TrashedItem:
    """Return an item in the trash. Raises ItemNotFound, WorkspaceNotFound."""
    authorize(principal, workspace_id, Action.READ)
    audiences = audiences_of(tx, principal, workspace_id)
    trashed = trash_store.find_in_trash(tx, workspace_id, item_id, audiences=audiences)
    if trashed is None:
        raise ItemNotFound("There is no such item in the trash.")
    return trashed


def read_trashed_revision(
    tx: Transaction, *, principal: Principal, workspace_id: WorkspaceId, item_id: ItemId, number: int
) -> Revision:
    """Return a revision of an item in the trash, with its body. Raises ItemNotFound, RevisionNotFound."""
    read_trashed_item(tx, principal=principal, workspace_id=workspace_id, item_id=item_id)
    audiences = audiences_of(tx, principal, workspace_id)
    revision = trash_store.find_revision(tx, workspace_id, item_id, number, audiences=audiences)
    if revision is None:
        raise RevisionNotFound(f"The item has no revision {number}.")
    return revision


def list_trashed_revisions(
    tx: Transaction,
    *,
    principal: Principal,
    workspace_id: WorkspaceId,
    item_id: ItemId,
    before: int | None,
    limit: int,
) -> Sequence[Revision]:
    """Return revisions without bodies, latest first, below number `before`. Raises ItemNotFound."""
    read_trashed_item(tx, principal=principal, workspace_id=workspace_id, item_id=item_id)
    return trash_store.list_revisions(
        tx,
        workspace_id,
        item_id,
        audiences=audiences_of(tx, principal, workspace_id),
        before=before,
        limit=limit,
    )
