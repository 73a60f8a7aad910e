"""Figures of rankings."""

import math

import pytest

from chalicelib.evaluation.measures import Measure, measured, ndcg, recall, reciprocal_rank

# Computed by trec_eval (pytrec_eval-terrier 0.5.11 by ir_measures 0.4.3), to which each grade was given as 2^grade - 1.
_BY_TREC_EVAL = [
    (
        "d23 d6 d13 d8 d5 d24 d12 d25 d2 d4 d19 d14 d20 d17 d0 d27 d15 d3 d29 d21 d10 d16 d22 d1 d26",
        {"d19": 0, "d8": 0, "d23": 0, "d11": 1, "d25": 2, "d22": 0, "d27": 2, "d20": 4, "d16": 0, "d0": 4, "d7": 0},
        (0.034236533377865586, 0.125, 0.2, 0.8),
    ),
    (
        "d9 d11 d26 d29 d15 d22 d10 d5 d25 d21 d24 d1 d8 d0 d28 d13 d6 d16 d17 d14 d19 d23 d12 d3 d7",
        {"d28": 0, "d20": 1, "d6": 0, "d5": 1, "d22": 1, "d26": 4, "d12": 4, "d9": 0, "d0": 4, "d11": 1},
        (0.26299177078088415, 0.5, 0.5714285714285714, 0.8571428571428571),
    ),
    ("d19 d11 d4 d10 d8", {"d22": 0, "d5": 0, "x1": 3, "x2": 1}, (0.0, 0.0, 0.0, 0.0)),
    (
        "d27 d13 d9 d4",
        {"d23": 1, "d19": 0, "d26": 4, "d8": 0, "d14": 2, "d13": 0, "d4": 2, "d1": 1},
        (0.06725706633881623, 0.25, 0.2, 0.2),
    ),
]


@pytest.mark.parametrize(("ranked", "gains", "expected"), _BY_TREC_EVAL)
def test_figures_are_those_of_trec_eval(
    ranked: str, gains: dict[str, int], expected: tuple[float, float, float, float]
) -> None:
    assert measured(ranked.split(), gains) == pytest.approx(dict(zip(Measure, expected, strict=True)))


def test_gain_grows_exponentially_with_the_grade() -> None:
    found = ndcg(["fair", "best"], {"fair": 1, "best": 3}, k=10)
    assert found == pytest.approx((1 + 7 / math.log2(3)) / (7 + 1 / math.log2(3)))


def test_best_ranking_has_all_and_an_empty_one_nothing() -> None:
    gains = {"a": 2, "b": 1, "c": 0}
    assert measured(["a", "b", "c"], gains) == dict.fromkeys(Measure, 1.0)
    assert measured([], gains) == dict.fromkeys(Measure, 0.0)


def test_places_beyond_the_cutoff_count_for_nothing() -> None:
    ranked = [*(f"wrong{number}" for number in range(10)), "right"]
    assert (reciprocal_rank(ranked, {"right": 1}, k=10), reciprocal_rank(ranked, {"right": 1}, k=11)) == (0.0, 1 / 11)
    assert (recall(ranked, {"right": 1}, k=10), recall(ranked, {"right": 1}, k=100)) == (0.0, 1.0)
    assert ndcg(ranked, {"right": 1}, k=10) == 0.0


def test_ignored_leave_their_place_to_the_next() -> None:
    found = measured(["source", "right"], {"right": 1}, ignored=frozenset({"source"}))
    assert found == dict.fromkeys(Measure, 1.0)


def test_what_is_ranked_twice_counts_once() -> None:
    assert measured(["right", "right", "wrong"], {"right": 1, "other": 1})[Measure.RECALL_10] == 0.5
    assert measured(["right", "right"], {"right": 1})[Measure.NDCG_10] == 1.0


def test_measures_that_look_further_than_was_asked_for_are_left_out() -> None:
    assert set(measured(["a"], {"a": 1}, depth=10)) == {Measure.NDCG_10, Measure.MRR_10, Measure.RECALL_10}
    assert measured(["a"], {"a": 1}, depth=5) == {}
