"""The answer to a question as the API shows it."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from pydantic import Field

from chalicelib.http.routing import Resource
from chalicelib.items.model import ItemClass, ItemKind
from chalicelib.knowledge_bases.model import Mode
from chalicelib.search.model import Explanation, Hit, LaneReport, LaneState, Level, Missing, MissingReason, SearchAnswer


class PlacingResource(Resource):
    """Where a lane put a hit, from 1 on, and by which score of its own: BM25, or the cosine similarity."""

    rank: int
    score: float


class CopyResource(Resource):
    """A passage that says nearly word for word what the hit says, and was collapsed into it."""

    item_id: UUID
    chunk_id: UUID
    path: str
    title: str


class PassageResource(Resource):
    """The hit's chunk with its neighbours, word for word; `span` are character offsets in the body of the revision."""

    text: str
    span: tuple[int, int]
    hit: tuple[int, int] = Field(description="Which characters of `text` are the hit itself.")


class ExplanationResource(Resource):
    """What the score is made of: the fused score by lane, what it was multiplied by, and the words that were found."""

    fused: float
    shares: Mapping[str, float] = Field(description="By lane; they add up to `fused`.")
    words: Mapping[str, float] = Field(description="The question's terms in the passage, and what each tells.")
    factors: Mapping[str, float] = Field(description="What `fused` was multiplied by: `recency`, `stale`.")
    relevance: float | None = Field(description="What the reranker gave, where one judged the hit.")
    exact: bool = Field(description="Whether the question is the name of the item, which comes first then.")
    lacks_vector: bool = Field(
        description="Whether the passage has no vector yet in the space that was searched; a share of what its words"
        " give stands for its meaning then."
    )


class HitResource(Resource):
    """A passage. `span` are character offsets in the body of `revision`, `highlights` offsets in the snippet."""

    item_id: UUID
    chunk_id: UUID
    revision: int
    path: str
    title: str
    heading_path: Sequence[str]
    opening: str = Field(description="What stands above the passage and is part of it: a table's header.")
    snippet: str
    highlights: Sequence[tuple[int, int]]
    score: float = Field(description="The lanes fused: 1 is the best of every lane, which that of a bad lot is too.")
    span: tuple[int, int]
    page: int | None
    kind: ItemKind
    item_class: ItemClass = Field(alias="class", serialization_alias="class")
    url: None = None
    lanes: Mapping[str, PlacingResource] = Field(description="By lane; one that did not find the hit is missing.")
    weak: bool = Field(description="Whether no lane is sure: no word of the question led here, and no near meaning.")
    updated_at: datetime
    stale: bool = Field(description="Whether the item was to be reviewed before today (`review_by` in its metadata).")
    copies: Sequence[CopyResource]
    passage: PassageResource | None = Field(description="The hit with its neighbours, where they were asked for.")
    explanation: ExplanationResource | None


class LaneResource(Resource):
    """How a lane or a stage fared: it answered, was dropped as late or out of reach, or was skipped."""

    state: LaneState
    reason: str | None
    ms: float


class StageResource(LaneResource):
    """How a stage fared, and of `expansion` what else was looked for."""

    wordings: Sequence[str] = Field(description="The other wordings that a language model gave the question.")


class MissingResource(Resource):
    """Where an item ended that is missed among the hits.

    `place` is that among all candidates; `shown_with` the path of the hit that shows it or stands for its copy. Of a
    lane that gives it a score without taking it for a candidate, the rank is 0.
    """

    item_id: UUID
    reason: MissingReason
    place: int | None
    filters: Sequence[str] = Field(description="Those of the question or its knowledge bases that it does not pass.")
    shown_with: str | None
    lanes: Mapping[str, PlacingResource]


class SearchResource(Resource):
    """Hits, the best first. A lane that was dropped is missing from the ranking."""

    query: str
    mode: Mode
    level: Level
    hits: Sequence[HitResource]
    lanes: Mapping[str, LaneResource]
    stages: Mapping[str, StageResource] = Field(description="`expansion` and `rerank`, where they were asked for.")
    missing: MissingResource | None = Field(description="Of the item of `why_not`, where one was named.")
    took_ms: float


def search_resource(answer: SearchAnswer) -> SearchResource:
    """Return an answer as the API shows it."""
    return SearchResource(
        query=answer.question.query,
        mode=answer.question.mode,
        level=answer.question.level,
        hits=[_hit_resource(hit) for hit in answer.hits],
        lanes={str(lane): _lane_resource(report) for lane, report in answer.lanes.items()},
        stages={str(stage): _stage_resource(report) for stage, report in answer.stages.items()},
        missing=None if answer.missing is None else _missing_resource(answer.missing),
        took_ms=round(answer.milliseconds, 1),
    )


def _missing_resource(missing: Missing) -> MissingResource:
    return MissingResource(
        item_id=missing.item_id,
        reason=missing.reason,
        place=missing.place,
        filters=missing.filters,
        shown_with=missing.shown_with,
        lanes={str(lane): PlacingResource.model_validate(placing) for lane, placing in missing.lanes.items()},
    )


def _lane_resource(report: LaneReport) -> LaneResource:
    return LaneResource(state=report.state, reason=report.reason, ms=round(report.milliseconds, 1))


def _stage_resource(report: LaneReport) -> StageResource:
    return StageResource(**_lane_resource(report).model_dump(), wordings=report.wordings)


def _hit_resource(hit: Hit) -> HitResource:
    fields: dict[str, Any] = {"class": hit.item_class}
    return HitResource(
        item_id=hit.item_id,
        chunk_id=hit.chunk_id,
        revision=hit.revision,
        path=hit.path,
        title=hit.title,
        heading_path=hit.heading_path,
        opening=hit.opening,
        snippet=hit.snippet.text,
        highlights=hit.snippet.highlights,
        score=hit.score,
        span=hit.span,
        page=hit.page,
        kind=hit.kind,
        lanes={str(lane): PlacingResource.model_validate(placing) for lane, placing in hit.lanes.items()},
        weak=hit.is_weak,
        updated_at=hit.updated_at,
        stale=hit.is_stale,
        copies=[CopyResource.model_validate(copy) for copy in hit.copies],
        passage=None if hit.widened is None else PassageResource.model_validate(hit.widened),
        explanation=None if hit.explanation is None else _explanation_resource(hit.explanation),
        **fields,
    )


def _explanation_resource(explanation: Explanation) -> ExplanationResource:
    return ExplanationResource(
        fused=round(explanation.fused, 6),
        shares={str(lane): round(share, 6) for lane, share in explanation.shares.items()},
        words={term: round(worth, 3) for term, worth in explanation.words.items()},
        factors=explanation.factors,
        relevance=explanation.relevance,
        exact=explanation.is_exact,
        lacks_vector=explanation.lacks_vector,
    )
