"""An embedder that remembers how its last work ended, so that health can tell without asking it."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Literal

from chalicelib.platform.errors import EmbedderUnavailable
from chalicelib.platform.ports import Embedded, Embedder

EmbedderState = Literal["ready", "loading", "unavailable"]


class WatchedEmbedder:
    """Stands before any embedder. Its state: `ready` until told otherwise, `loading` during the very first work."""

    def __init__(self, embedder: Embedder) -> None:
        self.space = embedder.space
        self.dimensions = embedder.dimensions
        self.languages = embedder.languages
        self.state: EmbedderState = "ready"
        self._embedder = embedder
        self._has_answered = False

    def embed_passages(self, texts: Sequence[str]) -> Embedded:
        """Embed texts of any length, whole. Raises EmbedderUnavailable."""
        with self._watched():
            return self._embedder.embed_passages(texts)

    def embed_query(self, text: str) -> Embedded:
        """Embed one question. Raises EmbedderUnavailable."""
        with self._watched():
            return self._embedder.embed_query(text)

    @contextmanager
    def _watched(self) -> Iterator[None]:
        if not self._has_answered:
            self.state = "loading"
        try:
            yield
        except EmbedderUnavailable:
            self.state = "unavailable"
            raise
        finally:
            self._has_answered = True
        self.state = "ready"
