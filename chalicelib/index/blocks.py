"""Finds what belongs together whatever blank lines stand in it: fences, lists, quotes and tables."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from itertools import pairwise

from chalicelib.index.lines import Line

_LIST_ITEM = re.compile(r"([ \t]*)(?:[-+*]|\d{1,9}[.)])(?:[ \t]|$)")
_ENDS_LIST = re.compile(r" {0,3}(?:#{1,6}(?:[ \t]|$)|(?:\*[ \t]*){3,}$|(?:-[ \t]*){3,}$|(?:_[ \t]*){3,}$|[|>])")
_INDENTED = re.compile(r" {2}|\t")
_QUOTE = re.compile(r" {0,3}>")
_EMPTY_QUOTE = re.compile(r"[ \t>]*$")
_CLOSES = re.compile(r"[)\]}>]|(?:end|fi|done|esac|else|elif|except|finally)\b")
_FENCE_MARKS = ("```", "~~~")
_LONGEST_OPENING = 200
_LONGEST_LEAD = 300
_NONE, _LIST, _QUOTED = 0, -1, -2


class Strength(IntEnum):
    """How good a place is to cut at."""

    WORD = 0
    CLAUSE = 1
    LINE = 2
    SENTENCE = 3
    ROW = 4
    GROUP = 5
    ITEM = 6
    PARAGRAPH = 7


@dataclass(slots=True)
class Block:
    """Text that is one thing. `places` are the offsets in it where it may be cut if it has to be.

    `lead` is where the line begins that leads up to it ("As follows:"). What begins at or behind `opened` has the
    `opening` (a table's caption and header, a fence's first line) above it.
    """

    lead: int
    start: int
    end: int
    places: list[tuple[int, Strength]]
    opened: int = 0
    opening: str = ""


def find_blocks(lines: Sequence[Line]) -> list[Block]:
    """Return fences, lists and quotes, in order and apart."""
    blocks = []
    for kind, first, last in _runs(lines):
        places = _PLACES[min(kind, 1)](lines[first:last])
        block = Block(lead_of(lines, first), lines[first].start, lines[last - 1].end, places)
        opening = lines[first].text.strip()
        if opening.startswith(_FENCE_MARKS) and opening.strip("`~"):
            block.opened, block.opening = lines[first].end, opening[:_LONGEST_OPENING]
        blocks.append(block)
    return blocks


def lead_of(lines: Sequence[Line], first: int) -> int:
    """Return where the line begins that leads up to the line `first`: the one above, if it ends in a colon."""
    above = first - 1
    if above > 0 and not lines[above].text.strip():
        above -= 1
    if above >= 0:
        line = lines[above]
        if (
            not line.verbatim
            and len(line.text) <= _LONGEST_LEAD
            and line.text.rstrip(" \t*_").endswith((":", "\uff1a"))
        ):
            return line.start
    return lines[first].start


def _runs(lines: Sequence[Line]) -> Iterator[tuple[int, int, int]]:
    """Yield the kind of each block, its first line, and the line behind its last."""
    kind, first, last = _NONE, 0, 0
    after_blank = False
    for at, line in enumerate(lines):
        blank = not line.verbatim and not line.text.strip()
        if not blank:
            now = line.verbatim or _kind_of(line.text, within=kind, after_blank=after_blank)
            if now != kind:
                if kind:
                    yield kind, first, last
                kind, first = now, at
            last = at + 1
        elif kind != _LIST:
            if kind:
                yield kind, first, last
            kind = _NONE
        after_blank = blank
    if kind:
        yield kind, first, last


def _kind_of(text: str, *, within: int, after_blank: bool) -> int:
    if _QUOTE.match(text):
        return _QUOTED
    if within == _LIST and after_blank and not _LIST_ITEM.match(text) and not _INDENTED.match(text):
        return _NONE
    if _ENDS_LIST.match(text):
        return _NONE
    item = _LIST_ITEM.match(text)
    if item and (within == _LIST or len(item[1].expandtabs(4)) <= 3):
        return _LIST
    lazy = within in {_LIST, _QUOTED} and not after_blank
    return within if lazy or (within == _LIST and _INDENTED.match(text)) else _NONE


def _places_of_fence(lines: Sequence[Line]) -> list[tuple[int, Strength]]:
    """Cut code before definitions of the outermost level, else at blank lines, else at lines that begin something."""
    places = []
    before, nested = "", False
    for line in lines[1:]:
        text = line.text
        if text.strip() and not text.lstrip().startswith(_FENCE_MARKS):
            outermost = not text[0].isspace() and not _CLOSES.match(text)
            if outermost and (nested or not before):
                places.append((line.start, Strength.ITEM))
            elif not before:
                places.append((line.start, Strength.GROUP))
            else:
                places.append((line.start, Strength.LINE if _CLOSES.match(text.lstrip()) else Strength.ROW))
            nested = text[0].isspace() or not outermost
        before = text.strip()
    return places


def _places_of_list(lines: Sequence[Line]) -> list[tuple[int, Strength]]:
    """Cut lists between items, else between nested ones, else between paragraphs of an item."""
    places = []
    level = len(lines[0].text) - len(lines[0].text.lstrip())
    after_blank = False
    for line in lines[1:]:
        if item := _LIST_ITEM.match(line.text):
            places.append((line.start, Strength.ITEM if len(item[1]) <= level + 1 else Strength.GROUP))
        elif after_blank:
            places.append((line.start, Strength.ROW))
        after_blank = not line.text.strip()
    return places


def _places_of_quote(lines: Sequence[Line]) -> list[tuple[int, Strength]]:
    return [
        (line.start, Strength.GROUP)
        for above, line in pairwise(lines)
        if _EMPTY_QUOTE.match(above.text) and not _EMPTY_QUOTE.match(line.text)
    ]


_PLACES = {_QUOTED: _places_of_quote, _LIST: _places_of_list, 1: _places_of_fence}
