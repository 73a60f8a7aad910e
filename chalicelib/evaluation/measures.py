"""How good a ranking is by the answers that are known: nDCG, reciprocal rank and recall.

Gains are grades from 0 (wrong) on. nDCG takes 2^grade - 1 (Burges et al., "Learning to Rank using Gradient Descent",
ICML 2005) and discounts by log2(rank + 1) (Järvelin and Kekäläinen, ACM TOIS 20:4, 2002); with grades of 0 and 1 this
is what trec_eval computes, which takes the grade itself. What was not judged counts as wrong.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum


class Measure(StrEnum):
    """One figure of quality, between 0 and 1, by how many places it looks at."""

    NDCG_10 = "ndcg@10"
    MRR_10 = "mrr@10"
    RECALL_10 = "recall@10"
    RECALL_100 = "recall@100"

    @property
    def depth(self) -> int:
        """How many places of a ranking it looks at."""
        return int(self.rpartition("@")[2])


def measured(
    ranked: Iterable[str], gains: Mapping[str, int], *, ignored: frozenset[str] = frozenset(), depth: int = 100
) -> dict[Measure, float]:
    """Return the figures of one ranking, the best first, that was asked for `depth` places.

    Of what is ranked twice the first place counts; the `ignored` are taken out before places are counted. A measure
    that looks further than `depth` is left out. `gains` must hold a grade above 0.
    """
    distinct = [one for one in dict.fromkeys(ranked) if one not in ignored]
    figures = {
        Measure.NDCG_10: ndcg(distinct, gains, k=10),
        Measure.MRR_10: reciprocal_rank(distinct, gains, k=10),
        Measure.RECALL_10: recall(distinct, gains, k=10),
        Measure.RECALL_100: recall(distinct, gains, k=100),
    }
    return {measure: figure for measure, figure in figures.items() if measure.depth <= depth}


def ndcg(ranked: Sequence[str], gains: Mapping[str, int], *, k: int = 10) -> float:
    """Return the discounted gain of the first `k` places in shares of the best that the judgements allow."""
    best = _discounted(sorted(gains.values(), reverse=True)[:k])
    return _discounted([gains.get(one, 0) for one in ranked[:k]]) / best if best else 0.0


def reciprocal_rank(ranked: Sequence[str], gains: Mapping[str, int], *, k: int) -> float:
    """Return 1 / the first place of the first `k` that holds a right answer; 0 where none does."""
    return next((1 / rank for rank, one in enumerate(ranked[:k], start=1) if gains.get(one, 0) > 0), 0.0)


def recall(ranked: Sequence[str], gains: Mapping[str, int], *, k: int) -> float:
    """Return which share of all right answers is in the first `k` places."""
    right = {one for one, grade in gains.items() if grade > 0}
    return len(right.intersection(ranked[:k])) / len(right) if right else 0.0


def _discounted(grades: Iterable[int]) -> float:
    return sum((2.0 ** max(grade, 0) - 1) / math.log2(rank + 1) for rank, grade in enumerate(grades, start=1))
