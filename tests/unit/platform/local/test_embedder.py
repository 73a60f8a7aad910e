"""The local embedder embeds texts whole and never answers NaN."""

from pathlib import Path

import numpy as np
import pytest

from chalicelib.platform.errors import EmbedderUnavailable
from chalicelib.platform.local.embedder import LocalEmbedder, local_embedder, local_embedders, megabytes_to_fetch


@pytest.mark.model
def test_near_texts_are_nearer_than_far_ones(embedder: LocalEmbedder) -> None:
    rows = embedder.embed_passages(
        ["A cat sits on the mat.", "A kitten rests on a rug.", "Interest rates rose in May."]
    ).vectors
    assert rows[0] @ rows[1] > rows[0] @ rows[2] + 0.3


@pytest.mark.model
@pytest.mark.parametrize("text", ["", " \n", "\x00"])
def test_a_text_without_meaning_has_a_zero_row_in_any_company(embedder: LocalEmbedder, text: str) -> None:
    assert not embedder.embed_query(text).vectors.any()
    assert np.allclose(np.linalg.norm(embedder.embed_passages(["a", text, "b"]).vectors, axis=1), [1, 0, 1], atol=1e-5)


@pytest.mark.model
def test_a_text_without_meaning_is_zero_in_every_language(multilingual_embedder: LocalEmbedder) -> None:
    rows = multilingual_embedder.embed_passages(["", " \n", "\x00", "\u200b", "a"]).vectors
    assert np.allclose(np.linalg.norm(rows, axis=1), [0, 0, 0, 0, 1], atol=1e-5)


@pytest.mark.model
@pytest.mark.parametrize(
    "text", ["\ud800 lone", "😀" * 50, '"\\\n{}', "a" * 20_000, "ﬁ\u0301", "x \x00 y", "</s><mask>"]
)
def test_any_string_has_a_multilingual_vector(text: str, multilingual_embedder: LocalEmbedder) -> None:
    assert np.linalg.norm(multilingual_embedder.embed_query(text).vectors) == pytest.approx(1, abs=1e-5)


def test_this_machine_serves_every_space_and_new_organizations_the_multilingual_one(tmp_path: Path) -> None:
    spaces = [embedder.space for embedder in local_embedders("multilingual-e5-small", None, tmp_path)]
    assert spaces == ["multilingual-e5-small-q4/384", "all-MiniLM-L6-v2/384"]
    assert [embedder.space for embedder in local_embedders("all-MiniLM-L6-v2", None, tmp_path)] == spaces[::-1]
    assert [embedder.languages for embedder in local_embedders("all-MiniLM-L6-v2", None, tmp_path)] == [{"en"}, None]


@pytest.mark.model
def test_a_folder_decides_which_model_comes_first(model_folder: Path, packed_folder: Path, tmp_path: Path) -> None:
    minilm = local_embedders("multilingual-e5-small", model_folder, tmp_path)
    packed = local_embedders("all-MiniLM-L6-v2", packed_folder, tmp_path)
    assert minilm[0].space == packed[1].space == "all-MiniLM-L6-v2/384"
    assert minilm[0].embed_query("a").vectors.any()
    with pytest.raises(EmbedderUnavailable, match=r"e5-small-q4\.bin cannot be read"):
        minilm[1].embed_query("a")


def test_what_is_to_be_downloaded_is_known_before(tmp_path: Path) -> None:
    space = "multilingual-e5-small-q4/384"
    assert megabytes_to_fetch(space, None, tmp_path) == 91
    assert megabytes_to_fetch(space, tmp_path, tmp_path) == 0
    assert megabytes_to_fetch("openai/text-embedding-3-small/1536", None, tmp_path) == 0
    folder = tmp_path / "models" / "multilingual-e5-small-q4"
    folder.mkdir(parents=True)
    (folder / "e5-small-q4.bin").write_bytes(b"")
    assert megabytes_to_fetch(space, None, tmp_path) == 0


def test_a_folder_that_was_named_is_never_filled(tmp_path: Path) -> None:
    named = local_embedder(tmp_path / "named", tmp_path / "cache")
    with pytest.raises(EmbedderUnavailable, match="cannot be read"):
        named.embed_query("x")
    assert list(tmp_path.iterdir()) == []
