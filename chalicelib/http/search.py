"""Search: a question in, ranked passages that can be cited out."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal
from uuid import UUID

from pydantic import AwareDatetime, Field, JsonValue

from chalicelib.bootstrap import Application
from chalicelib.http.knowledge_base_choice import KNOWLEDGE_BASE, chosen_in_address, chosen_in_body
from chalicelib.http.measured import measured_of_search
from chalicelib.http.routing import Answer, Body, Call, NoBody, NoQuery, Query, Routes
from chalicelib.http.search_resources import SearchResource, search_resource
from chalicelib.identity.errors import WorkspaceNotFound
from chalicelib.identity.rights import ActionForbidden
from chalicelib.items.errors import InvalidPath, ItemNotFound
from chalicelib.items.model import ItemClass, ItemFilters, ItemId, ItemKind, ItemScope, ItemStatus
from chalicelib.items.paths import checked_folder
from chalicelib.knowledge_bases.choose_knowledge_bases import MOST_CHOSEN
from chalicelib.knowledge_bases.errors import InvalidKnowledgeBase, KnowledgeBaseNotFound
from chalicelib.knowledge_bases.model import Mode
from chalicelib.knowledge_bases.settings import MOST_HITS
from chalicelib.search.errors import QueryEmpty, QueryTooLong, SearchRefused, SearchUnavailable
from chalicelib.search.expand import ExpansionRules
from chalicelib.search.model import Level, Question
from chalicelib.search.record_search import record_search
from chalicelib.search.rerank import RerankRules
from chalicelib.search.search import LEAST_HALF_LIFE, MOST_HALF_LIFE, SearchRules, search
from chalicelib.search.stages import SearchModels
from chalicelib.search.widen import MOST_NEIGHBOURS
from chalicelib.settings import Settings
from chalicelib.usage.model import Purpose

routes = Routes("search")

_EXPAND = "Whether a language model words the question in other ways too; by default as the knowledge base has it."
_RERANK = "Whether a model judges the best hits and drops the irrelevant; by default as the knowledge base has it."
_HALF_LIFE = "Let what is old count less: half as much after so many days since its last update."
_NEIGHBOURS = "How many chunks on either side of a hit its passage takes in."
_SEARCH = "/v1/workspaces/{workspace_id}/search"
_PROBLEMS = (
    WorkspaceNotFound,
    ActionForbidden,
    QueryEmpty,
    QueryTooLong,
    SearchRefused,
    SearchUnavailable,
    InvalidPath,
    ItemNotFound,
    KnowledgeBaseNotFound,
    InvalidKnowledgeBase,
)


class Filters(Body):
    """Which items to look in. Of a list any value fits, but all of `tags` and `categories` must."""

    kind: Sequence[ItemKind] = ()
    item_class: Sequence[ItemClass] = Field((), alias="class")
    scope: Sequence[ItemScope] = ()
    status: Sequence[ItemStatus] = ()
    language: Sequence[str] = ()
    tags: Sequence[str] = ()
    categories: Sequence[str] = ()
    folder: str | None = None
    updated_after: AwareDatetime | None = None
    updated_before: AwareDatetime | None = None
    metadata: Mapping[str, JsonValue] = Field(default_factory=dict)


class SearchRequest(Body):
    """A question; any string that is not blank is one.

    What it leaves open (`mode`, by default hybrid, `limit`, by default 10, and filters) is as the knowledge base has
    it where exactly one is named.
    """

    query: str
    limit: int | None = Field(None, ge=1, le=MOST_HITS)
    mode: Mode | None = None
    level: Level = Level.CHUNK
    expand: bool | None = Field(None, description=_EXPAND)
    rerank: bool | None = Field(None, description=_RERANK)
    half_life_days: float | None = Field(None, ge=LEAST_HALF_LIFE, le=MOST_HALF_LIFE, description=_HALF_LIFE)
    neighbours: int = Field(0, ge=0, le=MOST_NEIGHBOURS, description=_NEIGHBOURS)
    explain: bool = Field(False, description="Say of each hit what its score is made of.")
    why_not: UUID | None = Field(None, description="Say where this item ended, which is missed among the hits.")
    filters: Filters = Field(default_factory=Filters)
    knowledge_bases: Sequence[UUID] | Literal["all"] | None = Field(
        None, max_length=MOST_CHOSEN, description="Look in these alone, or in all that the caller reaches."
    )


class SearchQuery(Query):
    """The same as parameters, for links and shells."""

    q: str
    limit: int | None = Field(None, ge=1, le=MOST_HITS)
    mode: Mode | None = None
    level: Level = Level.CHUNK
    kind: Sequence[ItemKind] = ()
    item_class: Sequence[ItemClass] = Field((), alias="class")
    scope: Sequence[ItemScope] = ()
    status: Sequence[ItemStatus] = ()
    language: Sequence[str] = ()
    tag: Sequence[str] = ()
    category: Sequence[str] = ()
    folder: str | None = None
    updated_after: AwareDatetime | None = None
    updated_before: AwareDatetime | None = None
    expand: bool | None = Field(None, description=_EXPAND)
    rerank: bool | None = Field(None, description=_RERANK)
    half_life_days: float | None = Field(None, ge=LEAST_HALF_LIFE, le=MOST_HALF_LIFE, description=_HALF_LIFE)
    neighbours: int = Field(0, ge=0, le=MOST_NEIGHBOURS, description=_NEIGHBOURS)
    explain: bool = Field(False, description="Say of each hit what its score is made of.")
    why_not: UUID | None = Field(None, description="Say where this item ended, which is missed among the hits.")
    knowledge_base: Sequence[str] = Field((), description=KNOWLEDGE_BASE)


@routes.on(
    "POST",
    _SEARCH,
    query=NoQuery,
    body=SearchRequest,
    answers={200: SearchResource},
    problems=_PROBLEMS,
    is_safe=True,
    is_transaction=False,
)
def ask_search(call: Call[NoQuery, SearchRequest]) -> Answer:
    """Search the workspace."""
    body = call.body
    question = Question(
        query=body.query,
        limit=body.limit,
        mode=body.mode,
        level=body.level,
        filters=_filters(
            body.filters, tags=body.filters.tags, categories=body.filters.categories, metadata=body.filters.metadata
        ),
        knowledge_bases=chosen_in_body(body.knowledge_bases),
        expand=body.expand,
        rerank=body.rerank,
        half_life=body.half_life_days,
        neighbours=body.neighbours,
        explain=body.explain,
        why_not=None if body.why_not is None else ItemId(body.why_not),
    )
    return _searched(call, question)


@routes.on(
    "GET",
    _SEARCH,
    query=SearchQuery,
    body=NoBody,
    answers={200: SearchResource},
    problems=_PROBLEMS,
    is_transaction=False,
)
def search_by_link(call: Call[SearchQuery, NoBody]) -> Answer:
    """Search the workspace, asked in the address."""
    query = call.query
    filters = _filters(query, tags=query.tag, categories=query.category, metadata={})
    question = Question(
        query=query.q,
        limit=query.limit,
        mode=query.mode,
        level=query.level,
        filters=filters,
        knowledge_bases=chosen_in_address(query.knowledge_base),
        expand=query.expand,
        rerank=query.rerank,
        half_life=query.half_life_days,
        neighbours=query.neighbours,
        explain=query.explain,
        why_not=None if query.why_not is None else ItemId(query.why_not),
    )
    return _searched(call, question)


def _filters(
    given: Filters | SearchQuery,
    *,
    tags: Sequence[str],
    categories: Sequence[str],
    metadata: Mapping[str, JsonValue],
) -> ItemFilters:
    return ItemFilters(
        kinds=given.kind,
        classes=given.item_class,
        scopes=given.scope,
        statuses=given.status,
        languages=given.language,
        tags=tags,
        categories=categories,
        folder=None if given.folder is None else checked_folder(given.folder),
        updated_after=given.updated_after,
        updated_before=given.updated_before,
        metadata=metadata,
    )


def _searched(call: Call[Any, Any], question: Question) -> Answer:
    application, settings = call.application, call.application.settings
    rules = _rules_of(settings)
    account = application.metering.account(Purpose.QUESTION, workspace_id=call.workspace_id)
    embedders = application.embedders.metered(account)
    answer = search(
        database=application.database,
        principal=call.principal,
        workspace_id=call.workspace_id,
        question=question,
        embedders=embedders,
        rules=rules,
        models=_models_of(application),
    )
    record_search(
        application.database,
        answer,
        principal=call.principal,
        workspace_id=call.workspace_id,
        embedders=embedders,
        rules=rules,
        secret=application.pepper,
    )
    return Answer(body=search_resource(answer), measured=measured_of_search(answer))


def _models_of(application: Application) -> SearchModels:
    return SearchModels(
        language_model=application.language_model, reranker=application.reranker, metering=application.metering
    )


def _rules_of(settings: Settings) -> SearchRules:
    return SearchRules(
        query_characters=settings.query_characters,
        lane_seconds=settings.lane_seconds,
        expansion=ExpansionRules(seconds=settings.expansion_seconds, query_characters=settings.query_characters),
        rerank=RerankRules(
            passages=settings.rerank_passages, seconds=settings.rerank_seconds, least=settings.rerank_least
        ),
    )
