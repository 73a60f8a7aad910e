"""The words of items as types."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, NewType
from uuid import UUID

from chalicelib.identity.model import PrincipalId, WorkspaceId

ItemId = NewType("ItemId", UUID)
UploadId = NewType("UploadId", UUID)
KnowledgeBaseId = NewType("KnowledgeBaseId", UUID)

Metadata = Mapping[str, Any]
"""A JSON object."""

Problem = Mapping[str, Any]
"""Why something failed: `type`, `title` and `detail`, as in RFC 9457."""


NO_TEXT: Problem = {
    "type": "no-text-found",
    "title": "The document holds no text",
    "detail": "There is nothing to find in it. If it is a scan or an image, run text recognition (OCR) over it and "
    "upload the result; if it should not be empty, upload it again.",
}
"""What an item says that has no text: nothing went wrong, and trying again would change nothing."""


class ItemKind(StrEnum):
    """Where an item's body comes from."""

    PAGE = "page"
    SKILL = "skill"
    FILE = "file"
    SOURCE = "source"


class ItemClass(StrEnum):
    """What an item is for; decides how agents treat it."""

    BRAND = "brand"
    LEGAL = "legal"
    SEO = "seo"
    GLOSSARY = "glossary"
    COMPETITORS = "competitors"
    PERSONAS = "personas"
    STYLE = "style"
    RESEARCH = "research"
    OUTPUT = "output"
    FREEFORM = "freeform"


class ItemScope(StrEnum):
    """How an item reaches agents: in every boot context, in that of its agents, or by search alone."""

    WORKSPACE = "workspace"
    AGENT = "agent"
    LIBRARY = "library"


class ItemStatus(StrEnum):
    """Where an item is in its life."""

    DRAFT = "draft"
    ACTIVE = "active"
    ARCHIVED = "archived"


class IndexState(StrEnum):
    """How far an item is on its way into search."""

    PENDING = "pending"
    INDEXING = "indexing"
    TEXT_READY = "text_ready"
    READY = "ready"
    NO_TEXT = "no_text"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Attributes:
    """What describes an item beside its path, title and body."""

    kind: ItemKind = ItemKind.PAGE
    item_class: ItemClass = ItemClass.FREEFORM
    scope: ItemScope = ItemScope.LIBRARY
    status: ItemStatus = ItemStatus.ACTIVE
    description: str = ""
    language: str | None = None
    tags: Sequence[str] = ()
    categories: Sequence[str] = ()
    metadata: Metadata = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Caveat:
    """Something that a reader should know of how the body came to be. `count` says how often."""

    code: str
    detail: str
    count: int = 1


@dataclass(frozen=True, slots=True)
class Original:
    """The bytes that an item's body was read out of. `bytes` is their number."""

    upload_id: UploadId | None
    sha256: bytes
    bytes: int
    media_type: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """What an item's next revision is to be. `page_starts` are the offsets in `body` where pages begin."""

    path: str
    title: str
    body: str
    attributes: Attributes
    warnings: Sequence[Caveat] = ()
    page_starts: Sequence[int] = ()
    original: Original | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Indexing:
    """How far an item is on its way into search. `revision` is the one that a search sees now."""

    state: IndexState
    reason: Problem | None
    revision: int | None
    chunks: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One living item without its body."""

    id: ItemId
    workspace_id: WorkspaceId
    path: str
    title: str
    attributes: Attributes
    warnings: Sequence[Caveat]
    page_starts: Sequence[int]
    original: Original | None
    revision: int
    body_sha256: bytes
    body_bytes: int
    index: Indexing
    created_at: datetime
    created_by: PrincipalId | None
    updated_at: datetime
    updated_by: PrincipalId | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Revision:
    """One immutable state of an item. `body` is None in listings."""

    item_id: ItemId
    number: int
    path: str
    title: str
    attributes: Attributes
    body: str | None
    created_at: datetime
    created_by: PrincipalId | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemFilters:
    """Which items a list shows; empty or None means all. An item must have every one of `tags` and `categories`.

    `knowledge_bases` are some that the asker sees: what is in any of them is shown, and nothing where there are none.
    """

    kinds: Sequence[ItemKind] = ()
    classes: Sequence[ItemClass] = ()
    scopes: Sequence[ItemScope] = ()
    statuses: Sequence[ItemStatus] = ()
    states: Sequence[IndexState] = ()
    languages: Sequence[str] = ()
    tags: Sequence[str] = ()
    categories: Sequence[str] = ()
    folder: str | None = None
    path: str | None = None
    updated_after: datetime | None = None
    updated_before: datetime | None = None
    metadata: Metadata = field(default_factory=dict)
    knowledge_bases: Sequence[KnowledgeBaseId] | None = None
