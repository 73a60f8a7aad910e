"""The embedder in this process: all-MiniLM-L6-v2, offline once its files are there."""

import threading
from collections.abc import Sequence
from pathlib import Path

from chalicelib.platform.local.model.engine import DIMENSIONS, SPACE, Engine
from chalicelib.platform.local.model.fetch import provide_model
from chalicelib.platform.ports import Vectors


class LocalEmbedder:
    """Loads the model at the first text; threads may share it."""

    space = SPACE
    dimensions = DIMENSIONS
    languages: frozenset[str] | None = frozenset({"en"})

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._engine: Engine | None = None
        self._loading = threading.Lock()

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Embed texts of any length, whole. Raises EmbedderUnavailable."""
        return self._load().embed(texts)

    def embed_query(self, text: str) -> Vectors:
        """Embed one question. Raises EmbedderUnavailable."""
        return self._load().embed([text])

    def _load(self) -> Engine:
        with self._loading:
            if self._engine is None:
                self._engine = Engine(provide_model(self._folder))
            return self._engine


def cached_model_folder(cache: Path) -> Path:
    """Return where the model's files are kept inside a user's cache folder."""
    return cache / "lorebase" / "models" / "all-MiniLM-L6-v2"
