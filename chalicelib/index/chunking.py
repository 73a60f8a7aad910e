"""Cuts a body into chunks: spans of whole sections where they fit, of paragraphs and sentences where not."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from tokenizers import Tokenizer

from chalicelib.index.errors import ChunkSizeRefused
from chalicelib.index.lines import find_blocks
from chalicelib.index.sections import find_sections
from chalicelib.index.tokens import Unit, units_of

_BLANK_LINE = re.compile(r"(?:\r\n|\r|\n)[ \t]*(?:\r\n|\r|\n)")
_SENTENCE_END = ".!?…。！？｡؟۔।॥"  # noqa: RUF001 - meant as they are
_CLOSING = "\"'”’»)]』」）"  # noqa: RUF001 - meant as they are
_WIDE_END = "。！？｡"  # noqa: RUF001 - meant as they are
_WORD, _LINE, _SENTENCE, _PARAGRAPH = range(4)


@dataclass(frozen=True, slots=True)
class Chunk:
    """The part `body[start:end]` of a revision. `tokens` is an upper bound, exact where no long word was cut."""

    ordinal: int
    start: int
    end: int
    heading_path: tuple[str, ...]
    page: int | None
    tokens: int


def chunk_body(
    body: str,
    *,
    tokenizer: Tokenizer,
    chunk_tokens: int = 512,
    overlap_tokens: int = 64,
    page_starts: Sequence[int] = (),
) -> list[Chunk]:
    """Return chunks in order that cover every visible character; raises ChunkSizeRefused.

    Only splits of one section overlap. `page_starts` are the offsets where pages 1, 2, … begin.
    """
    if chunk_tokens < 8 or overlap_tokens < 0 or overlap_tokens * 2 > chunk_tokens:
        raise ChunkSizeRefused(
            "A chunk needs at least 8 tokens, and its overlap may be at most half of it.",
            chunk_tokens=chunk_tokens,
            overlap_tokens=overlap_tokens,
        )
    measure = _Measure(body, list(units_of(body, tokenizer)))
    measure.keep_whole(find_blocks(body), chunk_tokens)
    chunks: list[Chunk] = []
    for section in find_sections(body):
        for low, high in _split(measure, section.start, section.end, chunk_tokens, overlap_tokens):
            start, end = _trim(body, low, high)
            if start < end:
                page = (bisect_right(page_starts, start) or 1) if page_starts else None
                tokens = measure.tokens(measure.index(start), measure.index(end))
                chunks.append(Chunk(len(chunks), start, end, section.heading_path, page, tokens))
    return chunks


def _trim(body: str, start: int, end: int) -> tuple[int, int]:
    part = body[start:end]
    return start + len(part) - len(part.lstrip()), start + len(part.rstrip())


class _Measure:
    """The units of a body with running sums, and how good a place before each unit is to cut."""

    def __init__(self, body: str, units: list[Unit]) -> None:
        self.starts = [unit.start for unit in units]
        self._sums = [0]
        for unit in units:
            self._sums.append(self._sums[-1] + unit.tokens)
        self.strength = [_PARAGRAPH]
        self.strength += [_strength(body, a.end, b.start) for a, b in pairwise(units)]

    def keep_whole(self, blocks: Sequence[tuple[int, int]], limit: int) -> None:
        """Let no place inside a block that fits be as good as its edges, blank lines or not."""
        for start, end in blocks:
            low, high = self.index(start), self.index(end)
            if self.tokens(low, high) <= limit:
                self.strength[low + 1 : high] = [min(place, _SENTENCE) for place in self.strength[low + 1 : high]]
            for edge in (low, high):
                if edge < len(self.strength):
                    self.strength[edge] = _PARAGRAPH

    def index(self, position: int) -> int:
        return bisect_left(self.starts, position)

    def tokens(self, low: int, high: int) -> int:
        return self._sums[high] - self._sums[low]

    def reach(self, low: int, tokens: int) -> int:
        return bisect_right(self._sums, self._sums[low] + tokens) - 1

    def back(self, high: int, tokens: int) -> int:
        return bisect_left(self._sums, self._sums[high] - tokens)

    def last(self, low: int, high: int, strength: int) -> int | None:
        return next((i for i in range(high, low, -1) if self.strength[i] >= strength), None)

    def next_paragraph(self, low: int, high: int) -> int:
        return next((i for i in range(low + 1, high) if self.strength[i] == _PARAGRAPH), high)


def _strength(body: str, end: int, start: int) -> int:
    gap = body[end:start]
    if _BLANK_LINE.search(gap):
        return _PARAGRAPH
    before = body[max(0, end - 4) : end].rstrip(_CLOSING)[-1:]
    if before and before in _SENTENCE_END and (gap or before in _WIDE_END):
        return _SENTENCE
    return _LINE if "\n" in gap or "\r" in gap else _WORD


def _split(measure: _Measure, start: int, end: int, limit: int, overlap: int) -> Iterator[tuple[int, int]]:
    low, stop = measure.index(start), measure.index(end)
    cut, position = low, start
    while measure.tokens(low, stop) > limit:
        previous, cut = cut, _cut(measure, low, cut, stop, limit)
        yield position, measure.starts[cut]
        low = max(previous + 1, _overlap_start(measure, cut, stop, limit, overlap))
        position = measure.starts[low]
    yield position, end


def _cut(measure: _Measure, low: int, previous: int, stop: int, limit: int) -> int:
    """Return the unit to cut before: a paragraph's start when it keeps the next one whole, else the best late place."""
    furthest = min(measure.reach(low, limit), stop - 1)
    half = max(previous, measure.reach(low, limit // 2))
    paragraph = measure.last(previous, furthest, _PARAGRAPH)
    if paragraph is not None:
        following = measure.tokens(paragraph, measure.next_paragraph(paragraph, min(stop, paragraph + limit + 1)))
        if paragraph > half or following <= limit:
            return paragraph
    for strength in (_SENTENCE, _LINE):
        if (place := measure.last(half, furthest, strength)) is not None:
            return place
    return furthest


def _overlap_start(measure: _Measure, cut: int, stop: int, limit: int, overlap: int) -> int:
    """Return where the next chunk begins: at a sentence if one starts in the overlap, and never tearing what fits."""
    following = measure.tokens(cut, measure.next_paragraph(cut, min(stop, cut + limit + 1)))
    room = min(overlap, limit - following) if following <= limit else overlap
    earliest = measure.back(cut, max(room, 0))
    return next((i for i in range(earliest, cut) if measure.strength[i] >= _SENTENCE), earliest)
