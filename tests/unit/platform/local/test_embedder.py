"""The local embedder embeds texts whole, alike in any company, and never answers NaN."""

import numpy as np
import pytest

from chalicelib.platform.errors import EmbedderUnavailable
from chalicelib.platform.local.model.fetch import provide_model
from tests.fixtures.models import embedder

__all__ = ["embedder"]


@pytest.mark.model
def test_near_texts_are_nearer_than_far_ones_and_rows_have_length_one(embedder) -> None:
    rows = embedder.embed_passages(
        ["A cat sits on the mat.", "A kitten rests on a rug.", "Interest rates rose in May."]
    )
    assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)
    assert rows[0] @ rows[1] > rows[0] @ rows[2] + 0.3


@pytest.mark.model
@pytest.mark.parametrize("text", ["", " \n", "\x00"])
def test_a_text_without_meaning_has_a_zero_row(embedder, text) -> None:
    assert not embedder.embed_query(text).any()


@pytest.mark.model
def test_the_tail_of_a_long_text_counts(embedder) -> None:
    head = "weather report " * 600
    rows = embedder.embed_passages([head, head + "the treaty on fisheries was signed " * 60])
    assert rows[0] @ rows[1] < 0.999


def test_a_damaged_file_is_refused_with_the_remedy(tmp_path) -> None:
    for name in ("model.safetensors", "tokenizer.json"):
        (tmp_path / name).write_bytes(b"x")
    with pytest.raises(EmbedderUnavailable, match="LOREBASE_MODEL_FOLDER"):
        provide_model(tmp_path)
