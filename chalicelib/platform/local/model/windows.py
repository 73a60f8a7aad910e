"""Embeds texts of any length with a model that reads a few hundred tokens: windows, batches, and their mean."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from chalicelib.platform.local.model.batches import batches_by_length, padded_width
from chalicelib.platform.local.model.tokenizing import Tokenize
from chalicelib.platform.ports import Embedded, Vectors

TokenIds = npt.NDArray[np.int64]
Purpose = Literal["passage", "query"]


@dataclass(frozen=True, slots=True)
class Frame:
    """What stands around each window, as token ids. `window` is how many tokens of text fit between."""

    before: tuple[int, ...]
    after: tuple[int, ...]
    padding: int
    window: int


class _Window(NamedTuple):
    row: int
    ids: list[int]


def embed_in_windows(
    texts: Sequence[str],
    *,
    tokenize: Tokenize,
    frame: Frame,
    dimensions: int,
    run: Callable[[TokenIds, TokenIds], Vectors],
) -> Embedded:
    """Return unit rows; texts beyond the window are the mean of their windows, weighted by tokens.

    `run` takes ids and mask, and returns one pooled row a window, of any length. A text without tokens is zero.
    The tokens counted are those of the texts, without what stands around each window.
    """
    readable = [text.encode("utf-8", "replace").decode() for text in texts]
    windows: list[_Window] = []
    size = frame.window
    for row, ids in enumerate(tokenize(readable)):
        windows += [_Window(row, ids[first : first + size]) for first in range(0, len(ids), size)]
    total = np.zeros((len(texts), dimensions), np.float32)
    around = len(frame.before) + len(frame.after)
    for places in batches_by_length([len(window.ids) + around for window in windows]):
        batch = [windows[place] for place in places]
        for window, vector in zip(batch, _run(batch, frame, run), strict=True):
            total[window.row] += vector * len(window.ids)
    return Embedded(_unit(total), sum(len(window.ids) for window in windows))


def _run(batch: list[_Window], frame: Frame, run: Callable[[TokenIds, TokenIds], Vectors]) -> Vectors:
    around = len(frame.before) + len(frame.after)
    width = padded_width(max(len(window.ids) for window in batch) + around)
    ids = np.full((len(batch), width), frame.padding, np.int64)
    mask = np.zeros((len(batch), width), np.int64)
    for row, window in enumerate(batch):
        filled = len(window.ids) + around
        ids[row, :filled] = [*frame.before, *window.ids, *frame.after]
        mask[row, :filled] = 1
    pooled = run(ids, mask)
    return _unit(np.where(np.isfinite(pooled).all(axis=1, keepdims=True), pooled, np.float32(0)))


def _unit(rows: Vectors) -> Vectors:
    return np.asarray(rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), np.float32(1e-12)), np.float32)
