"""Begins an upload whose bytes the client sends itself, straight to the original store."""

from dataclasses import dataclass
from datetime import datetime

from chalicelib.access.readers import audiences_of
from chalicelib.access.writing import authorize_writing
from chalicelib.audit.model import ActivityAction
from chalicelib.database.ids import new_id
from chalicelib.database.transaction import Transaction
from chalicelib.identity.model import Principal, WorkspaceId
from chalicelib.identity.rights import Action, authorize
from chalicelib.intake import store
from chalicelib.intake.attributes import checked_request
from chalicelib.intake.authorize_upload import authorize_upload
from chalicelib.intake.model import UnchangedItem, Upload, UploadRequest, UploadSource, staging_key
from chalicelib.intake.reception import IntakeRules, check_size
from chalicelib.intake.record_upload import record_upload
from chalicelib.intake.unchanged import find_unchanged
from chalicelib.intake.upload_errors import UploadNotFound
from chalicelib.items.model import UploadId
from chalicelib.items.quotas import charge
from chalicelib.platform.ports import PresignedTarget


@dataclass(frozen=True, slots=True)
class StartedUpload:
    """An upload that awaits its bytes at `target`."""

    upload: Upload
    target: PresignedTarget


def start_upload(
    tx: Transaction,
    *,
    principal: Principal,
    workspace_id: WorkspaceId,
    request: UploadRequest,
    rules: IntakeRules,
    now: datetime,
) -> StartedUpload | UnchangedItem:
    """Note an upload and return where to send its bytes; `request.bytes` must be given.

    Where the item at the path was read out of the same bytes, nothing is to be sent: UnchangedItem.
    Raises InvalidPath, InvalidItem, UploadTooLarge, QuotaExceeded, ActionForbidden.
    """
    checked = checked_request(request)
    audience_id = authorize_upload(tx, principal, workspace_id, checked.path)
    size = checked.bytes or 0
    check_size(size, rules=rules)
    unchanged = find_unchanged(
        tx, workspace_id, checked, sha256=checked.sha256, audiences=audiences_of(tx, principal, workspace_id)
    )
    if unchanged is not None:
        return unchanged
    upload_id = UploadId(new_id())
    key = staging_key(workspace_id, upload_id)
    upload = store.insert_upload(
        tx,
        workspace_id,
        upload_id=upload_id,
        request=checked,
        source=UploadSource.PRESIGNED,
        source_key=key,
        audience_id=audience_id,
        principal_id=principal.id,
        now=now,
        received=False,
        expires_at=now + rules.awaited_for,
    )
    if upload is None:
        raise LookupError(f"upload {upload_id} is there already")
    charge(tx, workspace_id, rules.items.quotas, uploads=1)
    record_upload(tx, ActivityAction.UPLOAD_STARTED, upload, principal=principal, after={"bytes": size})
    return StartedUpload(upload, _target_of(upload, rules=rules))


def presign_upload(
    tx: Transaction, *, principal: Principal, workspace_id: WorkspaceId, upload_id: UploadId, rules: IntakeRules
) -> StartedUpload:
    """Return anew where to send the bytes of a started upload. Raises UploadNotFound, ActionForbidden."""
    authorize(principal, workspace_id, Action.READ)
    upload = store.find_upload(tx, workspace_id, upload_id, audiences=audiences_of(tx, principal, workspace_id))
    if upload is None or upload.source is not UploadSource.PRESIGNED:
        raise UploadNotFound("There is no such upload.")
    authorize_writing(tx, principal, workspace_id, upload.path, item_id=upload.item_id)
    return StartedUpload(upload, _target_of(upload, rules=rules))


def _target_of(upload: Upload, *, rules: IntakeRules) -> PresignedTarget:
    return rules.originals.presign_put(
        upload.source_key, size=upload.declared_bytes or 0, valid_for=rules.presigned_for
    )
