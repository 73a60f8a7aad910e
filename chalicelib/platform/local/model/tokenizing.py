"""Cuts texts into the token ids of a model, by its tokenizer.json."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeAlias

from tokenizers import Tokenizer

Tokenize: TypeAlias = Callable[[Sequence[str]], Sequence[list[int]]]
"""Takes texts of valid Unicode, returns the ids of each, without marks around them."""


def read_tokenizer(path: Path) -> Tokenizer:
    """Read a tokenizer.json; nothing is cut off or filled up by it, for windows do that."""
    tokenizer = Tokenizer.from_file(str(path))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def tokenize_by_file(path: Path) -> Tokenize:
    """Return the cutter that a tokenizer.json describes."""
    tokenizer = read_tokenizer(path)
    return lambda texts: [encoding.ids for encoding in tokenizer.encode_batch(list(texts), add_special_tokens=False)]
