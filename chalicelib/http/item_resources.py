"""Items as the API shows and takes them."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from pydantic import Field, JsonValue

from chalicelib.http.routing import Body, Resource
from chalicelib.items.model import (
    Attributes,
    IndexState,
    Item,
    ItemClass,
    ItemKind,
    ItemScope,
    ItemStatus,
    Original,
    Revision,
)


class ReasonResource(Resource):
    """Why something failed, as a problem that was recorded."""

    type: str
    title: str
    detail: str


class CaveatResource(Resource):
    """Something that a reader should know of how the body came to be."""

    code: str
    detail: str
    count: int


class IndexingResource(Resource):
    """How far an item is on its way into search; `revision` is the one that a search sees now."""

    state: IndexState
    reason: ReasonResource | None
    revision: int | None
    chunks: int


class OriginalResource(Resource):
    """The bytes that an item's body was read out of."""

    upload_id: UUID | None
    sha256: str
    media_type: str
    bytes: int


class DescribedResource(Resource):
    """What describes an item at one revision."""

    kind: ItemKind
    item_class: ItemClass = Field(alias="class", serialization_alias="class")
    scope: ItemScope
    status: ItemStatus
    path: str
    title: str
    description: str
    language: str | None
    tags: Sequence[str]
    categories: Sequence[str]
    metadata: Mapping[str, JsonValue]


class ItemResource(DescribedResource):
    """An item without its body."""

    id: UUID
    workspace_id: UUID
    warnings: Sequence[CaveatResource]
    revision: int
    body_bytes: int
    index: IndexingResource
    original: OriginalResource | None
    created_at: datetime
    created_by: UUID | None
    updated_at: datetime
    updated_by: UUID | None


class WholeItemResource(ItemResource):
    """An item with its body. At an earlier revision, `index` still tells of the present one."""

    body: str


class RevisionResource(DescribedResource):
    """One immutable state of an item, without its body."""

    revision: int
    created_at: datetime
    created_by: UUID | None


class WrittenAttributes(Body):
    """What a client may say of an item beside its path, title and body."""

    kind: ItemKind | None = Field(None, description="page or skill; files and sources come from uploads and syncs.")
    item_class: ItemClass = Field(ItemClass.FREEFORM, alias="class")
    scope: ItemScope = ItemScope.LIBRARY
    status: ItemStatus = ItemStatus.ACTIVE
    description: str = ""
    language: str | None = Field(None, description="An ISO 639 code; null has it found out.")
    tags: Sequence[str] = ()
    categories: Sequence[str] = ()
    metadata: Mapping[str, JsonValue] = Field(default_factory=dict)


class WrittenItem(WrittenAttributes):
    """A whole item. What is absent takes its default."""

    path: str
    title: str | None = Field(None, description="By default made from the path's last part.")
    body: str


class ItemChanges(Body):
    """What to change, as a JSON merge patch (RFC 7396): what is absent stays, null takes the default."""

    path: str | None = None
    title: str | None = None
    body: str | None = None
    kind: ItemKind | None = None
    item_class: ItemClass | None = Field(None, alias="class")
    scope: ItemScope | None = None
    status: ItemStatus | None = None
    description: str | None = None
    language: str | None = None
    tags: Sequence[str] | None = None
    categories: Sequence[str] | None = None
    metadata: Mapping[str, JsonValue] | None = None


def item_resource(item: Item) -> ItemResource:
    """Return an item as lists show it."""
    return ItemResource(**_item_fields(item))


def whole_item_resource(item: Item, body: str) -> WholeItemResource:
    """Return the present state of an item with its body."""
    return WholeItemResource(**_item_fields(item), body=body)


def item_at_revision(item: Item, revision: Revision) -> WholeItemResource:
    """Return an item as it was at a revision."""
    body = revision.body or ""
    fields = {
        **_item_fields(item),
        **_described_fields(revision.path, revision.title, revision.attributes),
        "revision": revision.number,
        "body_bytes": len(body.encode()),
        "updated_at": revision.created_at,
        "updated_by": revision.created_by,
    }
    return WholeItemResource(**fields, body=body)


def revision_resource(revision: Revision) -> RevisionResource:
    """Return a revision as lists show it."""
    return RevisionResource(
        **_described_fields(revision.path, revision.title, revision.attributes),
        revision=revision.number,
        created_at=revision.created_at,
        created_by=revision.created_by,
    )


def _item_fields(item: Item) -> dict[str, Any]:
    return {
        **_described_fields(item.path, item.title, item.attributes),
        "id": item.id,
        "workspace_id": item.workspace_id,
        "warnings": [CaveatResource.model_validate(caveat) for caveat in item.warnings],
        "revision": item.revision,
        "body_bytes": item.body_bytes,
        "index": IndexingResource(
            state=item.index.state,
            reason=reason_resource(item.index.reason),
            revision=item.index.revision,
            chunks=item.index.chunks,
        ),
        "original": _original_resource(item.original),
        "created_at": item.created_at,
        "created_by": item.created_by,
        "updated_at": item.updated_at,
        "updated_by": item.updated_by,
    }


def reason_resource(reason: Mapping[str, Any] | None) -> ReasonResource | None:
    """Return a recorded problem as the API shows it: its type in full, without what is for operators."""
    if reason is None:
        return None
    name = str(reason.get("type", "")).removeprefix("urn:lorebase:problem:")
    return ReasonResource(
        type=f"urn:lorebase:problem:{name}", title=str(reason.get("title", "")), detail=str(reason.get("detail", ""))
    )


def _described_fields(path: str, title: str, attributes: Attributes) -> dict[str, Any]:
    return {
        "kind": attributes.kind,
        "class": attributes.item_class,
        "scope": attributes.scope,
        "status": attributes.status,
        "path": path,
        "title": title,
        "description": attributes.description,
        "language": attributes.language,
        "tags": attributes.tags,
        "categories": attributes.categories,
        "metadata": attributes.metadata,
    }


def _original_resource(original: Original | None) -> OriginalResource | None:
    if original is None:
        return None
    return OriginalResource(
        upload_id=original.upload_id,
        sha256=original.sha256.hex(),
        media_type=original.media_type,
        bytes=original.bytes,
    )
