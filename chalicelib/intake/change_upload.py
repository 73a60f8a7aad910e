"""Tries an upload's extraction anew, or deletes the upload in any state, with or without its item."""

from datetime import datetime

from chalicelib.access.readers import audiences_of
from chalicelib.access.store import share_places
from chalicelib.access.writing import authorize_writing
from chalicelib.audit.model import ActivityAction
from chalicelib.database.transaction import Transaction
from chalicelib.identity.model import Principal, WorkspaceId
from chalicelib.identity.rights import Action, authorize
from chalicelib.intake import store
from chalicelib.intake.model import Upload, UploadState, original_key
from chalicelib.intake.reception import IntakeRules, enqueue_extraction
from chalicelib.intake.record_upload import record_upload
from chalicelib.intake.upload_errors import UploadNotFailed, UploadNotFound, UploadNotReceived
from chalicelib.items import store as items
from chalicelib.items import usage_store
from chalicelib.items.change_item import RemoveFromIndex, bury_item
from chalicelib.items.model import ItemId, UploadId

_RETRIED = frozenset({UploadState.FAILED, UploadState.SKIPPED})


def retry_upload(
    tx: Transaction,
    *,
    principal: Principal,
    workspace_id: WorkspaceId,
    upload_id: UploadId,
    rules: IntakeRules,
) -> Upload:
    """Promise the extraction of a failed or skipped upload anew.

    Raises UploadNotFound, UploadNotFailed, UploadNotReceived (its bytes are gone), ActionForbidden.
    """
    upload = _lock(tx, principal=principal, workspace_id=workspace_id, upload_id=upload_id)
    if upload.state not in _RETRIED:
        raise UploadNotFailed(
            f"The upload is {upload.state}; only one that failed or was skipped can be retried.",
            state=str(upload.state),
        )
    key = original_key(workspace_id, upload.sha256) if upload.sha256 else upload.source_key
    if rules.originals.find(key) is None:
        raise UploadNotReceived("The bytes were refused and are not kept; upload the file again.")
    store.mark_pending(tx, upload)
    enqueue_extraction(tx, upload, rules=rules)
    record_upload(tx, ActivityAction.UPLOAD_RETRIED, upload, principal=principal, before={"state": upload.state})
    return _lock(tx, principal=principal, workspace_id=workspace_id, upload_id=upload_id)


def delete_upload(
    tx: Transaction,
    *,
    principal: Principal,
    workspace_id: WorkspaceId,
    upload_id: UploadId,
    with_item: bool,
    rules: IntakeRules,
    remove_from_index: RemoveFromIndex,
) -> None:
    """Forget an upload in any state, its bytes where nothing else needs them, and its item where asked to.

    What a worker is doing for it has no effect any more. Raises UploadNotFound, ActionForbidden.
    """
    upload = _lock(tx, principal=principal, workspace_id=workspace_id, upload_id=upload_id)
    rules.items.jobs.cancel_key(tx, key=str(upload.id), workspace_id=workspace_id)
    record_upload(tx, ActivityAction.UPLOAD_DELETED, upload, principal=principal, before={"state": upload.state})
    # First, so that it counts no more when its item's other uploads are released.
    forget_upload(tx, upload, rules=rules)
    if with_item and upload.item_id is not None:
        item = items.find_item(
            tx, workspace_id, upload.item_id, audiences=audiences_of(tx, principal, workspace_id), lock=True
        )
        if item is not None:
            # It may have moved since, out of the folder that the upload was for.
            authorize_writing(tx, principal, workspace_id, item.path, item_id=item.id)
            bury_item(tx, item, principal=principal, rules=rules.items, remove_from_index=remove_from_index)


def expire_uploads(tx: Transaction, *, rules: IntakeRules, now: datetime, limit: int = 100) -> int:
    """Forget some uploads whose bytes never arrived in time; return how many."""
    expired = store.list_expired_uploads(tx, now=now, limit=limit)
    for upload in expired:
        record_upload(tx, ActivityAction.UPLOAD_EXPIRED, upload, principal=None, before={"state": upload.state})
        forget_upload(tx, upload, rules=rules)
    return len(expired)


def forget_upload(tx: Transaction, upload: Upload, *, rules: IntakeRules) -> None:
    """Delete a locked upload's record; its bytes go after commit, if nothing else was read out of them."""
    store.delete_upload(tx, upload)
    freed = {"uploads": -1 if upload.is_counted else 0}
    if upload.sha256 is not None:
        sha256 = upload.sha256
        size = store.delete_unused_original(tx, upload.workspace_id, sha256=sha256)
        if size is not None:
            freed["original_bytes"] = -size
            tx.after_commit(lambda: rules.originals.delete(original_key(upload.workspace_id, sha256)))
    if upload.source_key.startswith("staging/"):
        tx.after_commit(lambda: rules.originals.delete(upload.source_key))
    usage_store.add_usage(tx, upload.workspace_id, freed)


def _lock(tx: Transaction, *, principal: Principal, workspace_id: WorkspaceId, upload_id: UploadId) -> Upload:
    authorize(principal, workspace_id, Action.READ)
    share_places(tx, workspace_id)
    upload = store.find_upload(
        tx, workspace_id, upload_id, audiences=audiences_of(tx, principal, workspace_id), lock=True
    )
    if upload is None:
        raise UploadNotFound("There is no such upload.")
    authorize_writing(tx, principal, workspace_id, upload.path, item_id=upload.item_id)
    return upload


def releasing_uploads(remove_from_index: RemoveFromIndex) -> RemoveFromIndex:
    """Return what takes a deleted item out of search and its uploads out of the quota."""

    def take_out(tx: Transaction, workspace_id: WorkspaceId, item_id: ItemId) -> None:
        remove_from_index(tx, workspace_id, item_id)
        released = store.release_item(tx, workspace_id, item_id)
        if released:
            usage_store.add_usage(tx, workspace_id, {"uploads": -released})

    return take_out
