"""How embedding spaces look from outside."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

from pydantic import Field

from chalicelib.embedding_spaces.embedders import Embedders
from chalicelib.embedding_spaces.model import ChangeState, Estimate, Progress
from chalicelib.embedding_spaces.read_choice import ShownChoice
from chalicelib.http.routing import Body, Resource
from chalicelib.search.compare_spaces import MOST_QUESTIONS


class OfferedSpaceResource(Resource):
    """A space whose embedder this deployment has. `languages` null means all."""

    space: str
    dimensions: int
    languages: Sequence[str] | None
    is_default: bool


class FillingResource(Resource):
    """How far the chunks of all workspaces have their vectors in the space that is being filled.

    `failures` counts chunks by the reason for which they have no vector: words find them all the same. `problems` are
    what the work waits for, or was stopped by, a workspace each.
    """

    state: ChangeState
    since: datetime | None
    chunks_total: int
    chunks_done: int
    chunks_reused: int
    chunks_failed: int
    tokens: int
    chunks_per_second: float | None
    remaining_seconds: float | None
    failures: Mapping[str, int]
    problems: Sequence[Mapping[str, Any]]


class EmbeddingResource(Resource):
    """Which spaces an organization has: the one it searches in, one that is being filled, one it can go back to.

    `better` is the deployment's default where it is another one. `progress` is for admins, who see all workspaces.
    """

    active: str | None
    is_active_offered: bool
    filling: str | None
    former: str | None
    better: str | None
    offered: Sequence[OfferedSpaceResource]
    progress: FillingResource | None


class EstimateResource(Resource):
    """What a change would take. Null is unknown: seconds before a first fill, money without a price.

    `spent_budgets` is how many of this month's budgets it would end.
    """

    space: str
    chunks: int
    tokens: int
    seconds: float | None
    money: Decimal | None
    currency: str
    spent_budgets: int


class EmbeddingChangeBody(Body):
    """Where to change to."""

    space: str = Field(max_length=200)


class KnownQuestionBody(Body):
    """A question, and the item that answers it where that is known."""

    query: str = Field(min_length=1, max_length=2000)
    item_id: UUID | None = None


class ComparisonBody(Body):
    """Where to ask, and what; without questions the titles of 100 items are asked, each with its item for an answer."""

    workspace_id: UUID
    questions: Sequence[KnownQuestionBody] = Field((), max_length=MOST_QUESTIONS)


class SpaceScoreResource(Resource):
    """How a space fared: MRR@10 over the questions whose item is known, null without any, and milliseconds."""

    space: str
    mrr: float | None
    known_found: int
    median_ms: float
    p95_ms: float


class DifferenceResource(Resource):
    """A question on which the spaces differ most, and at which place each has the known item."""

    query: str
    overlap: float
    active_rank: int | None
    other_rank: int | None


class ComparisonResource(Resource):
    """The active space beside the one that is filled, or else the former one, by the ten nearest items.

    `overlap` is the mean share of items that both have, `moved` by how many places those lie apart, `other_firsts` how
    many questions have another first hit. `is_sample`: titles were asked; `is_cut`: time was up before the end.
    """

    active: SpaceScoreResource
    other: SpaceScoreResource
    questions: int
    known: int
    overlap: float
    moved: float
    other_firsts: int
    is_sample: bool
    is_cut: bool
    differences: Sequence[DifferenceResource]


def embedding_resource(shown: ShownChoice, embedders: Embedders) -> EmbeddingResource:
    """Return what is shown."""
    choice = shown.choice
    return EmbeddingResource(
        active=choice.active,
        is_active_offered=embedders.active(choice) is not None,
        filling=choice.filling,
        former=choice.former,
        better=shown.better,
        offered=[
            OfferedSpaceResource(
                space=embedder.space,
                dimensions=embedder.dimensions,
                languages=None if embedder.languages is None else sorted(embedder.languages),
                is_default=embedder is embedders.default,
            )
            for embedder in embedders
        ],
        progress=None if shown.progress is None else _filling_resource(shown.progress),
    )


def estimate_resource(estimate: Estimate) -> EstimateResource:
    """Return what is shown."""
    return EstimateResource(
        space=estimate.space,
        chunks=estimate.chunks,
        tokens=estimate.run.counts.input_tokens,
        seconds=estimate.seconds,
        money=estimate.run.money,
        currency=estimate.run.currency,
        spent_budgets=len(estimate.run.exceeds),
    )


def _filling_resource(progress: Progress) -> FillingResource:
    return FillingResource(
        state=progress.state,
        since=progress.since,
        chunks_total=progress.chunks_total,
        chunks_done=progress.chunks_done,
        chunks_reused=progress.chunks_reused,
        chunks_failed=progress.chunks_failed,
        tokens=progress.tokens,
        chunks_per_second=progress.rate,
        remaining_seconds=progress.remaining_seconds,
        failures=progress.failures,
        problems=progress.problems,
    )
