"""The words of knowledge bases as types."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Literal
from uuid import UUID

from chalicelib.access.model import FolderId
from chalicelib.identity.model import PrincipalId, WorkspaceId
from chalicelib.items.model import ItemFilters, ItemId, KnowledgeBaseId

NAME_CHARACTERS = 200
DESCRIPTION_CHARACTERS = 2000
MOST_MEMBERS = 1000
"""Members of one knowledge base: folders and items together."""
MOST_KNOWLEDGE_BASES = 1000
"""Knowledge bases of one workspace."""

Choice = Sequence[KnowledgeBaseId] | Literal["all"]
"""Knowledge bases to look in: these, or all that one can reach."""


class Visibility(StrEnum):
    """Who sees a knowledge base, beside owners, its maker, its agents and whom it was granted to."""

    PRIVATE = "private"
    WORKSPACE = "workspace"
    ORGANIZATION = "organization"


class Mode(StrEnum):
    """Which lanes a search runs."""

    HYBRID = "hybrid"
    LEXICAL = "lexical"
    SEMANTIC = "semantic"


class MemberKind(StrEnum):
    """What a member of a knowledge base is."""

    FOLDER = "folder"
    ITEM = "item"


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrievalSettings:
    """What a search over the knowledge base uses where the question does not say; None and empty say nothing."""

    mode: Mode | None = None
    limit: int | None = None
    rerank: bool | None = None
    expand: bool | None = None
    filters: ItemFilters = field(default_factory=ItemFilters)


@dataclass(frozen=True, slots=True, kw_only=True)
class KnowledgeBase:
    """A knowledge base as somebody sees it who may change it or its members, or not."""

    id: KnowledgeBaseId
    workspace_id: WorkspaceId
    name: str
    description: str
    visibility: Visibility
    settings: RetrievalSettings
    created_by: PrincipalId | None
    created_at: datetime
    updated_at: datetime
    may_change: bool
    may_change_members: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """What to change of a knowledge base; None stays."""

    name: str | None = None
    description: str | None = None
    visibility: Visibility | None = None
    settings: RetrievalSettings | None = None


@dataclass(frozen=True, slots=True)
class Member:
    """A folder or an item in a knowledge base. `items` counts what of it the asker may read; `title` is an item's."""

    kind: MemberKind
    id: UUID
    path: str
    title: str | None
    items: int


@dataclass(frozen=True, slots=True)
class Members:
    """Folders by their paths and items by their ids, to be added or removed."""

    folders: Sequence[str] = ()
    items: Sequence[ItemId] = ()


@dataclass(frozen=True, slots=True)
class FolderAt:
    """A folder that has an identity."""

    id: FolderId
    path: str
