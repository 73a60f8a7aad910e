"""Prints data on stdout, for people or as JSON, and remarks on stderr."""

import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from chalicelib.cli.text import as_json, harmless

_WIDEST = 10_000

Cell = str | Text
"""A string is made harmless; a Text must be so already."""


@dataclass(frozen=True, slots=True)
class Printer:
    """Where a command's output goes. Methods for people do nothing with `wants_json`, and `json` nothing without."""

    wants_json: bool

    def json(self, document: object) -> None:
        """Print the command's one JSON document."""
        if self.wants_json:
            sys.stdout.write(as_json(document) + "\n")

    def line(self, *parts: Cell) -> None:
        """Print one line for people; what does not fit the terminal goes on in the next."""
        if not self.wants_json:
            _console().print(Text("").join(as_text(part) for part in parts), soft_wrap=True)

    def table(self, headings: Sequence[str], rows: Iterable[Sequence[Cell]]) -> None:
        """Print a table for people; into a pipe, lines with tabs between the cells.

        Where a row does not fit the terminal, each first cell gets a line of its own and the others the next: a path or
        id that is broken by spaces cannot be copied.
        """
        if self.wants_json:
            return
        if not sys.stdout.isatty():
            for row in (headings, *rows):
                sys.stdout.write("\t".join(as_text(cell).plain for cell in row) + "\n")
            return
        console = _console()
        table = Table(box=None, pad_edge=False, header_style="bold")
        for heading in headings:
            table.add_column(heading, no_wrap=True)
        texts = [[as_text(cell) for cell in row] for row in rows]
        for row in texts:
            table.add_row(*row)
        if console.measure(table, options=console.options.update(max_width=_WIDEST)).maximum <= console.width:
            console.print(table)
            return
        for first, *others in texts:
            console.print(first, soft_wrap=True)
            console.print(Text("  ").append_text(Text("  ").join(text for text in others if text)), soft_wrap=True)

    def remark(self, text: str) -> None:
        """Say something about the work to people, beside the data."""
        if not self.wants_json:
            sys.stderr.write(harmless(text) + "\n")

    @contextmanager
    def progress(self) -> Iterator["Stages"]:
        """Show stages of work as bars, where a person watches."""
        console = Console(stderr=True)
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
        is_shown = console.is_terminal and not self.wants_json
        with Progress(*columns, console=console, transient=True, disable=not is_shown) as bars:
            yield Stages(bars)


class Stages:
    """The stages of one piece of work, each with its bar."""

    def __init__(self, bars: Progress) -> None:
        self._bars = bars
        self._tasks: dict[str, Any] = {}

    def show(self, stage: str, *, done: int, total: int) -> None:
        """Set how far a stage is."""
        if stage not in self._tasks:
            self._tasks[stage] = self._bars.add_task(stage, total=total)
        self._bars.update(self._tasks[stage], completed=done, total=total)


def as_text(cell: Cell) -> Text:
    """Return a cell as text without markup."""
    return cell if isinstance(cell, Text) else Text(harmless(cell))


class _PipedConsole(Console):
    """A console that leaves the exit code of a broken pipe to the command."""

    def on_broken_pipe(self) -> None:
        """Let the BrokenPipeError that rich is handling go on, instead of its exit code 1."""
        raise  # noqa: PLE0704  rich calls this while it handles the error


def _console() -> Console:
    return _PipedConsole(highlight=False, markup=False, emoji=False)
