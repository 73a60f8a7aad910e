"""Cuts what is too long for one chunk, at places that its content decides and not its position."""

from bisect import bisect_left
from collections.abc import Iterator
from zlib import crc32

from chalicelib.index.blocks import Strength
from chalicelib.index.layout import Layout
from chalicelib.index.sections import Section
from chalicelib.index.tokens import Units

_MARK = 48
"""Characters behind a place that decide between it and others as good."""


def mark_of(body: str, position: int) -> int:
    """Return a number that the text behind a place decides, so that cuts stay where they are when text moves."""
    return crc32(body[position : position + _MARK].encode("utf-8", "surrogatepass"))


class Cutter:
    """Cuts sections of one body into spans within the layout's limit."""

    def __init__(self, body: str, units: Units, layout: Layout, *, overlap: int) -> None:
        self._body, self._units, self._layout, self._overlap = body, units, layout, overlap

    def cut(self, section: Section) -> Iterator[tuple[int, int, str]]:
        """Yield start, end and opening of each part, in order; parts of prose overlap."""
        units, layout = self._units, self._layout
        first, stop = units.index(section.start), units.index(section.end)
        self._first = first
        self._strengths = layout.strengths(section.start, section.text_start, section.end)
        low = cut = first
        position = section.start
        while True:
            opening, spent = layout.opening_at(units.starts[low]) if low < stop else ("", 0)
            room = layout.limit - spent
            if units.tokens(low, stop) <= room:
                yield position, section.end, opening
                return
            previous, cut = cut, self._next_cut(low, cut, stop, room)
            yield position, units.starts[cut], opening
            low = max(previous + 1, self._overlap_start(cut, stop))
            position = units.starts[low]

    def _next_cut(self, low: int, previous: int, stop: int, room: int) -> int:
        """Return the unit to cut before: a late paragraph or item, or an early one that keeps the next whole."""
        units = self._units
        furthest = min(units.reach(low, room), stop - 1)
        half = max(previous, units.reach(low, room // 2))
        if (place := self._best(half, furthest, Strength.ITEM)) is not None:
            return place
        early = self._last(previous, half, Strength.PARAGRAPH)
        if early is not None and units.tokens(early, self._next_paragraph(early, stop)) <= self._layout.limit:
            return early
        # Not so late that a crumb is left over.
        latest = units.reach(low, units.tokens(low, stop) - room // 4)
        place = self._best(half, min(furthest, latest), Strength.CLAUSE) if latest > half else None
        return place if place is not None else furthest

    def _best(self, low: int, high: int, least: Strength) -> int | None:
        """Return the best place behind `low` up to `high`; among equals the text behind them decides."""
        window = self._strengths[low + 1 - self._first : high + 1 - self._first]
        best = max(window, default=0)
        if best < least:
            return None
        places = (low + 1 + at for at, strength in enumerate(window) if strength == best)
        return max(places, key=lambda place: (mark_of(self._body, self._units.starts[place]), place))

    def _last(self, low: int, high: int, strength: Strength) -> int | None:
        return next((i for i in range(high, low, -1) if self._strengths[i - self._first] >= strength), None)

    def _next_paragraph(self, low: int, stop: int) -> int:
        found = self._strengths.find(Strength.PARAGRAPH, low + 1 - self._first, stop - self._first)
        return stop if found < 0 else found + self._first

    def _overlap_start(self, cut: int, stop: int) -> int:
        """Return where the next part begins: at a sentence in the overlap, never tearing what fits, nor in a block."""
        units, limit = self._units, self._layout.limit
        strength = self._strengths[cut - self._first]
        if not self._overlap or Strength.ROW <= strength <= Strength.ITEM:
            return cut
        following = units.tokens(cut, self._next_paragraph(cut, stop))
        room = min(self._overlap, limit - following) if following <= limit else self._overlap
        earliest = units.back(cut, max(room, 0))
        start = next(
            (i for i in range(earliest, cut) if self._strengths[i - self._first] >= Strength.SENTENCE), earliest
        )
        return cut if self._layout.opening_at(units.starts[start])[0] else start


def pack(body: str, units: Units, sections: list[Section], limit: int) -> Iterator[list[Section]]:
    """Put neighbouring sections under one heading together that are small enough for `limit` tokens in all."""
    sums = [units.sums[units.index(section.start)] for section in sections]
    sums.append(units.sums[units.index(sections[-1].end)] if sections else 0)
    first = 0
    while first < len(sections):
        furthest = bisect_left(sums, sums[first] + limit + 1) - 1
        end, path = first + 1, sections[first].heading_path
        while end < furthest and (common := _common(sections, first, end, path)) is not None:
            path, end = common, end + 1
        if end < len(sections) and end == furthest:
            end = _best_end(body, sections, sums, (first, end), limit)
        yield sections[first:end]
        first = end


def _common(sections: list[Section], first: int, end: int, path: tuple[str, ...]) -> tuple[str, ...] | None:
    """Return the headings that the next section shares with those before, if it is a sibling or below."""
    common = shared_path(path, sections[end].heading_path)
    return common if len(common) >= len(sections[first].heading_path) - 1 else None


def shared_path(one: tuple[str, ...], other: tuple[str, ...]) -> tuple[str, ...]:
    """Return the headings that two paths begin with."""
    same = next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    return one[:same]


def _best_end(body: str, sections: list[Section], sums: list[int], span: tuple[int, int], limit: int) -> int:
    """Return where a full pack ends: above the outermost heading of its second half; among equals the text decides."""
    first, end = span
    half = [at for at in range(first + 1, end + 1) if sums[at] - sums[first] > limit // 2] or [end]
    return min(half, key=lambda at: (len(sections[at].heading_path), mark_of(body, sections[at].start)))
