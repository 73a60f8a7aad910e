"""Fuses the lanes' rankings into one, by a weighted sum of their scores on a common scale.

Each lane's scores are stretched so that its best candidate has 1 and what is no candidate 0, which keeps by how much
one is better than the next, as ranks do not: the convex combination of Bruch, Gai and Ingber, "An Analysis of Fusion
Functions for Hybrid Retrieval" (ACM TOIS 2023). docs/search.md has what it was measured against.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from chalicelib.index.analysis import UNKNOWN
from chalicelib.index.model import ChunkId
from chalicelib.items.model import ItemId
from chalicelib.search.model import Candidate, Lane, Level, Placing

WEIGHTS: Mapping[Lane, float] = {Lane.LEXICAL: 0.5, Lane.SEMANTIC: 0.5}
"""What each lane's word counts; on the development collections .45 to .55 made no difference."""

_POWER = 2
"""Lets what is far ahead in one lane count for more than what is middling in both: nDCG@10 rose by .002 to .02."""

_FLOOR_PLACE = 100
"""The candidate of this place is as good as none, however many were asked for, so that a limit decides no order."""

LEAST_SPREADS_BY_SPACE: Mapping[str, float] = {
    "e5-minilm/768": 0.15,
    "multilingual-e5-small-q4/384": 0.05,
    "multilingual-e5-small/384": 0.05,
}
"""How far the best candidate's cosine similarity must lie above that of the floor's place for the semantic lane to have
its full weight; where they lie closer, all are nearly as near, and the words know better. By spaces where it was
measured; docs/search.md has the curve."""

FOREIGN_WEIGHT = 0.05
"""What share of its weight the semantic lane has for text in a language that its model never learned: enough to find
what no word finds, and to break ties."""

WORDS_FOR_MEANING = 0.75
"""What a chunk without a vector has in the semantic lane's place, as a share of its height in the lexical one. Nothing
would put it behind worse matches for as long as it waits, and all of it before those whose meaning is known and
ordinary; docs/search.md has the curve."""


@dataclass(frozen=True, slots=True)
class Ranked:
    """What a lane found for one wording of the question, the best first.

    `depth` is how many candidates it was asked for: one that gave fewer gave all that there are. `weight` is what the
    wording counts beside the question's own, which counts 1.
    """

    lane: Lane
    candidates: Sequence[Candidate]
    depth: int
    weight: float = 1.0


class Fused(NamedTuple):
    """A chunk with its score between 0 and 1 and where each lane put it (or, at item level, its item).

    `shares` say how much of the score is each lane's. Where the chunk `lacks_vector`, its words speak for the semantic
    lane too.
    """

    chunk_id: ChunkId
    item_id: ItemId
    score: float
    placings: Mapping[Lane, Placing]
    shares: Mapping[Lane, float]
    lacks_vector: bool = False


def fuse(
    rankings: Sequence[Ranked], *, level: Level, understood: frozenset[str] | None, space: str | None = None
) -> list[Fused]:
    """Return the chunks (or items by their best chunk), the best first, in an order that only their content decides.

    `space` is the semantic lane's, and `understood` are the languages that its model learned, None for all. A lane that
    did not answer is missing from `rankings`, and the others have its weight. Of a chunk without a vector the semantic
    lane cannot know; its words stand for it to a part, measured by the best that the lane gives.
    """
    spreads = {Lane.SEMANTIC: LEAST_SPREADS_BY_SPACE.get(space or "", 0.0)}
    known = None if understood is None else understood | {UNKNOWN}
    tallies: dict[int, _Tally] = {}
    bests = dict.fromkeys(Lane, 0.0)
    most = 0.0
    for ranked in sorted(rankings, key=lambda ranked: (ranked.lane, -ranked.weight)):
        lane, weight = ranked.lane, WEIGHTS[ranked.lane] * ranked.weight
        most += weight
        heights = _heights(ranked, least_spread=spreads.get(lane, 0.0))
        bests[lane] += weight * max(heights, default=0.0)
        for rank, (candidate, height) in enumerate(zip(ranked.candidates, heights, strict=True), start=1):
            key = (candidate.item_id if level is Level.ITEM else candidate.chunk_id).int
            tally = tallies.get(key)
            if tally is None:
                tally = tallies[key] = _Tally(candidate)
            by_meaning = weight * height
            if known is not None and candidate.language not in known:
                by_meaning *= FOREIGN_WEIGHT
            if lane is Lane.SEMANTIC:
                tally.add(lane, candidate, rank=rank, share=by_meaning)
            else:
                tally.add(lane, candidate, rank=rank, share=weight * height, stands=by_meaning)
    if bests[Lane.LEXICAL]:
        worth = WORDS_FOR_MEANING * bests[Lane.SEMANTIC] / bests[Lane.LEXICAL]
        for tally in tallies.values():
            tally.let_words_stand(worth)
    ordered = sorted(tallies.values(), key=_Tally.order)
    return [tally.fused(most) for tally in ordered]


class _Tally:
    __slots__ = ("_placings", "_rank", "_share", "_shares", "_unheard", "best", "sum")

    def __init__(self, first: Candidate) -> None:
        self.best = first
        self.sum = 0.0
        self._placings: dict[Lane, Placing] = {}
        self._shares: dict[Lane, float] = {}
        self._share = -1.0
        self._rank = math.inf
        self._unheard = 0.0

    def add(self, lane: Lane, candidate: Candidate, *, rank: int, share: float, stands: float = 0.0) -> None:
        """Count a lane's word; the chunk that is shown is the one of the weightiest word.

        `stands` is what the word would count in the semantic lane, where the chunk cannot have one of that.
        """
        if candidate.lacks_vector:
            self._unheard += stands
        self.sum += share
        self._rank = min(self._rank, rank)
        if lane not in self._placings:
            self._placings[lane] = Placing(rank, candidate.score)
            self._shares[lane] = share
        else:
            self._shares[lane] += share
        if share > self._share:
            self._share, self.best = share, candidate

    def let_words_stand(self, worth: float) -> None:
        """Let what the words give where there is no vector count for the meaning, unless other chunks' gives more."""
        if not self._unheard:
            return
        share, said = worth * self._unheard, self._shares.get(Lane.SEMANTIC, 0.0)
        if share > said:
            self.sum += share - said
            self._shares[Lane.SEMANTIC] = share

    def order(self) -> tuple[float, float, int, int]:
        """Sort by score; what lies at the floor by its best place in a lane; ties by item and place in it."""
        return (-self.sum, 0.0 if self.sum else self._rank, self.best.item_id.int, self.best.ordinal)

    def fused(self, most: float) -> Fused:
        shares = {lane: share / most for lane, share in self._shares.items()}
        return Fused(
            self.best.chunk_id, self.best.item_id, self.sum / most, self._placings, shares, self.best.lacks_vector
        )


def _heights(ranked: Ranked, *, least_spread: float) -> list[float]:
    """Return how high each candidate stands above what is no candidate, the best one at 1, or lower by the spread.

    Where a lexical lane gave all that has a word of the question, the others' score is known: 0.
    """
    if not ranked.candidates:
        return []
    scores = [candidate.score for candidate in ranked.candidates]
    is_all = ranked.lane is Lane.LEXICAL and len(scores) < min(ranked.depth, _FLOOR_PLACE)
    floor = min(0.0, scores[-1]) if is_all else scores[:_FLOOR_PLACE][-1]
    if scores[0] <= floor:
        return [1.0] * len(scores)
    spread = max(scores[0] - floor, least_spread)
    return [(max(score - floor, 0.0) / spread) ** _POWER for score in scores]
