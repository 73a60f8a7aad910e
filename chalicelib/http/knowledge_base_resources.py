"""Knowledge bases as the API takes and shows them."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from pydantic import Field

from chalicelib.http.routing import Body, Resource
from chalicelib.items.model import ItemClass, ItemFilters, ItemKind, ItemScope, ItemStatus
from chalicelib.knowledge_bases.model import (
    MOST_MEMBERS,
    KnowledgeBase,
    MemberKind,
    Mode,
    RetrievalSettings,
    Visibility,
)
from chalicelib.knowledge_bases.settings import MOST_HITS


class DefaultFilters(Body):
    """Which items a search over the knowledge base looks in where the question does not say, filter by filter."""

    kind: Sequence[ItemKind] = ()
    item_class: Sequence[ItemClass] = Field((), alias="class")
    scope: Sequence[ItemScope] = ()
    status: Sequence[ItemStatus] = ()
    language: Sequence[str] = ()
    tags: Sequence[str] = ()
    categories: Sequence[str] = ()


class SettingsBody(Body):
    """What a search over this knowledge base alone uses where the question does not say; null says nothing."""

    mode: Mode | None = None
    limit: int | None = Field(None, ge=1, le=MOST_HITS)
    rerank: bool | None = None
    expand: bool | None = None
    filters: DefaultFilters = Field(default_factory=DefaultFilters)


class NewKnowledgeBase(Body):
    """A knowledge base to make, with nothing in it yet."""

    name: str
    description: str = ""
    visibility: Visibility = Visibility.PRIVATE
    settings: SettingsBody = Field(default_factory=SettingsBody)


class KnowledgeBaseChanges(Body):
    """What to change; what is absent stays. Settings are replaced as a whole."""

    name: str | None = None
    description: str | None = None
    visibility: Visibility | None = None
    settings: SettingsBody | None = None


class NamedMembers(Body):
    """Folders by their paths and items by their ids."""

    folders: Sequence[str] = Field((), max_length=MOST_MEMBERS)
    items: Sequence[UUID] = Field((), max_length=MOST_MEMBERS)


class MemberChanges(Body):
    """What to put in and take out, all of it or nothing."""

    add: NamedMembers = Field(default_factory=NamedMembers)
    remove: NamedMembers = Field(default_factory=NamedMembers)


class DefaultFiltersResource(Resource):
    """Filters that hold where a question does not say; empty ones hold nothing back."""

    kind: Sequence[ItemKind]
    item_class: Sequence[ItemClass] = Field(alias="class", serialization_alias="class")
    scope: Sequence[ItemScope]
    status: Sequence[ItemStatus]
    language: Sequence[str]
    tags: Sequence[str]
    categories: Sequence[str]


class SettingsResource(Resource):
    """What a search over this knowledge base alone uses where the question does not say."""

    mode: Mode | None
    limit: int | None
    rerank: bool | None
    expand: bool | None
    filters: DefaultFiltersResource


class KnowledgeBaseResource(Resource):
    """A knowledge base. `may_change` and `may_change_members` tell what the caller may."""

    id: UUID
    name: str
    description: str
    visibility: Visibility
    settings: SettingsResource
    created_by: UUID | None
    created_at: datetime
    updated_at: datetime
    may_change: bool
    may_change_members: bool


class CountedKnowledgeBaseResource(KnowledgeBaseResource):
    """A knowledge base with how many items in it the caller may read."""

    items: int


class KnowledgeBaseList(Resource):
    """A page of knowledge bases, in the order they were made."""

    knowledge_bases: Sequence[KnowledgeBaseResource]
    next_cursor: str | None


class MemberOfBaseResource(Resource):
    """A folder with how many items in it the caller may read, or an item."""

    kind: MemberKind
    id: UUID
    path: str
    title: str | None
    items: int


class MemberOfBaseList(Resource):
    """A page of folders and items, folders first, in order of their paths."""

    members: Sequence[MemberOfBaseResource]
    next_cursor: str | None


class AgentList(Resource):
    """The agents that a knowledge base is assigned to."""

    agents: Sequence[UUID]


def settings_in(body: SettingsBody) -> RetrievalSettings:
    """Return the settings that a body says."""
    filters = body.filters
    return RetrievalSettings(
        mode=body.mode,
        limit=body.limit,
        rerank=body.rerank,
        expand=body.expand,
        filters=ItemFilters(
            kinds=filters.kind,
            classes=filters.item_class,
            scopes=filters.scope,
            statuses=filters.status,
            languages=filters.language,
            tags=filters.tags,
            categories=filters.categories,
        ),
    )


def knowledge_base_resource(knowledge_base: KnowledgeBase) -> KnowledgeBaseResource:
    """Return a knowledge base as the API shows it."""
    return KnowledgeBaseResource(**_fields_of(knowledge_base))


def counted_resource(knowledge_base: KnowledgeBase, items: int) -> CountedKnowledgeBaseResource:
    """Return a knowledge base with its readable items as the API shows it."""
    return CountedKnowledgeBaseResource(**_fields_of(knowledge_base), items=items)


def _fields_of(knowledge_base: KnowledgeBase) -> dict[str, Any]:
    names = set(KnowledgeBaseResource.model_fields) - {"settings"}
    fields = {name: getattr(knowledge_base, name) for name in names}
    return {**fields, "settings": _settings_resource(knowledge_base.settings)}


def _settings_resource(settings: RetrievalSettings) -> SettingsResource:
    filters = settings.filters
    words: dict[str, Any] = {"class": filters.classes}
    return SettingsResource(
        mode=settings.mode,
        limit=settings.limit,
        rerank=settings.rerank,
        expand=settings.expand,
        filters=DefaultFiltersResource(
            kind=filters.kinds,
            scope=filters.scopes,
            status=filters.statuses,
            language=filters.languages,
            tags=filters.tags,
            categories=filters.categories,
            **words,
        ),
    )
