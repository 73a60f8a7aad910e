"""Uploads as the API shows and takes them."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from pydantic import Field, JsonValue

from chalicelib.http.item_resources import CaveatResource, ReasonResource, reason_resource
from chalicelib.http.routing import Body, Query, Resource
from chalicelib.intake.model import UnchangedItem, Upload, UploadOutcome, UploadRequest, UploadSource, UploadState
from chalicelib.intake.start_upload import StartedUpload
from chalicelib.items.model import ItemClass, ItemScope, ItemStatus
from chalicelib.platform.ports import PresignedTarget

_SHA256 = r"^[0-9a-fA-F]{64}$"


class UploadResource(Resource):
    """One received, or awaited, original, and how far its extraction got. Awaited while `received_at` is null."""

    id: UUID
    path: str
    filename: str
    source: UploadSource
    state: UploadState
    reason: ReasonResource | None
    outcome: UploadOutcome | None
    sha256: str | None
    bytes: int | None
    media_type: str | None
    extractor: str | None
    extract_seconds: float | None
    warnings: Sequence[CaveatResource]
    item_id: UUID | None
    revision: int | None
    created_at: datetime
    received_at: datetime | None
    finished_at: datetime | None


class TargetResource(Resource):
    """Where to send the bytes, and until when; `headers` must be sent as they are."""

    method: str
    url: str
    headers: Mapping[str, str]
    expires_at: datetime


class StartedUploadResource(Resource):
    """An upload that awaits its bytes."""

    upload: UploadResource
    target: TargetResource


class UploadAnswer(Resource):
    """An upload that is being worked on."""

    upload: UploadResource


class UnchangedAnswer(Resource):
    """Nothing is to be done: the item at the path was read out of the same bytes."""

    upload: None = None
    outcome: Literal["unchanged"] = "unchanged"
    item_id: UUID
    revision: int


class UploadList(Resource):
    """A page of uploads, the latest first."""

    uploads: Sequence[UploadResource]
    next_cursor: str | None


class OriginalUrl(Resource):
    """Where the original can be downloaded, and until when."""

    url: str
    expires_at: datetime


class NewUpload(Body):
    """What is known of the bytes to come, and of the item to come out of them."""

    path: str
    bytes: int = Field(ge=0)
    sha256: str | None = Field(None, pattern=_SHA256, description="In hexadecimal; unchanged bytes need not be sent.")
    filename: str | None = Field(None, description="By default the path's last part.")
    title: str | None = None
    item_class: ItemClass | None = Field(None, alias="class")
    scope: ItemScope | None = None
    status: ItemStatus | None = None
    description: str | None = None
    language: str | None = None
    tags: Sequence[str] | None = None
    categories: Sequence[str] | None = None
    metadata: Mapping[str, JsonValue] | None = None


class DirectUploadQuery(Query):
    """What is known of the bytes in the body, and of the item to come out of them."""

    path: str
    sha256: str | None = Field(None, pattern=_SHA256)
    filename: str | None = None
    title: str | None = None
    item_class: ItemClass | None = Field(None, alias="class")
    scope: ItemScope | None = None
    status: ItemStatus | None = None
    description: str | None = None
    language: str | None = None
    tag: Sequence[str] | None = None
    category: Sequence[str] | None = None


class RawQuery(Query):
    """How to be told where the original is."""

    redirect: bool = Field(True, description="False answers the URL as JSON instead of redirecting to it.")


class DeleteUploadQuery(Query):
    """What becomes of the item."""

    item: Literal["keep", "delete"] = Field("keep", description="Whether the extracted item goes as well.")


def upload_resource(upload: Upload) -> UploadResource:
    """Return an upload as the API shows it."""
    return UploadResource(
        id=upload.id,
        path=upload.path,
        filename=upload.filename,
        source=upload.source,
        state=upload.state,
        reason=reason_resource(upload.reason),
        outcome=upload.outcome,
        sha256=None if upload.sha256 is None else upload.sha256.hex(),
        bytes=upload.bytes,
        media_type=upload.media_type,
        extractor=upload.extractor,
        extract_seconds=upload.extract_seconds,
        warnings=[CaveatResource.model_validate(caveat) for caveat in upload.warnings],
        item_id=upload.item_id,
        revision=upload.revision,
        created_at=upload.created_at,
        received_at=upload.received_at,
        finished_at=upload.finished_at,
    )


def target_resource(target: PresignedTarget) -> TargetResource:
    """Return a presigned target as the API shows it."""
    return TargetResource(
        method=target.method, url=target.url, headers=dict(target.headers), expires_at=target.expires_at
    )


def started_answer(started: StartedUpload) -> StartedUploadResource:
    """Return the answer that the bytes are awaited."""
    return StartedUploadResource(upload=upload_resource(started.upload), target=target_resource(started.target))


def unchanged_answer(unchanged: UnchangedItem) -> UnchangedAnswer:
    """Return the answer that nothing is to be done."""
    return UnchangedAnswer(item_id=unchanged.item_id, revision=unchanged.revision)


def started_request(body: NewUpload) -> UploadRequest:
    """Return what a client says of bytes that it will send itself."""
    attributes = {**_attributes(body), "tags": body.tags, "categories": body.categories, "metadata": body.metadata}
    return UploadRequest(
        path=body.path,
        filename=body.filename or "",
        attributes=_given(attributes),
        bytes=body.bytes,
        sha256=None if body.sha256 is None else bytes.fromhex(body.sha256),
    )


def direct_request(query: DirectUploadQuery) -> UploadRequest:
    """Return what a client says of bytes that it sends along."""
    attributes = {**_attributes(query), "tags": query.tag, "categories": query.category}
    return UploadRequest(
        path=query.path,
        filename=query.filename or "",
        attributes=_given(attributes),
        sha256=None if query.sha256 is None else bytes.fromhex(query.sha256),
    )


def _attributes(given: NewUpload | DirectUploadQuery) -> dict[str, Any]:
    return {
        "title": given.title,
        "item_class": given.item_class,
        "scope": given.scope,
        "status": given.status,
        "description": given.description,
        "language": given.language,
    }


def _given(attributes: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in attributes.items() if value is not None}
