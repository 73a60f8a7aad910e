"""Lists the chunks of an item that are in search."""

from collections.abc import Sequence

from chalicelib.access.readers import audiences_of
from chalicelib.database.transaction import Transaction
from chalicelib.identity.model import Principal, WorkspaceId
from chalicelib.identity.rights import Action, authorize
from chalicelib.index import store
from chalicelib.index.model import Chunk
from chalicelib.items.errors import ItemNotFound
from chalicelib.items.model import ItemId
from chalicelib.items.record_item import record_item_read
from chalicelib.items.store import find_item


def list_chunks(
    tx: Transaction,
    *,
    principal: Principal,
    workspace_id: WorkspaceId,
    item_id: ItemId,
    after: int = -1,
    limit: int = 100,
) -> Sequence[Chunk]:
    """Return at most `limit` chunks in their order, from behind the ordinal `after`. Raises ItemNotFound.

    It is recorded where the workspace asks for that.
    """
    authorize(principal, workspace_id, Action.READ)
    audiences = audiences_of(tx, principal, workspace_id)
    item = find_item(tx, workspace_id, item_id, audiences=audiences)
    if item is None:
        raise ItemNotFound("There is no such item.")
    record_item_read(tx, item, principal=principal, revision=item.revision)
    return store.list_chunks(tx, workspace_id, item_id, audiences=audiences, after=after, limit=limit)
