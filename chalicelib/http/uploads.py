"""Uploads: begun, sent along, completed, listed, downloaded, retried and deleted."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from chalicelib.http.cursors import Page, cut_page, read_id_position
from chalicelib.http.errors import InvalidCursor
from chalicelib.http.routing import Answer, Call, NoBody, NoQuery, Routes
from chalicelib.http.upload_repeats import show_target_again, show_upload_again
from chalicelib.http.upload_resources import (
    DeleteUploadQuery,
    DirectUploadQuery,
    NewUpload,
    OriginalUrl,
    RawQuery,
    StartedUploadResource,
    UnchangedAnswer,
    UploadAnswer,
    UploadList,
    UploadResource,
    direct_request,
    started_answer,
    started_request,
    unchanged_answer,
    upload_resource,
)
from chalicelib.identity.errors import WorkspaceNotFound
from chalicelib.identity.rights import ActionForbidden
from chalicelib.index.swap import remove_from_index
from chalicelib.intake.change_upload import delete_upload, releasing_uploads, retry_upload
from chalicelib.intake.complete_upload import complete_upload
from chalicelib.intake.errors import ProgramRefused, UnreadableFile, UnsupportedType
from chalicelib.intake.model import UnchangedItem, UploadState
from chalicelib.intake.read_uploads import list_uploads, presign_original, read_upload
from chalicelib.intake.receive_upload import receive_upload
from chalicelib.intake.start_upload import start_upload
from chalicelib.intake.upload_errors import (
    UploadMismatch,
    UploadNotFailed,
    UploadNotFound,
    UploadNotReceived,
    UploadTooLarge,
)
from chalicelib.items.errors import InvalidItem, InvalidPath, PathTaken, QuotaExceeded
from chalicelib.items.model import UploadId
from chalicelib.platform.errors import OriginalsUnavailable
from chalicelib.telemetry.metric_names import Metric

routes = Routes("uploads")

_UPLOADS = "/v1/workspaces/{workspace_id}/uploads"
_UPLOAD = "/v1/workspaces/{workspace_id}/uploads/{upload_id}"
_READ_PROBLEMS = (WorkspaceNotFound, UploadNotFound, ActionForbidden)
_RECEIVE_PROBLEMS = (
    WorkspaceNotFound,
    ActionForbidden,
    PathTaken,
    InvalidPath,
    InvalidItem,
    UploadTooLarge,
    QuotaExceeded,
    OriginalsUnavailable,
)


class UploadListQuery(Page):
    """Which uploads to list."""

    state: Sequence[UploadState] = ()
    path: str | None = None


@routes.on(
    "POST",
    _UPLOADS,
    query=NoQuery,
    body=NewUpload,
    answers={201: StartedUploadResource, 200: UnchangedAnswer},
    problems=(*_RECEIVE_PROBLEMS, UploadNotFound),
    show_again=show_target_again,
)
def begin_upload(call: Call[NoQuery, NewUpload]) -> Answer:
    """Begin an upload: send the bytes to the target, then complete it."""
    started = start_upload(
        call.tx,
        principal=call.principal,
        workspace_id=call.workspace_id,
        request=started_request(call.body),
        rules=call.application.intake_rules,
        now=call.application.clock.now(),
    )
    if isinstance(started, UnchangedItem):
        return Answer(200, unchanged_answer(started))
    upload_id = started.upload.id
    headers = {"Location": _location(call, upload_id)}
    return Answer(201, started_answer(started), headers, about=upload_id, measured={Metric.UPLOADS_ACCEPTED: 1})


@routes.on(
    "POST",
    f"{_UPLOADS}/direct",
    query=DirectUploadQuery,
    body=NoBody,
    takes_bytes=True,
    answers={202: UploadAnswer, 200: UnchangedAnswer},
    problems=(*_RECEIVE_PROBLEMS, UploadMismatch, ProgramRefused, UnreadableFile, UnsupportedType, UploadNotFound),
    show_again=show_upload_again,
)
def upload_directly(call: Call[DirectUploadQuery, NoBody]) -> Answer:
    """Upload the body's bytes in one request."""
    received = receive_upload(
        call.tx,
        principal=call.principal,
        workspace_id=call.workspace_id,
        request=direct_request(call.query),
        content=call.raw,
        rules=call.application.intake_rules,
        now=call.application.clock.now(),
    )
    if isinstance(received, UnchangedItem):
        return Answer(200, unchanged_answer(received))
    body = UploadAnswer(upload=upload_resource(received))
    headers = {"Location": _location(call, received.id)}
    return Answer(202, body, headers, about=received.id, measured={Metric.UPLOADS_ACCEPTED: 1})


