"""Reads a body line by line and tells which lines belong together whatever blank lines stand between them."""

import re
from collections.abc import Iterator
from typing import NamedTuple

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_FENCE = re.compile(r" {0,3}(`{3,}(?=[^`]*$)|~{3,})")
_LIST_ITEM = re.compile(r" {0,3}(?:[-+*]|\d{1,9}[.)])(?:[ \t]|$)")
_ENDS_LIST = re.compile(r" {0,3}(?:#{1,6}(?:[ \t]|$)|(?:\*[ \t]*){3,}$|(?:-[ \t]*){3,}$|(?:_[ \t]*){3,}$|\|)")
_TABLE_ROW = re.compile(r" {0,3}\|")
_INDENTED = re.compile(r" {2}|\t")
_LIST, _TABLE = -1, -2


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
        text = match.group().rstrip("\r\n")
        if match.start() < front_matter_end:
            yield Line(match.start(), match.end(), text, 1)
            continue
        mark = _FENCE.match(text)
        if fence:
            yield Line(match.start(), match.end(), text, number)
            if mark and mark[1].startswith(fence) and not text[mark.end() :].strip():
                fence = ""
        elif mark:
            fence, number = mark[1], number + 1
            yield Line(match.start(), match.end(), text, number)
        else:
            yield Line(match.start(), match.end(), text, 0)


def find_blocks(body: str) -> list[tuple[int, int]]:
    """Return the spans of fences, tables and lists, in order and apart."""
    blocks: list[tuple[int, int]] = []
    kind = 0
    after_blank = False
    for line in lines_of(body):
        blank = not line.verbatim and not line.text.strip()
        if not blank:
            before, kind = kind, line.verbatim or _kind_of(line.text, within=kind, after_blank=after_blank)
            if kind and kind == before:
                blocks[-1] = (blocks[-1][0], line.end)
            elif kind:
                blocks.append((line.start, line.end))
        elif kind != _LIST:
            kind = 0
        after_blank = blank
    return blocks


def _kind_of(text: str, *, within: int, after_blank: bool) -> int:
    if _TABLE_ROW.match(text):
        return _TABLE
    if _ENDS_LIST.match(text):
        return 0
    if _LIST_ITEM.match(text):
        return _LIST
    continues = within == _LIST and (not after_blank or _INDENTED.match(text))
    return _LIST if continues else 0


def _front_matter_end(body: str) -> int:
    match = re.match(r"\ufeff?---[ \t]*(?:\r\n|\r|\n)", body)
    closing = re.compile(r"(?:(?<=\n)|(?<=\r))(?:---|\.\.\.)[ \t]*(?:\r\n|\r|\n|\Z)")
    end = closing.search(body, match.end()) if match else None
    return end.end() if end else 0
