"""Turns texts into vectors with the model on this machine: windows, batches, pooling."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from tokenizers import Tokenizer

from chalicelib.platform.local.model import DIMENSIONS
from chalicelib.platform.local.model.graph import EncoderRequest, Precision, compile_encoder
from chalicelib.platform.ports import Vectors

# The length that the model was trained on; the mean of such windows ranks better than one of 512 (docs/benchmarks.md).
_WINDOW = 256 - 2
_BATCH_TOKENS = 512
_WIDTH_STEP = 8
_CLS, _SEP = 101, 102


class _Window(NamedTuple):
    row: int
    ids: list[int]


class Engine:
    """One compiled model; threads may share it, each with a request of its own."""

    def __init__(self, folder: Path, *, precision: Precision | None = None, window: int = _WINDOW) -> None:
        """Without `precision`, bf16 where that is faster. `window` is in tokens, 510 at most."""
        self._window = window
        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        self._request = EncoderRequest(compile_encoder(folder / "model.safetensors", precision=precision))

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return unit rows; texts beyond the window are the mean of their windows, weighted by tokens."""
        readable = [text.encode("utf-8", "replace").decode() for text in texts]
        windows: list[_Window] = []
        for row, encoding in enumerate(self._tokenizer.encode_batch(readable, add_special_tokens=False)):
            ids = encoding.ids
            windows += [_Window(row, ids[first : first + self._window]) for first in range(0, len(ids), self._window)]
        total = np.zeros((len(texts), DIMENSIONS), np.float32)
        for batch in _batches(windows):
            for window, vector in zip(batch, self._run([window.ids for window in batch]), strict=True):
                total[window.row] += vector * len(window.ids)
        return _unit(total)

    def _run(self, batch: list[list[int]]) -> Vectors:
        width = _width(max(map(len, batch)))
        ids = np.zeros((len(batch), width), np.int64)
        mask = np.zeros((len(batch), width), np.float32)
        for row, window in enumerate(batch):
            ids[row, : len(window) + 2] = [_CLS, *window, _SEP]
            mask[row, : len(window) + 2] = 1
        pooled = self._request.infer(ids, mask)
        return _unit(np.where(np.isfinite(pooled).all(axis=1, keepdims=True), pooled, np.float32(0)))


def _batches(windows: list[_Window]) -> Iterator[list[_Window]]:
    """Put windows of like length together, few at a time: padding is dear, and a question waits for one batch."""
    batch: list[_Window] = []
    for window in sorted(windows, key=lambda window: len(window.ids)):
        if batch and (len(batch) + 1) * _width(len(window.ids)) > _BATCH_TOKENS:
            yield batch
            batch = []
        batch.append(window)
    if batch:
        yield batch


def _width(tokens: int) -> int:
    """Round up, since the first run of every new shape has to be prepared."""
    return -(-(tokens + 2) // _WIDTH_STEP) * _WIDTH_STEP


def _unit(rows: Vectors) -> Vectors:
    return np.asarray(rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), np.float32(1e-12)), np.float32)
