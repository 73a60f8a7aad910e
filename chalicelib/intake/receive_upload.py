"""Takes a small original that came with the request itself."""

import hashlib
import io
from datetime import datetime

from chalicelib.access.readers import audiences_of
from chalicelib.audit.model import ActivityAction
from chalicelib.database.ids import new_id
from chalicelib.database.transaction import Transaction
from chalicelib.identity.model import Principal, WorkspaceId
from chalicelib.intake import store
from chalicelib.intake.attributes import checked_request
from chalicelib.intake.authorize_upload import authorize_upload
from chalicelib.intake.extract.formats import require_taken
from chalicelib.intake.model import UnchangedItem, Upload, UploadRequest, UploadSource, staging_key
from chalicelib.intake.reception import IntakeRules, check_size, enqueue_extraction
from chalicelib.intake.record_upload import record_upload
from chalicelib.intake.sniff import HEAD_BYTES, TAIL_BYTES, sniff
from chalicelib.intake.unchanged import find_unchanged
from chalicelib.intake.upload_errors import UploadMismatch
from chalicelib.items.model import UploadId
from chalicelib.items.quotas import charge


def receive_upload(
    tx: Transaction,
    *,
    principal: Principal,
    workspace_id: WorkspaceId,
    request: UploadRequest,
    content: bytes,
    rules: IntakeRules,
    now: datetime,
) -> Upload | UnchangedItem:
    """Store the bytes and promise their extraction; a type that is not taken is refused at once.

    Raises what start_upload raises, and ProgramRefused, UnreadableFile, UnsupportedType, UploadMismatch.
    """
    checked = checked_request(request)
    audience_id = authorize_upload(tx, principal, workspace_id, checked.path)
    check_size(len(content), rules=rules)
    require_taken(sniff(content[:HEAD_BYTES], checked.filename, tail=content[-TAIL_BYTES:]), checked.filename)
    sha256 = hashlib.sha256(content).digest()
    if checked.sha256 not in {None, sha256}:
        raise UploadMismatch("The SHA-256 of the bytes is not the one announced; send them again.")
    unchanged = find_unchanged(
        tx, workspace_id, checked, sha256=sha256, audiences=audiences_of(tx, principal, workspace_id)
    )
    if unchanged is not None:
        return unchanged
    upload_id = UploadId(new_id())
    key = staging_key(workspace_id, upload_id)
    rules.originals.put(key, io.BytesIO(content))
    upload = store.insert_upload(
        tx,
        workspace_id,
        upload_id=upload_id,
        request=checked,
        source=UploadSource.DIRECT,
        source_key=key,
        audience_id=audience_id,
        principal_id=principal.id,
        now=now,
        received=True,
    )
    if upload is None:
        raise LookupError(f"upload {upload_id} is there already")
    enqueue_extraction(tx, upload, rules=rules)
    charge(tx, workspace_id, rules.items.quotas, uploads=1)
    record_upload(tx, ActivityAction.UPLOAD_RECEIVED, upload, principal=principal, after={"bytes": len(content)})
    return upload
