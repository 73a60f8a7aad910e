"""Says where a part of a body may be cut: the better a place, the less is torn there."""

import re
from bisect import bisect_left, bisect_right

from tokenizers import Tokenizer

from chalicelib.index.blocks import Block, Strength, find_blocks
from chalicelib.index.embedded_text import cut_to_tokens
from chalicelib.index.lines import lines_of
from chalicelib.index.tables import find_tables
from chalicelib.index.tokens import Units

_LINE_END = re.compile(r"(?:\r\n|\r|\n)([ \t]*(?:\r\n|\r|\n))?\s*")
_CLOSING = r"[\"'”’»)\]』」）*_]{0,4}"  # noqa: RUF001 - meant as they are
_ENDS = "[.!?…｡؟۔।॥]"  # noqa: RUF001 - meant as they are
# A run of them is looked at once, from its beginning: a million dots without a blank took hours.
_SENTENCE_END = re.compile(rf"(?<!{_ENDS}){_ENDS}++{_CLOSING}\s+|[。！？｡]+{_CLOSING}\s*")  # noqa: RUF001 - meant as they are
_CLAUSE_END = re.compile(r"[,;:){}\]>，；：、]+\s*|\s[—–-]\s")  # noqa: RUF001 - meant as they are
_ABBREVIATION = re.compile(
    r"(?:^|[\s(\[„“\"'])(?:\w|\d{1,2}|Abs|Art|Nr|No|vgl|bzw|ca|Dr|Prof|Mr|Mrs|Ms|St|Fig|Eq|Vol|Sec|vs|etc|cf|ed|approx"
    r"|(?:\w\.)+\w)\.\Z",
    re.IGNORECASE,
)
_NO_BETTER_THAN_SENTENCE = bytes(min(strength, Strength.SENTENCE) for strength in range(256))


class Layout:
    """The blocks of a body, and how good its places are to cut at; `limit` is in tokens."""

    def __init__(self, body: str, units: Units, *, tokenizer: Tokenizer, limit: int) -> None:
        self._body, self._units, self._tokenizer, self.limit = body, units, tokenizer, limit
        lines = list(lines_of(body))
        self._outer = find_blocks(lines)
        self._tables = find_tables(body, lines)
        self._opened = sorted(
            (block for block in (*self._outer, *self._tables) if block.opening), key=lambda block: block.opened
        )
        self._starts = [block.opened for block in self._opened]
        self._tokens_by_opening: dict[str, int] = {}

    def opening_at(self, position: int) -> tuple[str, int]:
        """Return what a chunk that begins here has above it, at most a quarter of the limit, and its tokens."""
        at = bisect_right(self._starts, position) - 1
        if at < 0 or position >= self._opened[at].end:
            return "", 0
        block = self._opened[at]
        if block.opening not in self._tokens_by_opening:
            block.opening = cut_to_tokens(block.opening, self.limit // 4, self._tokenizer)
            encoding = self._tokenizer.encode(block.opening, add_special_tokens=False)
            self._tokens_by_opening[block.opening] = len(encoding)
        return block.opening, self._tokens_by_opening[block.opening]

    def strengths(self, start: int, text_start: int, end: int) -> bytearray:
        """Return how good each unit from `start` to `end` is to cut before; up to `text_start` (headings) none is."""
        low = self._units.index(start)
        strengths = bytearray(self._units.index(end) - low + 1)
        self._mark_prose(strengths, low, start, end)
        whole: set[int] = set()
        for block in _within(self._outer, start, end):
            if self._mark_block(strengths, low, block, (start, end), Strength.PARAGRAPH):
                whole.add(block.start)
        for table in _within(self._tables, start, end):
            around = _within(self._outer, table.start, table.start + 1)
            if not around or around[0].start not in whole:
                edge = Strength.GROUP if around else Strength.PARAGRAPH
                self._mark_block(strengths, low, table, (start, end), edge)
        first = self._units.index(text_start) - low + 1
        strengths[:first] = bytes(min(first, len(strengths)))
        return strengths

    def _mark_prose(self, strengths: bytearray, low: int, start: int, end: int) -> None:
        body, starts = self._body, self._units.starts
        for match in _CLAUSE_END.finditer(body, start, end):
            at = bisect_left(starts, match.end()) - low
            strengths[at] = Strength.CLAUSE
        for match in _LINE_END.finditer(body, start, end):
            at = bisect_left(starts, match.end()) - low
            strengths[at] = Strength.PARAGRAPH if match[1] is not None else max(strengths[at], Strength.LINE)
        for match in _SENTENCE_END.finditer(body, start, end):
            at = bisect_left(starts, match.end()) - low
            if strengths[at] < Strength.SENTENCE and self._ends_sentence(match):
                strengths[at] = Strength.SENTENCE

    def _ends_sentence(self, match: re.Match[str]) -> bool:
        if match[0][0] != ".":
            return True
        following = self._body[match.end() : match.end() + 1]
        before = self._body[max(0, match.start() - 12) : match.start() + 1]
        return not following.islower() and not _ABBREVIATION.search(before)

    def _mark_block(
        self, strengths: bytearray, low: int, block: Block, bounds: tuple[int, int], edge: Strength
    ) -> bool:
        """Keep a block whole if it fits, with its lead if both fit; tell whether it does."""
        start, end = bounds
        last = self._units.index(min(block.end, end)) - low
        first = self._units.index(max(block.lead, start)) - low
        if self._units.tokens(low + first, low + last) > self.limit:
            first = self._units.index(max(block.start, start)) - low
        fits = self._units.tokens(low + first, low + last) <= self.limit
        strengths[first + 1 : last] = strengths[first + 1 : last].translate(_NO_BETTER_THAN_SENTENCE)
        if not fits:
            for position, strength in block.places:
                if start <= position < end:
                    at = self._units.index(position) - low
                    strengths[at] = max(strengths[at], strength)
        for at in (first, last):
            strengths[at] = max(strengths[at], edge)
        return fits


def _within(blocks: list[Block], start: int, end: int) -> list[Block]:
    first = bisect_right(blocks, start, key=lambda block: block.end)
    last = bisect_left(blocks, end, key=lambda block: block.start)
    return blocks[first:last]
