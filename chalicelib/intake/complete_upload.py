"""Notes that the bytes of a started upload have arrived: told by the client or by the store, once."""

from datetime import datetime

from chalicelib.access.readers import audiences_of
from chalicelib.access.store import share_places
from chalicelib.access.writing import authorize_writing
from chalicelib.audit.model import ActivityAction
from chalicelib.database.transaction import Transaction
from chalicelib.identity.model import Principal, WorkspaceId
from chalicelib.identity.rights import Action, authorize
from chalicelib.intake import store
from chalicelib.intake.model import Upload
from chalicelib.intake.reception import IntakeRules, check_size, enqueue_extraction
from chalicelib.intake.record_upload import record_upload, uploader_of
from chalicelib.intake.upload_errors import UploadMismatch, UploadNotFound, UploadNotReceived
from chalicelib.items.model import UploadId
from chalicelib.telemetry.correlation import correlated, current_correlation_id


def complete_upload(
    tx: Transaction,
    *,
    principal: Principal,
    workspace_id: WorkspaceId,
    upload_id: UploadId,
    rules: IntakeRules,
    now: datetime,
) -> Upload:
    """Promise the extraction of an upload that has arrived; saying so again changes nothing.

    Raises UploadNotFound, UploadNotReceived, UploadTooLarge, UploadMismatch, ActionForbidden.
    """
    authorize(principal, workspace_id, Action.READ)
    share_places(tx, workspace_id)
    upload = store.find_upload(
        tx, workspace_id, upload_id, audiences=audiences_of(tx, principal, workspace_id), lock=True
    )
    if upload is None:
        raise UploadNotFound("There is no such upload.")
    authorize_writing(tx, principal, workspace_id, upload.path, item_id=upload.item_id)
    return _complete(tx, upload, principal=principal, rules=rules, now=now)


def complete_stored_upload(
    tx: Transaction, *, workspace_id: WorkspaceId, upload_id: UploadId, rules: IntakeRules, now: datetime
) -> Upload | None:
    """Do the same for the store's own event, which acts for no principal; None where the upload is gone.

    What follows bears the id of the request that began the upload.
    """
    upload = store.take_upload(tx, workspace_id, upload_id)
    if upload is None:
        return None
    with correlated(upload.correlation_id or current_correlation_id()):
        return _complete(tx, upload, principal=None, rules=rules, now=now)


def _complete(
    tx: Transaction, upload: Upload, *, principal: Principal | None, rules: IntakeRules, now: datetime
) -> Upload:
    if upload.received_at is not None:
        return upload
    stored = rules.originals.find(upload.source_key)
    if stored is None:
        raise UploadNotReceived("The bytes have not arrived; send them to the upload's target first.")
    check_size(stored.size, rules=rules)
    if upload.declared_bytes not in {None, stored.size}:
        raise UploadMismatch(
            f"{stored.size} bytes arrived where {upload.declared_bytes} were announced; send them again.",
            bytes=stored.size,
        )
    store.mark_received(tx, upload, now=now)
    enqueue_extraction(tx, upload, rules=rules)
    record_upload(
        tx,
        ActivityAction.UPLOAD_RECEIVED,
        upload,
        principal=principal or uploader_of(tx, upload),
        after={"bytes": stored.size},
    )
    received = store.take_upload(tx, upload.workspace_id, upload.id)
    if received is None:
        raise LookupError(f"upload {upload.id} vanished under its lock")
    return received
