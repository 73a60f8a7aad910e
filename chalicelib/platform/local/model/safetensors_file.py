"""Reads tensors of a safetensors file where they lie, so that no more of it is in memory than is used.

The format: https://github.com/huggingface/safetensors#format.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

_MOST_HEADER_BYTES = 100_000_000
_TYPES: Mapping[str, np.dtype[np.floating]] = {"F32": np.dtype("<f4"), "F16": np.dtype("<f2")}


class SafetensorsRefused(ValueError):
    """The file is not in the format, or holds tensors of other types than real numbers."""


class _Place(NamedTuple):
    kind: str
    shape: tuple[int, ...]
    first: int
    end: int


class SafetensorsFile:
    """The tensors of one file by name."""

    def __init__(self, path: Path) -> None:
        """Raises OSError, SafetensorsRefused."""
        self._path = path
        self._places, self._start = _read_header(path)

    def __contains__(self, name: object) -> bool:
        return name in self._places

    def tensor(self, name: str) -> npt.NDArray[np.floating]:
        """Return a tensor, mapped from the file. Raises SafetensorsRefused where it has none of that name."""
        place = self._places.get(name)
        if place is None or place.kind not in _TYPES:
            raise SafetensorsRefused(f"{self._path.name} has no {name} of real numbers")
        kind = _TYPES[place.kind]
        if place.end - place.first != kind.itemsize * int(np.prod(place.shape, dtype=np.int64)):
            raise SafetensorsRefused(f"{name} in {self._path.name} is not as long as its shape")
        try:
            return np.memmap(self._path, kind, "r", self._start + place.first, place.shape)
        except ValueError as problem:
            raise SafetensorsRefused(f"{self._path.name} ends before {name} does") from problem


def read_shapes(path: Path) -> Mapping[str, tuple[int, ...]]:
    """Return the shapes of all tensors. Raises OSError, SafetensorsRefused."""
    return {name: place.shape for name, place in _read_header(path)[0].items()}


def _read_header(path: Path) -> tuple[Mapping[str, _Place], int]:
    with path.open("rb") as file:
        length = int.from_bytes(file.read(8), "little")
        if not 2 <= length <= _MOST_HEADER_BYTES:
            raise SafetensorsRefused(f"{path.name} is not a safetensors file")
        header = file.read(length)
    try:
        entries = json.loads(header)
        places = {name: _place(entry) for name, entry in entries.items() if name != "__metadata__"}
    except (ValueError, TypeError, KeyError, AttributeError) as problem:
        raise SafetensorsRefused(f"{path.name} is not a safetensors file") from problem
    return places, 8 + length


def _place(entry: Mapping[str, object]) -> _Place:
    shape, offsets = entry["shape"], entry["data_offsets"]
    if not isinstance(shape, list) or not isinstance(offsets, list):
        raise TypeError("lists of numbers")
    numbers = [int(number) for number in (*shape, *offsets)]
    if min(numbers) < 0:
        raise ValueError("negative")
    first, end = numbers[-2:]
    return _Place(str(entry["dtype"]), tuple(numbers[:-2]), first, end)
