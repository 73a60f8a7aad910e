"""What a comparison comes to."""

import json

import pytest

from chalicelib.evaluation.collection import Flaws, Questions
from chalicelib.evaluation.measures import Measure
from chalicelib.evaluation.report import Report, Run, evaluate, percentile

_QUESTIONS = Questions(
    {"q1": "one", "q2": "two", "q3": "three"},
    {"q1": {"a": 1}, "q2": {"b": 2, "c": 1}, "q3": {"d": 1}},
    {"q1": frozenset({"source"})},
    Flaws(),
)
_FIRST = {"q1": ["source", "a"], "q2": ["b", "c"], "q3": []}
_SECOND = {"q1": ["x", "a"], "q2": ["b", "c"], "q3": ["d"]}


def report(*, depth: int = 100) -> Report:
    return evaluate(
        _QUESTIONS,
        [
            Run(name="first", depth=100, rankings=_FIRST, milliseconds=[1.0, 2.0, 30.0], inner=[0.5, 1.0, 9.0]),
            Run(name="second", depth=depth, rankings=_SECOND, milliseconds=[2.0, 2.0, 2.0], parameters={"mode": "x"}),
        ],
    )


def test_figures_are_means_over_all_questions() -> None:
    first, second = report().evaluated
    assert first.means[Measure.MRR_10] == pytest.approx(2 / 3)
    assert second.means[Measure.MRR_10] == pytest.approx(2.5 / 3)
    assert second.means[Measure.RECALL_100] == 1.0


def test_others_are_compared_with_the_first() -> None:
    (name, by_measure), *others = report().differences().items()
    assert (name, others) == ("second", [])
    difference = by_measure[Measure.MRR_10]
    assert (difference.better, difference.worse, difference.equal) == (1, 1, 1)
    assert difference.mean == pytest.approx(0.5 / 3)


def test_shallow_configuration_is_not_compared_by_what_looks_deeper() -> None:
    shallow = report(depth=10)
    assert Measure.RECALL_100 not in shallow.evaluated[1].means
    assert set(shallow.differences()["second"]) == {Measure.NDCG_10, Measure.MRR_10, Measure.RECALL_10}


def test_questions_lost_are_shown_with_what_was_right() -> None:
    found = report()
    (loss,) = found.losses(found.evaluated[1], most=5)
    assert (loss.query_id, loss.text, loss.reference, loss.ranked, loss.right) == ("q1", "one", 1.0, ["x", "a"], ["a"])
    assert found.losses(found.evaluated[0], most=5) == []


def test_document_is_json_with_all_that_a_script_needs() -> None:
    document = json.loads(json.dumps(report().document(details=3)))
    assert (document["questions"], document["judgements"], document["reference"]) == (3, 4, "first")
    first, second = document["configurations"]
    assert (first["latency_ms"], first["server_ms"]) == ({"p50": 2.0, "p95": 30.0}, {"p50": 1.0, "p95": 9.0})
    assert (second["parameters"], second["server_ms"], len(second["losses"])) == ({"mode": "x"}, {}, 1)
    assert set(document["differences"]["second"]) == set(Measure)


def test_percentiles_are_measured_values() -> None:
    values = [5.0, 1.0, 4.0, 2.0, 3.0]
    assert [percentile(values, share) for share in (0.0, 0.5, 0.95, 1.0)] == [1.0, 3.0, 5.0, 5.0]
    assert percentile([7.0], 0.5) == 7.0
