"""Reads judgements: which document answers which question, and how well.

Lines are `query-id corpus-id score` as BEIR has them, beneath a header or not, or `query-id 0 corpus-id score` as TREC
has them; apart by tabs, or by blanks where there is no tab. Grades are whole numbers; 0 and less means wrong.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path

from chalicelib.evaluation.errors import NothingJudged
from chalicelib.evaluation.lines import read_lines, refuse

Gains = Mapping[str, Mapping[str, int]]
"""Grades by question and document."""

_HIGHEST = 100


_HEADERS = frozenset({"query-id", "query_id", "queryid", "query", "question", "qid"})
"""What the first column is called where a header says so."""


def read_judgements(path: Path) -> Gains:
    """Return the grades, none below 0. Raises CollectionUnreadable, NothingJudged."""
    gains: dict[str, dict[str, int]] = {}
    for number, (query_id, judged, *rest) in _rows(path, least=3):
        grade = _grade(rest[0])
        if grade is None:
            if number == 1:
                continue
            refuse(path, number, f"The grade {rest[0][:40]!r} is no whole number up to {_HIGHEST}")
        known = gains.setdefault(query_id, {}).setdefault(judged, grade)
        if known != grade:
            refuse(path, number, f"{judged!r} has the grade {grade} for {query_id!r} here, and {known} above")
    if not gains:
        raise NothingJudged(f"There are no judgements in {path}.", file=str(path))
    return gains


def read_ignored(path: Path) -> Mapping[str, frozenset[str]]:
    """Return what to leave out of the rankings of a question: `query-id corpus-id`, beneath a header or without."""
    ignored: dict[str, set[str]] = {}
    for number, (query_id, judged, *_) in _rows(path, least=2):
        if number > 1 or query_id.lower() not in _HEADERS:
            ignored.setdefault(query_id, set()).add(judged)
    return {query_id: frozenset(ids) for query_id, ids in ignored.items()}


def _rows(path: Path, *, least: int) -> Iterator[tuple[int, list[str]]]:
    """Yield the cells of each line as question, document and what follows."""
    for number, line in read_lines(path):
        cells = [cell.strip() for cell in (line.rstrip("\r\n").split("\t") if "\t" in line else line.split())]
        if len(cells) == 4 and least == 3:
            del cells[1]
        if not least <= len(cells) <= 4 or not all(cells[:least]):
            refuse(path, number, "A line has a question, a document and a grade, apart by tabs or blanks")
        yield number, cells


def _grade(cell: str) -> int | None:
    try:
        value = float(cell)
    except ValueError:
        return None
    return max(int(value), 0) if value.is_integer() and value <= _HIGHEST else None
