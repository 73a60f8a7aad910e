"""Turns texts into vectors with all-MiniLM-L6-v2 on this machine."""

from collections.abc import Sequence
from pathlib import Path

from chalicelib.platform.local.model import DIMENSIONS
from chalicelib.platform.local.model.graph import build_encoder
from chalicelib.platform.local.model.openvino_runtime import GraphRequest, Precision, compile_graph
from chalicelib.platform.local.model.windows import Frame, embed_in_windows, read_tokenizer
from chalicelib.platform.ports import Embedded

# The length that the model was trained on; the mean of such windows ranks better than one of 512 (docs/benchmarks.md).
_WINDOW = 256 - 2
_CLS, _SEP, _PAD = 101, 102, 0


class Engine:
    """One compiled model; threads may share it, each with a request of its own."""

    def __init__(self, folder: Path, *, precision: Precision | None = None, window: int = _WINDOW) -> None:
        """Without `precision`, the one that is fastest here. `window` is in tokens, 510 at most."""
        self._frame = Frame((_CLS,), (_SEP,), padding=_PAD, window=window)
        self._tokenizer = read_tokenizer(folder / "tokenizer.json")
        self._request = GraphRequest(compile_graph(build_encoder(folder / "model.safetensors"), precision=precision))

    def embed(self, texts: Sequence[str]) -> Embedded:
        """Return unit rows; a text without meaning is zero. Tokens are those of the texts, without marks around."""
        return embed_in_windows(
            texts, tokenizer=self._tokenizer, frame=self._frame, dimensions=DIMENSIONS, run=self._request.infer
        )
