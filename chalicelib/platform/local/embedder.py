"""The embedders in this process: models that are offline once their files are there."""

import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from chalicelib.platform.local.model.catalogue import FETCHED_BY_NAME, LocalModel, recognise
from chalicelib.platform.local.model.fetch import provide_model
from chalicelib.platform.ports import Embedded

if TYPE_CHECKING:
    from chalicelib.platform.local.model.engine import Engine
    from chalicelib.platform.local.model.windows import Purpose

ModelName = Literal["multilingual-e5-small", "all-MiniLM-L6-v2"]
DEFAULT_MODEL: ModelName = "multilingual-e5-small"


class LocalEmbedder:
    """Loads its model at the first text; threads may share it."""

    def __init__(self, model: LocalModel, folder: Path, *, fetch: bool = True) -> None:
        """`folder` holds the model's files, or will, once they are fetched; without `fetch` they must be there."""
        self.space = model.space
        self.dimensions = model.published.dimensions
        self.languages = model.published.languages
        self._model = model
        self._folder = folder
        self._fetch = fetch
        self._engine: Engine | None = None
        self._loading = threading.Lock()

    def embed_passages(self, texts: Sequence[str]) -> Embedded:
        """Embed texts of any length, whole. Raises EmbedderUnavailable."""
        return self._embed(texts, "passage")

    def embed_query(self, text: str) -> Embedded:
        """Embed one question. Raises EmbedderUnavailable."""
        return self._embed([text], "query")

    def _embed(self, texts: Sequence[str], purpose: "Purpose") -> Embedded:
        return self._load().embed(texts, purpose)

    def _load(self) -> "Engine":
        with self._loading:
            if self._engine is None:
                # OpenVINO takes a third of a second to import, and nobody may ever ask.
                from chalicelib.platform.local.model.engine import Engine  # noqa: PLC0415

                folder = provide_model(self._model, self._folder, fetch=self._fetch)
                self._engine = Engine(folder, self._model)
            return self._engine


def local_embedders(name: ModelName, model_folder: Path | None, cache_folder: Path) -> Sequence[LocalEmbedder]:
    """Return an embedder for each space that this machine can serve, the one for new organizations first.

    That is the model of the folder that was given, or else the named one. The others serve organizations whose
    vectors are theirs. Each is loaded when it is first used, and fetched into the cache then, but not where a folder
    was given: it says that everything is there.
    """
    fetch = model_folder is None
    named = FETCHED_BY_NAME[name]
    folders = {model.space: (model, _in_cache(model, cache_folder)) for model in (named, *FETCHED_BY_NAME.values())}
    if model_folder is not None:
        given = recognise(model_folder.expanduser()) or named
        folders = {given.space: (given, model_folder.expanduser())} | {
            space: placed for space, placed in folders.items() if space != given.space
        }
    return [LocalEmbedder(model, folder, fetch=fetch) for model, folder in folders.values()]


def local_embedder(model_folder: Path | None, cache_folder: Path, name: ModelName = DEFAULT_MODEL) -> LocalEmbedder:
    """Return the one for new organizations."""
    return local_embedders(name, model_folder, cache_folder)[0]


def megabytes_to_fetch(space: str, model_folder: Path | None, cache_folder: Path) -> int:
    """Return what is still to be downloaded for a space: 0 where the files are there, whole or not, or never come."""
    models = [model for model in FETCHED_BY_NAME.values() if model.space == space and model_folder is None]
    return sum(
        model.megabytes
        for model in models
        if not all((_in_cache(model, cache_folder) / file).is_file() for file in model.sha256_by_file)
    )


def _in_cache(model: LocalModel, cache_folder: Path) -> Path:
    return cache_folder.expanduser() / "models" / model.name
