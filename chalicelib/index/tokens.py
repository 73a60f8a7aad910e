"""Counts the embedding model's true tokens, word by word, without its weights."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from pathlib import Path

from tokenizers import Tokenizer

_LONGEST_WORD = 16
_BLOCK = re.compile(r"[^\n]{0,20000}\n|[^\n]+|\n")
_SURROGATE = re.compile("[\ud800-\udfff]")
_BATCH = 64


@dataclass(frozen=True, slots=True)
class Unit:
    """A piece of text that may be cut before and after; `tokens` is what it costs at most."""

    start: int
    end: int
    tokens: int


@cache
def load_tokenizer() -> Tokenizer:
    """Return the embedding model's tokenizer, neither truncating nor padding."""
    tokenizer = Tokenizer.from_file(str(Path(__file__).parent / "tokenizer" / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def units_of(body: str, tokenizer: Tokenizer) -> Iterator[Unit]:
    """Yield the words of `body` in order; words are tokenised independently, so that their costs add up."""
    text = _SURROGATE.sub("\ufffd", body)
    blocks = [(match.start(), match.group()) for match in _BLOCK.finditer(text)]
    for first in range(0, len(blocks), _BATCH):
        batch = blocks[first : first + _BATCH]
        encodings = tokenizer.encode_batch([block for _, block in batch], add_special_tokens=False)
        for (offset, _), encoding in zip(batch, encodings, strict=True):
            tokens = zip(encoding.word_ids, encoding.offsets, strict=True)
            for _, word in groupby(tokens, key=lambda token: token[0]):
                spans = [span for _, span in word]
                yield from _units_of_word(text, offset + spans[0][0], offset + spans[-1][1], len(spans))


def _units_of_word(text: str, start: int, end: int, tokens: int) -> Iterator[Unit]:
    """Cut a long word at every character: part of a word never costs more than one token a code point of its NFD."""
    if tokens <= _LONGEST_WORD and end - start <= 100:
        yield Unit(start, end, tokens)
        return
    for position in range(start, end):
        yield Unit(position, position + 1, 1 if text[position].isascii() else 4)
