"""Shows what an evaluation came to."""

from collections.abc import Sequence

from chalicelib.cli.printing import Printer
from chalicelib.cli.text import count_of, harmless
from chalicelib.evaluation.measures import Measure
from chalicelib.evaluation.report import Evaluated, Report, percentile
from chalicelib.evaluation.significance import Difference

_LOSSES = 5
_TITLES = {
    Measure.NDCG_10: "nDCG@10",
    Measure.MRR_10: "MRR@10",
    Measure.RECALL_10: "recall@10",
    Measure.RECALL_100: "recall@100",
}


def show_report(printer: Printer, report: Report, *, remarks: Sequence[str], has_details: bool) -> None:
    """Print the figures, the differences from the first configuration, and what to know of both."""
    flaws = report.questions.flaws.document()
    document = report.document(details=_LOSSES if has_details else 0)
    printer.json({**document, "remarks": list(remarks), "flaws": flaws})
    for flaw in flaws:
        named = ", ".join(harmless(example) for example in flaw["examples"][:3])
        printer.remark(f"{flaw['count']} {flaw['flaw']}: {named}{', …' if flaw['count'] > 3 else ''}")
    for remark in remarks:
        printer.remark(remark)
    judged = sum(len(grades) for grades in report.questions.gains.values())
    printer.line(f"{count_of(len(report.questions.texts), 'question')}, {count_of(judged, 'judgement')}")
    printer.line("")
    printer.table(["CONFIGURATION", *_TITLES.values(), "p50 ms", "p95 ms"], [_row_of(one) for one in report.evaluated])
    _show_differences(printer, report, measures=list(Measure) if has_details else [Measure.NDCG_10])
    if has_details:
        for one in report.evaluated[1:]:
            _show_losses(printer, report, one)


def _row_of(evaluated: Evaluated) -> list[str]:
    means = evaluated.means
    figures = [f"{means[measure]:.3f}" if measure in means else "-" for measure in _TITLES]
    times = [f"{percentile(evaluated.run.milliseconds, share):.1f}" for share in (0.5, 0.95)]
    return [evaluated.run.name, *figures, *times]


def _show_differences(printer: Printer, report: Report, *, measures: Sequence[Measure]) -> None:
    rows = [
        [name, _TITLES[measure], *_cells_of(by_measure[measure])]
        for name, by_measure in report.differences().items()
        for measure in measures
        if measure in by_measure
    ]
    if rows:
        printer.line("")
        first = f"AGAINST {harmless(report.evaluated[0].run.name)}"
        printer.table([first, "measure", "gain", "95 % of samples", "p", "better", "worse", "equal"], rows)


def _cells_of(difference: Difference) -> list[str]:
    bounds = f"{difference.low:+.3f} to {difference.high:+.3f}"
    counts = [str(count) for count in (difference.better, difference.worse, difference.equal)]
    return [f"{difference.mean:+.3f}", bounds, _shown(difference.corrected), *counts]


def _shown(chance: float) -> str:
    return "<0.0001" if chance < 0.0001 else f"{chance:.4f}"


def _show_losses(printer: Printer, report: Report, evaluated: Evaluated) -> None:
    losses = report.losses(evaluated, most=_LOSSES)
    printer.line("")
    printer.line(f"{evaluated.run.name} loses most on" if losses else f"{evaluated.run.name} loses on no question")
    for loss in losses:
        printer.line(f"  {loss.query_id}  {loss.reference:.3f} → {loss.figure:.3f}  {loss.text}")
        printer.line(f"      first {', '.join(loss.ranked) or 'nothing'}; right {', '.join(loss.right)}")
