"""Puts the best candidates in the order in which a judge that reads them finds them relevant."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from chalicelib.platform.errors import RerankerUnavailable
from chalicelib.platform.ports import Ranking, Reranker
from chalicelib.search.in_time import in_time
from chalicelib.search.model import LaneReport

MOST_PASSAGES = 100
"""What a reranker takes at once."""

_ARROW = " > "
_PASSAGE_CHARACTERS = 8000
"""More than a chunk has; a long word without blanks or a giant title can make one longer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RerankRules:
    """How many candidates are judged, how long it may take, and the relevance (0 to 1) below which one is dropped."""

    passages: int = 30
    seconds: float = 2.0
    least: float = 0.01


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """What a judge made of candidates: relevances (0 to 1) by their places, none where the report is not `ok`.

    `is_weak`: all of them are irrelevant.
    """

    relevances: Sequence[float]
    report: LaneReport
    least: float
    tokens: int = 0

    @property
    def is_weak(self) -> bool:
        """Whether candidates were judged and none found relevant; then all stay, in the order of fusion."""
        return bool(self.relevances) and max(self.relevances) < self.least

    def is_kept(self, place: int) -> bool:
        """Whether a candidate stays: it is relevant, or was not judged, or nothing is relevant."""
        return self.is_weak or self.relevance_of(place) is None or self.relevances[place] >= self.least

    def relevance_of(self, place: int) -> float | None:
        """Return what the candidate at a place is worth, None where it was not judged."""
        return self.relevances[place] if place < len(self.relevances) else None


def judge(question: str, passages: Sequence[str], *, reranker: Reranker, rules: RerankRules) -> Judged:
    """Ask for the relevance of each of at most 100 passages; where it is late or cannot be had, the report says so."""
    cut = [passage[:_PASSAGE_CHARACTERS] for passage in passages]
    ranking, report = in_time(
        lambda: _ranked(reranker, question, cut, seconds=rules.seconds), seconds=rules.seconds, name="The reranker"
    )
    if ranking is None:
        return Judged(relevances=(), report=report, least=rules.least)
    return Judged(relevances=ranking.scores, report=report, least=rules.least, tokens=ranking.tokens)


def passage_text(*, title: str, heading_path: Sequence[str], text: str) -> str:
    """Return what a judge reads of a chunk: where it stands, and its text."""
    names = [" ".join(name.split()) for name in (title, *heading_path)]
    return f"{_ARROW.join(dict.fromkeys(name for name in names if name))}\n\n{text}"


def _ranked(reranker: Reranker, question: str, passages: Sequence[str], *, seconds: float) -> Ranking:
    if not passages:
        return Ranking([], 0)
    ranking = reranker.rank(question, passages, seconds=seconds)
    if len(ranking.scores) != len(passages) or not all(math.isfinite(score) for score in ranking.scores):
        raise RerankerUnavailable("The reranker did not give a number for each passage.")
    return Ranking([min(max(score, 0.0), 1.0) for score in ranking.scores], ranking.tokens)
