"""The embedder in this process: all-MiniLM-L6-v2, offline once its files are there."""

import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from chalicelib.platform.local.model import DIMENSIONS, SPACE
from chalicelib.platform.local.model.fetch import SHA256_BY_NAME, provide_model
from chalicelib.platform.ports import Embedded

if TYPE_CHECKING:
    from chalicelib.platform.local.model.engine import Engine


class LocalEmbedder:
    """Loads the model at the first text; threads may share it."""

    space = SPACE
    dimensions = DIMENSIONS
    languages: frozenset[str] | None = frozenset({"en"})

    def __init__(self, folder: Path, *, fetch: bool = True) -> None:
        """`folder` holds the model's files, or will, once they are fetched; without `fetch` they must be there."""
        self._folder = folder
        self._fetch = fetch
        self._engine: Engine | None = None
        self._loading = threading.Lock()

    def embed_passages(self, texts: Sequence[str]) -> Embedded:
        """Embed texts of any length, whole. Raises EmbedderUnavailable."""
        return self._load().embed(texts)

    def embed_query(self, text: str) -> Embedded:
        """Embed one question. Raises EmbedderUnavailable."""
        return self._load().embed([text])

    def _load(self) -> "Engine":
        with self._loading:
            if self._engine is None:
                # OpenVINO takes a third of a second to import, and nobody may ever ask.
                from chalicelib.platform.local.model.engine import Engine  # noqa: PLC0415

                self._engine = Engine(provide_model(self._folder, fetch=self._fetch))
            return self._engine


def local_embedder(model_folder: Path | None, cache_folder: Path) -> LocalEmbedder:
    """Use the model folder that was given as it is, or one in the cache folder that is filled when it is empty."""
    return LocalEmbedder(_folder(model_folder, cache_folder), fetch=model_folder is None)


def is_model_here(model_folder: Path | None, cache_folder: Path) -> bool:
    """Tell whether there is nothing to download: the files are there, whole or not, or a folder was given."""
    folder = _folder(model_folder, cache_folder)
    return model_folder is not None or all((folder / name).is_file() for name in SHA256_BY_NAME)


def _folder(model_folder: Path | None, cache_folder: Path) -> Path:
    return (model_folder or cache_folder / "models" / "all-MiniLM-L6-v2").expanduser()
