"""What is loaded beside the start, and what is said of it."""

from pathlib import Path

import numpy as np
import pytest

from chalicelib.cli.warm_up import warm_up
from chalicelib.index import language
from chalicelib.platform.errors import EmbedderUnavailable
from chalicelib.platform.local.model.catalogue import E5_Q4
from chalicelib.platform.ports import Embedded
from chalicelib.settings import Settings
from tests.fixtures.embedders import WordEmbedder


class AbsentEmbedder(WordEmbedder):
    """An embedder whose model cannot be had."""

    def embed_query(self, text: str) -> Embedded:
        raise EmbedderUnavailable(f"No model for {text!r}.")


def said(embedder: WordEmbedder | None, cache: Path) -> list[str]:
    heard: list[str] = []
    warm_up([embedder] if embedder else [], Settings(cache_folder=cache), say=heard.append).join(60)
    return [line.partition(":")[0] for line in heard]


def test_a_model_that_is_not_here_is_said_to_come_and_to_have_come(tmp_path: Path) -> None:
    assert said(WordEmbedder(E5_Q4.space), tmp_path) == [
        "The embedding model is being downloaded, this once (91 MB); until then words alone find.",
        "The embedding model is loaded",
    ]


def test_a_model_that_is_here_is_said_to_be_loaded(tmp_path: Path) -> None:
    folder = tmp_path / "models" / "multilingual-e5-small-q4"
    folder.mkdir(parents=True)
    for name in E5_Q4.sha256_by_file:
        (folder / name).write_bytes(np.zeros(1).tobytes())
    assert said(WordEmbedder(E5_Q4.space), tmp_path) == ["The embedding model is loaded"]
    assert said(AbsentEmbedder(), tmp_path) == ["Words alone find for now"]


def test_the_model_of_languages_is_loaded_even_where_there_is_no_embedder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    monkeypatch.setattr("chalicelib.cli.warm_up.detect_language", asked.append)
    assert said(None, tmp_path) == []
    assert len(asked) == 1
    assert language.detect_language("which language is this text written in") == "en"
