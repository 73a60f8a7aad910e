"""Compares runs: the figures of each configuration, and whether each is better than the first."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from chalicelib.evaluation.collection import Questions
from chalicelib.evaluation.measures import Measure, measured
from chalicelib.evaluation.significance import Difference, differences_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """What a configuration answered: by question, what it ranked, the best first, and how long that took.

    `depth` is how many places it was asked for. `inner` are the server's own milliseconds, where it told.
    """

    name: str
    depth: int
    rankings: Mapping[str, Sequence[str]]
    milliseconds: Sequence[float]
    inner: Sequence[float] = ()
    parameters: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Evaluated:
    """A run with its figures by question; every configuration has the same questions in the same order."""

    run: Run
    figures: Mapping[Measure, Sequence[float]]

    @property
    def means(self) -> dict[Measure, float]:
        """The mean of each measure."""
        return {measure: math.fsum(values) / len(values) for measure, values in self.figures.items()}


@dataclass(frozen=True, slots=True)
class Loss:
    """A question that a configuration answers worse than the first one does."""

    query_id: str
    text: str
    figure: float
    reference: float
    ranked: Sequence[str]
    right: Sequence[str]


@dataclass(frozen=True, slots=True)
class Report:
    """Configurations on the same questions; the first is what the others are compared with."""

    questions: Questions
    evaluated: Sequence[Evaluated]

    def differences(self) -> Mapping[str, Mapping[Measure, Difference]]:
        """Return how each other configuration differs from the first, by name and measure."""
        first, *others = self.evaluated
        found: dict[str, dict[Measure, Difference]] = {other.run.name: {} for other in others}
        for measure in Measure:
            figures = {other.run.name: other.figures[measure] for other in others if measure in other.figures}
            if measure in first.figures and figures:
                for name, difference in differences_of(first.figures[measure], figures).items():
                    found[name][measure] = difference
        return found

    def losses(self, evaluated: Evaluated, *, most: int) -> Sequence[Loss]:
        """Return the questions that a configuration answers worst beside the first, by nDCG@10, the worst first."""
        ours, theirs = evaluated.figures[Measure.NDCG_10], self.evaluated[0].figures[Measure.NDCG_10]
        rows = sorted(zip(self.questions.texts, ours, theirs, strict=True), key=lambda row: (row[1] - row[2], row[0]))
        return [
            Loss(query_id, self.questions.texts[query_id], figure, reference, *self._answers(evaluated, query_id))
            for query_id, figure, reference in rows[:most]
            if figure < reference
        ]

    def document(self, *, details: int = 0) -> dict[str, Any]:
        """Return all of it as JSON, with so many losses of each configuration."""
        return {
            "questions": len(self.questions.texts),
            "judgements": sum(len(grades) for grades in self.questions.gains.values()),
            "configurations": [
                {
                    "name": one.run.name,
                    "parameters": dict(one.run.parameters),
                    "measures": {str(measure): round(mean, 4) for measure, mean in one.means.items()},
                    "latency_ms": _spread(one.run.milliseconds),
                    "server_ms": _spread(one.run.inner),
                    **({"losses": [asdict(loss) for loss in self.losses(one, most=details)]} if details else {}),
                }
                for one in self.evaluated
            ],
            "reference": self.evaluated[0].run.name,
            "differences": {
                name: {str(measure): asdict(difference) for measure, difference in by_measure.items()}
                for name, by_measure in self.differences().items()
            },
        }

    def _answers(self, evaluated: Evaluated, query_id: str) -> tuple[Sequence[str], Sequence[str]]:
        grades = self.questions.gains[query_id]
        right = sorted((one for one in grades if grades[one] > 0), key=lambda one: (-grades[one], one))
        return list(evaluated.run.rankings[query_id][:3]), right[:3]


def evaluate(questions: Questions, runs: Sequence[Run]) -> Report:
    """Measure runs that ranked something, be it nothing, for every question."""
    return Report(questions, [Evaluated(run, _figures(questions, run)) for run in runs])


def percentile(values: Sequence[float], share: float) -> float:
    """Return the least value that at least such a share of the values does not exceed (the nearest rank)."""
    return sorted(values)[max(math.ceil(share * len(values)), 1) - 1]


def _figures(questions: Questions, run: Run) -> Mapping[Measure, Sequence[float]]:
    rows = [
        measured(
            run.rankings[query_id],
            questions.gains[query_id],
            ignored=questions.ignored.get(query_id, frozenset()),
            depth=run.depth,
        )
        for query_id in questions.texts
    ]
    return {measure: [row[measure] for row in rows] for measure in rows[0]}


def _spread(milliseconds: Sequence[float]) -> dict[str, float]:
    if not milliseconds:
        return {}
    return {name: round(percentile(milliseconds, share), 1) for name, share in (("p50", 0.5), ("p95", 0.95))}
