"""Lists uploads, reads one, and gives its original out."""

from collections.abc import Sequence

from chalicelib.access.readers import audiences_of
from chalicelib.audit.model import ActivityAction
from chalicelib.database.transaction import Transaction
from chalicelib.identity.model import Principal, WorkspaceId
from chalicelib.identity.rights import Action, authorize
from chalicelib.intake import store
from chalicelib.intake.model import Upload, UploadState, original_key
from chalicelib.intake.reception import IntakeRules
from chalicelib.intake.record_upload import record_upload
from chalicelib.intake.upload_errors import UploadNotFound, UploadNotReceived
from chalicelib.items.model import UploadId


def list_uploads(
    tx: Transaction,
    *,
    principal: Principal,
    workspace_id: WorkspaceId,
    states: Sequence[UploadState],
    path: str | None,
    before: UploadId | None,
    limit: int,
) -> Sequence[Upload]:
    """Return uploads, latest first, from behind `before`."""
    authorize(principal, workspace_id, Action.READ)
    return store.list_uploads(
        tx,
        workspace_id,
        audiences=audiences_of(tx, principal, workspace_id),
        states=states,
        path=path,
        before=before,
        limit=limit,
    )


def read_upload(tx: Transaction, *, principal: Principal, workspace_id: WorkspaceId, upload_id: UploadId) -> Upload:
    """Return one upload. Raises UploadNotFound."""
    authorize(principal, workspace_id, Action.READ)
    upload = store.find_upload(tx, workspace_id, upload_id, audiences=audiences_of(tx, principal, workspace_id))
    if upload is None:
        raise UploadNotFound("There is no such upload.")
    return upload


def presign_original(
    tx: Transaction,
    *,
    principal: Principal,
    workspace_id: WorkspaceId,
    upload_id: UploadId,
    rules: IntakeRules,
) -> str:
    """Return a URL that downloads the original under its name, and record that it was given out.

    Raises UploadNotFound, UploadNotReceived.
    """
    upload = read_upload(tx, principal=principal, workspace_id=workspace_id, upload_id=upload_id)
    if upload.sha256 is None:
        raise UploadNotReceived("The original has not been taken in yet, or was refused.")
    record_upload(tx, ActivityAction.ORIGINAL_DOWNLOADED, upload, principal=principal, after={"bytes": upload.bytes})
    return rules.originals.presign_get(
        original_key(workspace_id, upload.sha256),
        filename=upload.filename,
        media_type=upload.media_type or "application/octet-stream",
        valid_for=rules.downloadable_for,
    )
