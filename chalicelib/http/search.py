"""Search: a question in, ranked passages that can be cited out."""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from pydantic import AwareDatetime, Field, JsonValue

from chalicelib.http.measured import measured_of_search
from chalicelib.http.routing import Answer, Body, Call, NoBody, NoQuery, Query, Resource, Routes
from chalicelib.identity.errors import WorkspaceNotFound
from chalicelib.identity.rights import ActionForbidden
from chalicelib.items.errors import InvalidPath
from chalicelib.items.model import ItemClass, ItemFilters, ItemKind, ItemScope, ItemStatus
from chalicelib.items.paths import checked_folder
from chalicelib.search.errors import QueryEmpty, QueryTooLong, SearchRefused
from chalicelib.search.model import Hit, LaneReport, LaneState, Level, Mode, Question, SearchAnswer
from chalicelib.search.search import MOST_HITS, SearchRules, SearchUnavailable, search

routes = Routes("search")

_SEARCH = "/v1/workspaces/{workspace_id}/search"
_PROBLEMS = (
    WorkspaceNotFound,
    ActionForbidden,
    QueryEmpty,
    QueryTooLong,
    SearchRefused,
    SearchUnavailable,
    InvalidPath,
)


class PlacingResource(Resource):
    """Where a lane put a hit, from 1 on, and by which score of its own: BM25, or the cosine similarity."""

    rank: int
    score: float


class HitResource(Resource):
    """A passage. `span` are character offsets in the body of `revision`, `highlights` offsets in the snippet."""

    item_id: UUID
    chunk_id: UUID
    revision: int
    path: str
    title: str
    heading_path: Sequence[str]
    snippet: str
    highlights: Sequence[tuple[int, int]]
    score: float = Field(description="The fused ranks: 1 is first in every lane, which the best of a bad lot is too.")
    span: tuple[int, int]
    page: int | None
    kind: ItemKind
    item_class: ItemClass = Field(alias="class", serialization_alias="class")
    url: None = None
    lanes: Mapping[str, PlacingResource] = Field(description="By lane; one that did not find the hit is missing.")
    weak: bool = Field(description="Whether no lane is sure: no word of the question led here, and no near meaning.")


class LaneResource(Resource):
    """How a lane fared: it answered, was dropped as late or out of reach, or was skipped."""

    state: LaneState
    reason: str | None
    ms: float


class SearchResource(Resource):
    """Hits, the best first. A lane that was dropped is missing from the ranking."""

    query: str
    mode: Mode
    level: Level
    hits: Sequence[HitResource]
    lanes: Mapping[str, LaneResource]
    took_ms: float


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
    """A question; any string that is not blank is one."""

    query: str
    limit: int = Field(10, ge=1, le=MOST_HITS)
    mode: Mode = Mode.HYBRID
    level: Level = Level.CHUNK
    filters: Filters = Field(default_factory=Filters)


class SearchQuery(Query):
    """The same as parameters, for links and shells."""

    q: str
    limit: int = Field(10, ge=1, le=MOST_HITS)
    mode: Mode = Mode.HYBRID
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
    question = Question(query=query.q, limit=query.limit, mode=query.mode, level=query.level, filters=filters)
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
    settings = call.application.settings
    answer = search(
        database=call.application.database,
        principal=call.principal,
        workspace_id=call.workspace_id,
        question=question,
        embedder=call.application.embedder,
        rules=SearchRules(query_characters=settings.query_characters, lane_seconds=settings.lane_seconds),
    )
    return Answer(body=_search_resource(answer), measured=measured_of_search(answer))


def _search_resource(answer: SearchAnswer) -> SearchResource:
    return SearchResource(
        query=answer.question.query,
        mode=answer.question.mode,
        level=answer.question.level,
        hits=[_hit_resource(hit) for hit in answer.hits],
        lanes={str(lane): _lane_resource(report) for lane, report in answer.lanes.items()},
        took_ms=round(answer.milliseconds, 1),
    )


def _lane_resource(report: LaneReport) -> LaneResource:
    return LaneResource(state=report.state, reason=report.reason, ms=round(report.milliseconds, 1))


def _hit_resource(hit: Hit) -> HitResource:
    fields: dict[str, Any] = {"class": hit.item_class}
    return HitResource(
        item_id=hit.item_id,
        chunk_id=hit.chunk_id,
        revision=hit.revision,
        path=hit.path,
        title=hit.title,
        heading_path=hit.heading_path,
        snippet=hit.snippet.text,
        highlights=hit.snippet.highlights,
        score=hit.score,
        span=hit.span,
        page=hit.page,
        kind=hit.kind,
        lanes={str(lane): PlacingResource.model_validate(placing) for lane, placing in hit.lanes.items()},
        weak=hit.is_weak,
        **fields,
    )