@routes.on(
    "POST",
    f"{_UPLOAD}/complete",
    query=NoQuery,
    body=NoBody,
    answers={202: UploadAnswer},
    problems=(*_READ_PROBLEMS, UploadNotReceived, UploadMismatch, UploadTooLarge, OriginalsUnavailable),
    show_again=show_upload_again,
)
def finish_upload(call: Call[NoQuery, NoBody]) -> Answer:
    """Tell that an upload's bytes have been sent; telling it again changes nothing."""
    upload = complete_upload(
        call.tx,
        principal=call.principal,
        workspace_id=call.workspace_id,
        upload_id=_upload_id(call),
        rules=call.application.intake_rules,
        now=call.application.clock.now(),
    )
    return Answer(202, UploadAnswer(upload=upload_resource(upload)), about=upload.id)


@routes.on(
    "GET",
    _UPLOADS,
    query=UploadListQuery,
    body=NoBody,
    answers={200: UploadList},
    problems=(WorkspaceNotFound, ActionForbidden, InvalidCursor),
)
def list_workspace_uploads(call: Call[UploadListQuery, NoBody]) -> Answer:
    """List uploads, the latest first."""
    position = read_id_position(call)
    uploads = list_uploads(
        call.tx,
        principal=call.principal,
        workspace_id=call.workspace_id,
        states=call.query.state,
        path=call.query.path,
        before=None if position is None else UploadId(position),
        limit=call.query.limit + 1,
    )
    shown, next_cursor = cut_page(call, uploads, position_of=lambda upload: [str(upload.id)])
    return Answer(body=UploadList(uploads=[upload_resource(upload) for upload in shown], next_cursor=next_cursor))


@routes.on("GET", _UPLOAD, query=NoQuery, body=NoBody, answers={200: UploadResource}, problems=_READ_PROBLEMS)
def show_upload(call: Call[NoQuery, NoBody]) -> Answer:
    """Show an upload and how far its extraction got."""
    upload = read_upload(call.tx, principal=call.principal, workspace_id=call.workspace_id, upload_id=_upload_id(call))
    return Answer(body=upload_resource(upload))


@routes.on(
    "GET",
    f"{_UPLOAD}/raw",
    query=RawQuery,
    body=NoBody,
    answers={200: OriginalUrl, 303: None},
    problems=(*_READ_PROBLEMS, UploadNotReceived, OriginalsUnavailable),
)
def download_original(call: Call[RawQuery, NoBody]) -> Answer:
    """Download the original as it came, by way of a URL that is valid for a while."""
    url = presign_original(
        call.tx,
        principal=call.principal,
        workspace_id=call.workspace_id,
        upload_id=_upload_id(call),
        rules=call.application.intake_rules,
    )
    if call.query.redirect:
        return Answer(303, headers={"Location": url})
    expires_at = call.application.clock.now() + call.application.intake_rules.downloadable_for
    return Answer(body=OriginalUrl(url=url, expires_at=expires_at))


@routes.on(
    "POST",
    f"{_UPLOAD}/retry",
    query=NoQuery,
    body=NoBody,
    answers={202: UploadAnswer},
    problems=(*_READ_PROBLEMS, UploadNotFailed, UploadNotReceived, OriginalsUnavailable),
    show_again=show_upload_again,
)
def retry_extraction(call: Call[NoQuery, NoBody]) -> Answer:
    """Extract a failed or skipped upload anew."""
    upload = retry_upload(
        call.tx,
        principal=call.principal,
        workspace_id=call.workspace_id,
        upload_id=_upload_id(call),
        rules=call.application.intake_rules,
    )
    return Answer(202, UploadAnswer(upload=upload_resource(upload)), about=upload.id)


@routes.on("DELETE", _UPLOAD, query=DeleteUploadQuery, body=NoBody, answers={204: None}, problems=_READ_PROBLEMS)
def forget_upload_at(call: Call[DeleteUploadQuery, NoBody]) -> Answer:
    """Delete an upload in any state, with or without its item."""
    delete_upload(
        call.tx,
        principal=call.principal,
        workspace_id=call.workspace_id,
        upload_id=_upload_id(call),
        with_item=call.query.item == "delete",
        rules=call.application.intake_rules,
        remove_from_index=releasing_uploads(remove_from_index),
    )
    return Answer(204)


def _upload_id(call: Call[Any, Any]) -> UploadId:
    return UploadId(call.ids["upload_id"])


def _location(call: Call[Any, Any], upload_id: UUID) -> str:
    return f"/v1/workspaces/{call.workspace_id}/uploads/{upload_id}"
