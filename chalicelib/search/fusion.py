"""Fuses the lanes' rankings into one: Reciprocal Rank Fusion with weights.

Cormack, Clarke and Büttcher, "Reciprocal Rank Fusion outperforms Condorcet and individual Rank Learning Methods"
(SIGIR 2009), with their k of 60. Scores are divided by the most that could be had, so that 1 means first in every lane.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from chalicelib.index.model import ChunkId
from chalicelib.search.model import Candidate, Lane, Level, Placing

_K = 60

FOREIGN_WEIGHT = 0.05
"""What the semantic lane's word counts for text in a language that its model never learned: enough to find what no
word finds, and to break ties. On German questions (nDCG@10 of the lanes alone .52 and .30) the weights
1, .2, .05 gave .434, .493, .511; docs/search.md has the whole curve."""


@dataclass(frozen=True, slots=True)
class Fused:
    """A chunk with its score between 0 and 1 and where each lane put it (or, at item level, its item)."""

    chunk_id: ChunkId
    score: float
    placings: Mapping[Lane, Placing]


def fuse(
    found: Mapping[Lane, Sequence[Candidate]],
    *,
    level: Level,
    understood: frozenset[str] | None,
    limit: int,
) -> list[Fused]:
    """Return the best `limit` chunks (or items by their best chunk), in an order that only their content decides.

    `found` holds the lanes that answered, each with one candidate a chunk (or an item). `understood` are the
    languages that the semantic lane's model learned, None for all.
    """
    tallies: dict[object, _Tally] = {}
    for lane in sorted(found):
        for rank, candidate in enumerate(found[lane], start=1):
            key = candidate.item_id if level is Level.ITEM else candidate.chunk_id
            weight = FOREIGN_WEIGHT if _is_foreign(lane, candidate, understood) else 1.0
            tally = tallies.setdefault(key, _Tally(candidate, rank))
            tally.add(lane, candidate, rank=rank, share=weight / (_K + rank))
    most = len(found) / (_K + 1)
    ordered = sorted(tallies.values(), key=_Tally.order)[:limit]
    return [Fused(tally.best.chunk_id, tally.sum / most, tally.placings) for tally in ordered]


class _Tally:
    def __init__(self, first: Candidate, rank: int) -> None:
        self.best = first
        self.sum = 0.0
        self.placings: dict[Lane, Placing] = {}
        self._share = 0.0
        self._rank = rank

    def add(self, lane: Lane, candidate: Candidate, *, rank: int, share: float) -> None:
        """Count a lane's word; the chunk that is shown is the one of the weightier word."""
        self.sum += share
        self.placings[lane] = Placing(rank, candidate.score)
        if share > self._share:
            self._share, self.best = share, candidate

    def order(self) -> tuple[float, str, int]:
        """Sort by score; ties by item and place in it."""
        return (-self.sum, str(self.best.item_id), self.best.ordinal)


def _is_foreign(lane: Lane, candidate: Candidate, understood: frozenset[str] | None) -> bool:
    return lane is Lane.SEMANTIC and understood is not None and candidate.language not in understood | {"und"}
