"""The embedders in this process: models that are offline once their files are there."""

import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from chalicelib.platform.embedding_models import PAIR
from chalicelib.platform.local.model.catalogue import FETCHED_BY_NAME, LocalModel, recognise
from chalicelib.platform.local.model.fetch import provide_model
from chalicelib.platform.local.paired_embedder import SPACE as PAIR_SPACE
from chalicelib.platform.local.paired_embedder import PairedEmbedder
from chalicelib.platform.ports import Embedded, Embedder

if TYPE_CHECKING:
    from chalicelib.platform.local.model.engine import Engine
    from chalicelib.platform.local.model.windows import Purpose

ModelName = Literal["e5-minilm", "multilingual-e5-small", "all-MiniLM-L6-v2"]
DEFAULT_MODEL: ModelName = PAIR
PAIRED: tuple[ModelName, ModelName] = ("multilingual-e5-small", "all-MiniLM-L6-v2")
"""What the pair is made of: a multilingual model, and an English one."""


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


def local_embedders(
    name: ModelName, model_folder: Path | None, cache_folder: Path, *, may_be_english: Callable[[str], bool]
) -> Sequence[Embedder]:
    """Return an embedder for each space that this machine can serve, the one for new organizations first.

    That is the named one, or else, where a folder was given, what the folder's files are of: the pair of both models
    where both are there. The others serve organizations whose vectors are theirs. Each is loaded when it is first used,
    and fetched into the cache then, but not where a folder was given: it says that everything is there.
    """
    folder = model_folder.expanduser() if model_folder is not None else None
    given = {model.space: model for model in recognise(folder)} if folder else {}
    known = {model.space: model for model in FETCHED_BY_NAME.values()}
    singles = {
        space: LocalEmbedder(
            model, folder if folder and space in given else _in_cache(model, cache_folder), fetch=folder is None
        )
        for space, model in (given | known).items()
    }
    multilingual, english = (singles[FETCHED_BY_NAME[one].space] for one in PAIRED)
    pair = PairedEmbedder(multilingual, english, may_be_english=may_be_english)
    offered: dict[str, Embedder] = {pair.space: pair, **singles}
    first = _first(name, given) if folder else _space_of(name)
    return [offered[first], *(embedder for space, embedder in offered.items() if space != first)]


def local_embedder(
    model_folder: Path | None,
    cache_folder: Path,
    name: ModelName = DEFAULT_MODEL,
    *,
    may_be_english: Callable[[str], bool],
) -> Embedder:
    """Return the one for new organizations."""
    return local_embedders(name, model_folder, cache_folder, may_be_english=may_be_english)[0]


def _first(name: ModelName, given: Mapping[str, LocalModel]) -> str:
    """Return the space of the named model where a folder has it, else that of what it has."""
    paired = {FETCHED_BY_NAME[one].space for one in PAIRED}
    possible = ([PAIR_SPACE] if paired <= given.keys() else []) + list(given)
    named = _space_of(name)
    return named if named in possible or not possible else possible[0]


def _space_of(name: ModelName) -> str:
    return PAIR_SPACE if name == PAIR else FETCHED_BY_NAME[name].space


def megabytes_to_fetch(space: str, model_folder: Path | None, cache_folder: Path) -> int:
    """Return what is still to be downloaded for a space: 0 where the files are there, whole or not, or never come."""
    if model_folder is not None:
        return 0
    names = PAIRED if space == PAIR_SPACE else tuple(FETCHED_BY_NAME)
    wanted = [model for one, model in FETCHED_BY_NAME.items() if one in names and space in {model.space, PAIR_SPACE}]
    return sum(
        model.megabytes
        for model in wanted
        if not all((_in_cache(model, cache_folder) / file).is_file() for file in model.sha256_by_file)
    )


def _in_cache(model: LocalModel, cache_folder: Path) -> Path:
    return cache_folder.expanduser() / "models" / model.name
