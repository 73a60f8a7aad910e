"""Embeds texts of any length with a model that reads a few hundred tokens: windows, batches, and their mean."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from chalicelib.platform.local.model.tokenizing import Tokenize
from chalicelib.platform.ports import Embedded, Vectors

TokenIds = npt.NDArray[np.int64]
Purpose = Literal["passage", "query"]

_BATCH_TOKENS = 512
_WIDTH_STEP = 8


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
    for batch in _batches(windows, around):
        for window, vector in zip(batch, _run(batch, frame, run), strict=True):
            total[window.row] += vector * len(window.ids)
    return Embedded(_unit(total), sum(len(window.ids) for window in windows))


def _run(batch: list[_Window], frame: Frame, run: Callable[[TokenIds, TokenIds], Vectors]) -> Vectors:
    around = len(frame.before) + len(frame.after)
    width = _width(max(len(window.ids) for window in batch) + around)
    ids = np.full((len(batch), width), frame.padding, np.int64)
    mask = np.zeros((len(batch), width), np.int64)
    for row, window in enumerate(batch):
        filled = len(window.ids) + around
        ids[row, :filled] = [*frame.before, *window.ids, *frame.after]
        mask[row, :filled] = 1
    pooled = run(ids, mask)
    return _unit(np.where(np.isfinite(pooled).all(axis=1, keepdims=True), pooled, np.float32(0)))


def _batches(windows: list[_Window], around: int) -> Iterator[list[_Window]]:
    """Put windows of like length together, few at a time: padding is dear, and a question waits for one batch."""
    batch: list[_Window] = []
    for window in sorted(windows, key=lambda window: len(window.ids)):
        if batch and (len(batch) + 1) * _width(len(window.ids) + around) > _BATCH_TOKENS:
            yield batch
            batch = []
        batch.append(window)
    if batch:
        yield batch


def _width(tokens: int) -> int:
    """Round up, since the first run of every new shape has to be prepared."""
    return -(-tokens // _WIDTH_STEP) * _WIDTH_STEP


def _unit(rows: Vectors) -> Vectors:
    return np.asarray(rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), np.float32(1e-12)), np.float32)
