"""Shows uploads to who repeats a request about them."""

from typing import Any
from uuid import UUID

from chalicelib.http.routing import Answer, Call
from chalicelib.http.upload_resources import UploadAnswer, started_answer, upload_resource
from chalicelib.intake.read_uploads import read_upload
from chalicelib.intake.start_upload import presign_upload
from chalicelib.items.model import UploadId


def show_upload_again(call: Call[Any, Any], upload_id: UUID) -> Answer:
    """Show how far the upload is by now."""
    upload = read_upload(
        call.tx, principal=call.principal, workspace_id=call.workspace_id, upload_id=UploadId(upload_id)
    )
    return Answer(body=UploadAnswer(upload=upload_resource(upload)))


def show_target_again(call: Call[Any, Any], upload_id: UUID) -> Answer:
    """Show where to send the bytes, under a new signature."""
    started = presign_upload(
        call.tx,
        principal=call.principal,
        workspace_id=call.workspace_id,
        upload_id=UploadId(upload_id),
        rules=call.application.intake_rules,
    )
    return Answer(body=started_answer(started))
