"""Tables on terminals of any width, and in pipes."""

import io
import re
import sys

import pytest

from chalicelib.cli.printing import Printer

_PATH = "handbook/policies/travel/international/reimbursement-of-costs-for-long-journeys-2026.md"
_ROWS = [["a.md", "A", "ready"], [_PATH, "Travel costs", "ready"]]


class Terminal(io.StringIO):
    """A terminal that remembers."""

    def isatty(self) -> bool:
        return True


def printed(monkeypatch: pytest.MonkeyPatch, out: io.StringIO, *, columns: int) -> list[str]:
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stdout", out)
    Printer(wants_json=False).table(["PATH", "TITLE", "STATE"], _ROWS)
    return [re.sub(r"\x1b\[[0-9;]*m", "", line).rstrip() for line in out.getvalue().splitlines()]


@pytest.mark.parametrize("columns", [20, 80])
def test_a_path_that_does_not_fit_stays_whole_on_a_line_of_its_own(
    monkeypatch: pytest.MonkeyPatch, columns: int
) -> None:
    assert printed(monkeypatch, Terminal(), columns=columns) == ["a.md", "  A  ready", _PATH, "  Travel costs  ready"]


def test_what_fits_is_a_table(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = printed(monkeypatch, Terminal(), columns=120)
    assert [line.split()[0] for line in lines] == ["PATH", "a.md", _PATH]
    assert len({line.index(word) for line, word in zip(lines, ("STATE", "ready", "ready"), strict=True)}) == 1


def test_in_a_pipe_cells_are_whole_between_tabs(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = printed(monkeypatch, io.StringIO(), columns=20)
    assert lines == ["PATH\tTITLE\tSTATE", "a.md\tA\tready", f"{_PATH}\tTravel costs\tready"]
