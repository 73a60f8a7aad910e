"""Shows two embedding spaces beside each other."""

from chalicelib.cli.client import Json
from chalicelib.cli.printing import Printer


def show_comparison(printer: Printer, comparison: Json) -> None:
    """Print how both fared, and the questions on which they differ most."""
    printer.json(comparison)
    kind = "titles, each with its own item" if comparison["is_sample"] else "questions"
    printer.remark(f"{comparison['questions']} {kind}{'; time was up before the end' if comparison['is_cut'] else ''}")
    printer.table(
        ["SPACE", "MRR@10", "KNOWN FOUND", "MEDIAN MS", "P95 MS"],
        [
            [
                score["space"],
                "" if score["mrr"] is None else f"{score['mrr']:.3f}",
                f"{score['known_found']} of {comparison['known']}",
                f"{score['median_ms']:.1f}",
                f"{score['p95_ms']:.1f}",
            ]
            for score in (comparison["active"], comparison["other"])
        ],
    )
    printer.line(
        f"of the ten nearest items {comparison['overlap']:.0%} are the same, {comparison['moved']:.1f} places apart;"
        f" {comparison['other_firsts']} of {comparison['questions']} have another first hit"
    )
    differing = [each for each in comparison["differences"] if each["overlap"] < 1]
    if differing:
        printer.table(
            ["MOST DIFFERENT", "SAME", "PLACE NOW", "PLACE THEN"],
            [
                [
                    each["query"],
                    f"{each['overlap']:.0%}",
                    str(each["active_rank"] or "-"),
                    str(each["other_rank"] or "-"),
                ]
                for each in differing
            ],
        )
