"""Asks the same questions in two embedding spaces of an organization, side by side, before or after a swap."""

import time
from collections.abc import Sequence
from dataclasses import dataclass

from chalicelib.access.readers import audiences_of
from chalicelib.database.database import Database
from chalicelib.database.errors import DatabaseBusy
from chalicelib.embedding_spaces.embedders import Embedders
from chalicelib.embedding_spaces.errors import EmbeddingChangeNotFound
from chalicelib.embedding_spaces.start_change import require_offered
from chalicelib.embedding_spaces.store import find_choice
from chalicelib.identity.model import OrganizationId, Principal, WorkspaceId
from chalicelib.identity.rights import Action, authorize, authorize_organization
from chalicelib.items.model import ItemFilters, ItemId
from chalicelib.platform.ports import Embedder
from chalicelib.search.compare_store import sample_titles
from chalicelib.search.model import Level
from chalicelib.search.semantic import find_by_meaning, question_vector
from chalicelib.search.store import Reach, find_contents

DEPTH = 10
MOST_QUESTIONS = 200
SAMPLE = 100
"""Titles that are asked where no questions are given."""

SECONDS = 20.0
"""No question is asked for longer: whoever waits at an API gateway waits 29 s and no longer."""


@dataclass(frozen=True, slots=True)
class KnownQuestion:
    """A question, and the item that answers it where that is known."""

    query: str
    item_id: ItemId | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SpaceScore:
    """How a space fared: MRR@10 over the questions whose item is known (None without any), and milliseconds."""

    space: str
    mrr: float | None
    known_found: int
    median_ms: float
    p95_ms: float


@dataclass(frozen=True, slots=True)
class Difference:
    """A question whose first ten differ most: their overlap, and where each space has the known item, from 1."""

    query: str
    overlap: float
    active_rank: int | None
    other_rank: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Both spaces beside each other.

    `overlap` is the mean share of the ten nearest items that both have; `moved` by how many places an item that both
    have is elsewhere, on average; `other_firsts` how many questions have another first hit. `is_cut` says that time
    was up before all questions were asked.
    """

    active: SpaceScore
    other: SpaceScore
    questions: int
    known: int
    overlap: float
    moved: float
    other_firsts: int
    is_sample: bool
    is_cut: bool
    differences: Sequence[Difference]


@dataclass(frozen=True, slots=True)
class _Asked:
    """What both spaces gave for one question."""

    question: KnownQuestion
    found: tuple[Sequence[ItemId], Sequence[ItemId]]
    milliseconds: tuple[float, float]

    def rank(self, side: int) -> int | None:
        """Return at which place a side has the known item."""
        item_id = self.question.item_id
        return self.found[side].index(item_id) + 1 if item_id in self.found[side] else None

    @property
    def overlap(self) -> float:
        """The share of items that both have; 1 where neither has any."""
        first, second = map(frozenset, self.found)
        return len(first & second) / max(len(first), len(second)) if first or second else 1.0

    @property
    def moves(self) -> Sequence[int]:
        """By how many places each item is elsewhere that both have."""
        first, second = self.found
        return [abs(place - second.index(item_id)) for place, item_id in enumerate(first) if item_id in second]


def compare_spaces(
    *,
    database: Database,
    principal: Principal,
    organization_id: OrganizationId,
    workspace_id: WorkspaceId,
    questions: Sequence[KnownQuestion],
    embedders: Embedders,
    seconds: float = SECONDS,
) -> Comparison:
    """Compare the active space with the one that is filled, or else with the former one, by their nearest items.

    Within what the admin who asks may read. Without questions the titles of items are asked, each of which has its
    own item for an answer. Raises EmbeddingChangeNotFound where there is no other space, EmbeddingSpaceUnknown,
    EmbedderUnavailable.
    """
    authorize_organization(principal, organization_id, Action.ADMINISTER)
    authorize(principal, workspace_id, Action.READ)
    with database.transaction() as tx:
        choice = find_choice(tx, organization_id)
        reach = Reach(workspace_id, audiences_of(tx, principal, workspace_id), ItemFilters())
        titles = [] if questions else sample_titles(tx, reach, limit=SAMPLE)
    other = choice.filling or choice.former
    if choice.active is None or other is None:
        raise EmbeddingChangeNotFound("There is no other space to compare with; begin a change first.")
    spaces = (choice.active, other)
    for space in spaces:
        require_offered(space, embedders)
    sides = [embedders.by_space[space] for space in spaces]
    given = list(questions) or [KnownQuestion(title, item_id) for item_id, title in titles]
    until = time.monotonic() + seconds
    asked = []
    for question in given[:MOST_QUESTIONS]:
        left = until - time.monotonic()
        if left <= 0:
            break
        try:
            asked.append(_ask(database, reach, question, sides, seconds=left))
        except DatabaseBusy:
            if time.monotonic() < until:
                raise
            break
    return _compared(asked, spaces, is_sample=not questions, is_cut=len(asked) < len(given))


def _ask(
    database: Database, reach: Reach, question: KnownQuestion, sides: Sequence[Embedder], *, seconds: float
) -> _Asked:
    found: list[Sequence[ItemId]] = []
    milliseconds: list[float] = []
    for embedder in sides:
        started = time.monotonic()
        vector = question_vector(embedder, question.query)
        candidates = []
        if vector is not None:
            with database.transaction(statement_seconds=seconds) as tx:
                contents = find_contents(tx, reach.workspace_id, space=embedder.space)
                candidates = list(
                    find_by_meaning(tx, reach, contents=contents, vector=vector, level=Level.ITEM, limit=DEPTH)
                )
        found.append([candidate.item_id for candidate in candidates])
        milliseconds.append((time.monotonic() - started) * 1000)
    return _Asked(question, (found[0], found[1]), (milliseconds[0], milliseconds[1]))


def _compared(asked: Sequence[_Asked], spaces: tuple[str, str], *, is_sample: bool, is_cut: bool) -> Comparison:
    moves = [places for each in asked for places in each.moves]
    most_different = sorted(asked, key=lambda each: each.overlap)[:DEPTH]
    active, other = (_score(asked, space, side) for side, space in enumerate(spaces))
    return Comparison(
        active=active,
        other=other,
        questions=len(asked),
        known=sum(each.question.item_id is not None for each in asked),
        overlap=_mean([each.overlap for each in asked]) if asked else 1.0,
        moved=_mean(moves) if moves else 0.0,
        other_firsts=sum(each.found[0][:1] != each.found[1][:1] for each in asked),
        is_sample=is_sample,
        is_cut=is_cut,
        differences=[
            Difference(each.question.query, each.overlap, each.rank(0), each.rank(1)) for each in most_different
        ],
    )


def _score(asked: Sequence[_Asked], space: str, side: int) -> SpaceScore:
    ranks = [each.rank(side) for each in asked if each.question.item_id is not None]
    milliseconds = [each.milliseconds[side] for each in asked]
    return SpaceScore(
        space=space,
        mrr=_mean([1 / rank if rank else 0.0 for rank in ranks]) if ranks else None,
        known_found=sum(rank is not None for rank in ranks),
        median_ms=_quantile(milliseconds, 0.5),
        p95_ms=_quantile(milliseconds, 0.95),
    )


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def _quantile(values: Sequence[float], share: float) -> float:
    """Return the value below which this share lies, by the nearest rank; 0 of nothing."""
    return sorted(values)[min(int(share * len(values)), len(values) - 1)] if values else 0.0
