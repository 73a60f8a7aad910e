"""The local embedder embeds texts whole and never answers NaN."""

from pathlib import Path

import numpy as np
import pytest

from chalicelib.platform.errors import EmbedderUnavailable
from chalicelib.platform.local.embedder import (
    LocalEmbedder,
    ModelName,
    local_embedder,
    local_embedders,
    megabytes_to_fetch,
)


def spaces_of(name: ModelName, folder: Path | None, cache: Path) -> list[str]:
    return [embedder.space for embedder in local_embedders(name, folder, cache, may_be_english=bool)]


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


def test_this_machine_serves_every_space_and_new_organizations_the_pair(tmp_path: Path) -> None:
    spaces = ["e5-minilm/768", "multilingual-e5-small-q4/384", "all-MiniLM-L6-v2/384"]
    assert spaces_of("e5-minilm", None, tmp_path) == spaces
    assert spaces_of("multilingual-e5-small", None, tmp_path) == [spaces[1], spaces[0], spaces[2]]
    assert spaces_of("all-MiniLM-L6-v2", None, tmp_path) == [spaces[2], spaces[0], spaces[1]]


@pytest.mark.model
def test_a_folder_decides_which_model_comes_first(model_folder: Path, packed_folder: Path, tmp_path: Path) -> None:
    minilm = local_embedders("multilingual-e5-small", model_folder, tmp_path, may_be_english=bool)
    assert minilm[0].space == "all-MiniLM-L6-v2/384"
    assert spaces_of("all-MiniLM-L6-v2", packed_folder, tmp_path)[0] == "multilingual-e5-small-q4/384"
    assert minilm[0].embed_query("a").vectors.any()
    (pair,) = (embedder for embedder in minilm if embedder.space == "e5-minilm/768")
    with pytest.raises(EmbedderUnavailable, match=r"e5-small-q4\.bin cannot be read"):
        pair.embed_query("a")


@pytest.mark.model
def test_a_folder_with_both_models_is_the_pair(model_folder: Path, packed_folder: Path, tmp_path: Path) -> None:
    both = tmp_path / "both"
    both.mkdir()
    for file in (*model_folder.iterdir(), *packed_folder.iterdir()):
        (both / file.name).symlink_to(file)
    pair, *_ = local_embedders("e5-minilm", both, tmp_path / "cache", may_be_english=lambda text: "the" in text)
    embedded = pair.embed_passages(["the weather is fine", "das Wetter ist schön", "Paris"])
    english, german, city = embedded.vectors
    assert np.linalg.norm(embedded.vectors, axis=1) == pytest.approx(1, abs=1e-5)
    assert english @ german > max(english @ city, german @ city)
    assert pair.embed_query("the weather").vectors.shape == (1, 768)
    assert spaces_of("all-MiniLM-L6-v2", both, tmp_path)[0] == "all-MiniLM-L6-v2/384"


def test_what_is_to_be_downloaded_is_known_before(tmp_path: Path) -> None:
    space = "multilingual-e5-small-q4/384"
    assert megabytes_to_fetch(space, None, tmp_path) == 91
    assert megabytes_to_fetch(space, tmp_path, tmp_path) == 0
    assert megabytes_to_fetch("openai/text-embedding-3-small/1536", None, tmp_path) == 0
    folder = tmp_path / "models" / "multilingual-e5-small-q4"
    folder.mkdir(parents=True)
    assert megabytes_to_fetch("e5-minilm/768", None, tmp_path) == 181
    (folder / "e5-small-q4.bin").write_bytes(b"")
    assert megabytes_to_fetch(space, None, tmp_path) == 0
    assert megabytes_to_fetch("e5-minilm/768", None, tmp_path) == 90


def test_a_folder_that_was_named_is_never_filled(tmp_path: Path) -> None:
    named = local_embedder(tmp_path / "named", tmp_path / "cache", may_be_english=bool)
    with pytest.raises(EmbedderUnavailable, match="cannot be read"):
        named.embed_query("x")
    assert list(tmp_path.iterdir()) == []
