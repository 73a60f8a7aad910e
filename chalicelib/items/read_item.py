"""Reads one item, one revision of it, or its history."""

from collections.abc import Sequence

from chalicelib.access.readers import audiences_of
from chalicelib.database.transaction import Transaction
from chalicelib.identity.model import Principal, WorkspaceId
from chalicelib.identity.rights import Action, authorize
from chalicelib.items import store
from chalicelib.items.errors import ItemNotFound, RevisionNotFound
from chalicelib.items.model import Item, ItemId, Revision


def read_item(tx: Transaction, *, principal: Principal, workspace_id: WorkspaceId, item_id: ItemId) -> Item:
    """Return a living item without its body. Raises ItemNotFound, WorkspaceNotFound."""
    authorize(principal, workspace_id, Action.READ)
    item = store.find_item(tx, workspace_id, item_id, audiences=audiences_of(tx, principal, workspace_id))
    if item is None:
        raise ItemNotFound("There is no such item.")
    return item


def read_revision(
    tx: Transaction, *, principal: Principal, workspace_id: WorkspaceId, item_id: ItemId, number: int
) -> Revision:
    """Return a revision of a living item, with its body. Raises ItemNotFound, RevisionNotFound."""
    read_item(tx, principal=principal, workspace_id=workspace_id, item_id=item_id)
    revision = store.find_revision(
        tx, workspace_id, item_id, number, audiences=audiences_of(tx, principal, workspace_id)
    )
    if revision is None:
        raise RevisionNotFound(f"The item has no revision {number}.")
    return revision


def list_revisions(
    tx: Transaction,
    *,
    principal: Principal,
    workspace_id: WorkspaceId,
    item_id: ItemId,
    before: int | None,
    limit: int,
) -> Sequence[Revision]:
    """Return revisions without bodies, latest first, below number `before`. Raises ItemNotFound."""
    read_item(tx, principal=principal, workspace_id=workspace_id, item_id=item_id)
    return store.list_revisions(
        tx, workspace_id, item_id, audiences=audiences_of(tx, principal, workspace_id), before=before, limit=limit
    )
