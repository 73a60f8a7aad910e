"""Reads a body line by line and tells which lines are code or front matter."""

import re
from collections.abc import Iterator
from typing import NamedTuple

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_FENCE = re.compile(r" {0,3}(`{3,}(?=[^`]*$)|~{3,})")


class Line(NamedTuple):
    """`text` has no line end; `verbatim` numbers the fence (or front matter) that it is part of, 0 outside."""

    start: int
    end: int
    text: str
    verbatim: int


def lines_of(body: str) -> Iterator[Line]:
    """Yield the lines of a body. Fences close as CommonMark says: by a fence of their kind, as long or longer."""
    front_matter_end = _front_matter_end(body)
    number = 1 if front_matter_end else 0
    fence = ""
    for match in _LINE.finditer(body):
        start, end = match.span()
        text = match[0].rstrip("\r\n")
        if start < front_matter_end:
            yield Line(start, end, text, 1)
            continue
        mark = _FENCE.match(text)
        if fence:
            yield Line(start, end, text, number)
            if mark and mark[1].startswith(fence) and not text[mark.end() :].strip():
                fence = ""
        elif mark:
            fence, number = mark[1], number + 1
            yield Line(start, end, text, number)
        else:
            yield Line(start, end, text, 0)


def _front_matter_end(body: str) -> int:
    match = re.match(r"\ufeff?---[ \t]*(?:\r\n|\r|\n)", body)
    closing = re.compile(r"(?:(?<=\n)|(?<=\r))(?:---|\.\.\.)[ \t]*(?:\r\n|\r|\n|\Z)")
    end = closing.search(body, match.end()) if match else None
    return end.end() if end else 0
