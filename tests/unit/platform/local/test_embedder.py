"""The local embedder embeds texts whole and never answers NaN."""

from pathlib import Path

import numpy as np
import pytest

from chalicelib.platform.errors import EmbedderUnavailable
from chalicelib.platform.local.embedder import LocalEmbedder, local_embedder


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


def test_a_folder_that_was_named_is_never_filled(tmp_path: Path) -> None:
    named = local_embedder(tmp_path / "named", tmp_path / "cache")
    with pytest.raises(EmbedderUnavailable, match="cannot be read"):
        named.embed_query("x")
    assert list(tmp_path.iterdir()) == []
