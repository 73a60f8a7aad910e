"""Lets somebody upload to a path: anew, or over the item there."""

from chalicelib.access.model import AudienceId
from chalicelib.access.readers import audiences_of
from chalicelib.access.writing import authorize_writing
from chalicelib.database.transaction import Transaction
from chalicelib.identity.model import Principal, WorkspaceId
from chalicelib.items.errors import PathTaken
from chalicelib.items.store import find_item_at_path, lock_item_at_path


def authorize_upload(tx: Transaction, principal: Principal, workspace_id: WorkspaceId, path: str) -> AudienceId:
    """Return the audience of an upload to a path: that of the item there, if the uploader may read one.

    Raises WorkspaceNotFound, ActionForbidden, PathTaken (by an item that the uploader may not read).
    """
    audience_id = authorize_writing(tx, principal, workspace_id, path)
    item = find_item_at_path(tx, workspace_id, path, audiences=audiences_of(tx, principal, workspace_id))
    if item is None and lock_item_at_path(tx, workspace_id, path):
        # Whoever acts for another is a worker's uploader alone, and may then read more than both.
        raise PathTaken(f"Another item lies at {path}; upload the file to another path.", path=path)
    if item is None:
        return audience_id
    return authorize_writing(tx, principal, workspace_id, path, item_id=item.id)
