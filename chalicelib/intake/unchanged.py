"""Same path and same bytes: nothing new."""

from chalicelib.access.model import Audiences
from chalicelib.database.transaction import Transaction
from chalicelib.identity.model import WorkspaceId
from chalicelib.intake.attributes import apply_attributes
from chalicelib.intake.model import UnchangedItem, UploadRequest
from chalicelib.items import store as items
from chalicelib.items.model import IndexState, Item


def find_unchanged(
    tx: Transaction,
    workspace_id: WorkspaceId,
    request: UploadRequest,
    *,
    sha256: bytes | None,
    audiences: Audiences,
) -> UnchangedItem | None:
    """Return the readable item that already holds these bytes, described as the request describes it."""
    if sha256 is None:
        return None
    item = items.find_item_at_path(tx, workspace_id, request.path, audiences=audiences)
    if item is None or not holds(item, request, sha256=sha256):
        return None
    return UnchangedItem(item.id, item.revision)


def holds(item: Item, request: UploadRequest, *, sha256: bytes) -> bool:
    """Tell whether the item was read out of these bytes, successfully, and is described alike."""
    return (
        item.original is not None
        and item.original.sha256 == sha256
        and item.index.state is not IndexState.FAILED
        and apply_attributes(item.attributes, request.attributes) == item.attributes
        and request.attributes.get("title", item.title) == item.title
    )
