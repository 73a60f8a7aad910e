"""What a worker may do for an uploader who is not here to be asked: what that member may do at this moment."""

from chalicelib.access.model import Audiences
from chalicelib.access.readers import audiences_of_absent
from chalicelib.access.store import list_places
from chalicelib.access.writing import can_write
from chalicelib.database.transaction import Transaction
from chalicelib.identity.rights import Action, ActionForbidden
from chalicelib.intake.model import Upload, UploadSource
from chalicelib.intake.record_upload import uploader_of
from chalicelib.items import store as items
from chalicelib.items.errors import PathTaken
from chalicelib.items.model import Item, ItemId


def lock_item_to_put(tx: Transaction, upload: Upload) -> Item | None:
    """Lock the living item at the upload's path, whose next revision it may become; None where nothing lies there.

    Raises PathTaken where the uploader may not read the item, and what require_putting raises. The places are shared.
    """
    item = items.lock_item_at_path(tx, upload.workspace_id, upload.path)
    if item is None:
        return None
    if items.find_item(tx, upload.workspace_id, item.id, audiences=_audiences_of(tx, upload)) is None:
        raise PathTaken(f"Another item lies at {upload.path}; upload the file to another path.", path=upload.path)
    require_putting(tx, upload, item_id=item.id)
    return item


def require_putting(tx: Transaction, upload: Upload, *, item_id: ItemId | None = None) -> None:
    """Raise ActionForbidden where the uploader may not write at the path by now, or is gone; a drop always may."""
    if upload.source is UploadSource.DROP:
        return
    uploader = uploader_of(tx, upload)
    if uploader is None or not can_write(
        uploader, upload.workspace_id, list_places(tx, upload.workspace_id, upload.path, item_id=item_id)
    ):
        raise ActionForbidden("Whoever uploaded this may not write at its path any more.", action=str(Action.WRITE))


def _audiences_of(tx: Transaction, upload: Upload) -> Audiences:
    is_drop = upload.source is UploadSource.DROP
    # Who is removed is named no more, and is no drop by that.
    return audiences_of_absent(tx, upload.created_by, upload.workspace_id) if is_drop or upload.created_by else []
