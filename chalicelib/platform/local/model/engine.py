"""Turns texts into vectors with the model on this machine: windows, batches, pooling."""

import threading
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from tokenizers import Tokenizer

from chalicelib.platform.local.model.graph import compile_encoder
from chalicelib.platform.ports import Vectors

SPACE = "all-MiniLM-L6-v2/384"
DIMENSIONS = 384
_WINDOW = 510
_BATCH = 4
_CLS, _SEP = 101, 102


class Engine:
    """One compiled model; threads may share it, and take turns."""

    def __init__(self, folder: Path) -> None:
        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        self._model = compile_encoder(folder / "model.safetensors")
        self._turn = threading.Lock()

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return unit rows; texts beyond the window are the mean of their windows, weighted by tokens."""
        readable = [text.encode("utf-8", "replace").decode() for text in texts]
        windows: list[tuple[int, list[int]]] = []
        for row, encoding in enumerate(self._tokenizer.encode_batch(readable, add_special_tokens=False)):
            ids = encoding.ids
            windows += [(row, ids[first : first + _WINDOW]) for first in range(0, len(ids), _WINDOW)]
        windows.sort(key=lambda window: len(window[1]))
        total = np.zeros((len(texts), DIMENSIONS), np.float32)
        for first in range(0, len(windows), _BATCH):
            batch = windows[first : first + _BATCH]
            for (row, ids), vector in zip(batch, self._run([ids for _, ids in batch]), strict=True):
                total[row] += vector * len(ids)
        return np.asarray(
            total / np.maximum(np.linalg.norm(total, axis=1, keepdims=True), np.float32(1e-12)), np.float32
        )

    def _run(self, batch: list[list[int]]) -> Vectors:
        width = max(map(len, batch)) + 2
        ids = np.zeros((len(batch), width), np.int64)
        mask = np.zeros((len(batch), width), np.float32)
        for row, window in enumerate(batch):
            ids[row, : len(window) + 2] = [_CLS, *window, _SEP]
            mask[row, : len(window) + 2] = 1
        with self._turn:
            pooled = np.array(self._model([ids, mask])[0], np.float32)
        pooled = np.where(np.isfinite(pooled).all(axis=1, keepdims=True), pooled, np.float32(0))
        return np.asarray(
            pooled / np.maximum(np.linalg.norm(pooled, axis=1, keepdims=True), np.float32(1e-12)), np.float32
        )
