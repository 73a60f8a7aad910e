"""Cuts a body into chunks: small sections together, whole ones where they fit, parts of those that do not."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce

from tokenizers import Tokenizer

from chalicelib.index.cuts import Cutter, pack, shared_path
from chalicelib.index.errors import ChunkSizeRefused
from chalicelib.index.layout import Layout
from chalicelib.index.sections import find_sections
from chalicelib.index.tokens import BLANKS, units_of

LEAST_TOKENS = 32
PACKED_TOKENS = 0


@dataclass(frozen=True, slots=True)
class Chunk:
    """The part `body[start:end]` of a revision. `tokens` is an upper bound, exact where no long word was cut.

    `opening` is what stands above its first line where it begins within a table (caption and header) or within code
    (the fence's first line); it and the part have the limit together.
    """

    ordinal: int
    start: int
    end: int
    heading_path: tuple[str, ...]
    page: int | None
    tokens: int
    opening: str = ""


def chunk_body(
    body: str,
    *,
    tokenizer: Tokenizer,
    chunk_tokens: int = 512,
    overlap_tokens: int = 64,
    packed_tokens: int = PACKED_TOKENS,
    page_starts: Sequence[int] = (),
) -> list[Chunk]:
    """Return chunks in order that cover every visible character; raises ChunkSizeRefused.

    Small sections under one heading are put together up to `packed_tokens`. Only splits of one section overlap.
    `page_starts` are the offsets where pages 1, 2, … begin.
    """
    if chunk_tokens < LEAST_TOKENS or overlap_tokens < 0 or overlap_tokens * 2 > chunk_tokens:
        raise ChunkSizeRefused(
            f"A chunk needs at least {LEAST_TOKENS} tokens, and its overlap may be at most half of it.",
            chunk_tokens=chunk_tokens,
            overlap_tokens=overlap_tokens,
        )
    units = units_of(body, tokenizer)
    layout: Layout | None = None
    chunks: list[Chunk] = []
    for sections in pack(body, units, find_sections(body), min(packed_tokens, chunk_tokens)):
        parts: Iterator[tuple[int, int, str]] = iter([(sections[0].start, sections[-1].end, "")])
        first, last = units.index(sections[0].start), units.index(sections[-1].end)
        if units.tokens(first, last) > chunk_tokens:
            layout = layout or Layout(body, units, tokenizer=tokenizer, limit=chunk_tokens)
            parts = Cutter(body, units, layout, overlap=overlap_tokens).cut(sections[0])
        for low, high, opening in parts:
            start, end = _trim(body, low, high)
            if start < end:
                chunks.append(
                    Chunk(
                        ordinal=len(chunks),
                        start=start,
                        end=end,
                        heading_path=reduce(shared_path, (section.heading_path for section in sections)),
                        page=(bisect_right(page_starts, start) or 1) if page_starts else None,
                        tokens=units.between(start, end),
                        opening=opening,
                    )
                )
    return chunks


def _trim(body: str, start: int, end: int) -> tuple[int, int]:
    part = body[start:end]
    if not part.strip():
        return start, start
    return start + len(part) - len(part.lstrip(BLANKS)), start + len(part.rstrip(BLANKS))
