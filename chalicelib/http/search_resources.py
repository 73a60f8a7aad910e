"""The answer to a question as the API shows it."""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from pydantic import Field

from chalicelib.http.routing import Resource
from chalicelib.items.model import ItemClass, ItemKind
from chalicelib.knowledge_bases.model import Mode
from chalicelib.search.model import Hit, LaneReport, LaneState, Level, SearchAnswer


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


def search_resource(answer: SearchAnswer) -> SearchResource:
    """Return an answer as the API shows it."""
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
