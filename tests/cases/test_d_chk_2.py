"""D-CHK-2: a very long run without blanks is cut within the limit, and an overlap that cannot work is refused."""

import base64
import random

import pytest
from pydantic import ValidationError

from chalicelib.index.chunking import chunk_body
from chalicelib.index.errors import ChunkSizeRefused
from chalicelib.index.tokens import load_tokenizer
from chalicelib.settings import Settings

LINE = base64.b64encode(random.Random(7).randbytes(37_500)).decode()


def test_a_line_of_fifty_thousand_characters_can_be_put_back_together() -> None:
    assert len(LINE) == 50_000
    tokenizer = load_tokenizer()
    chunks = chunk_body(LINE, tokenizer=tokenizer)
    texts = [LINE[chunk.start : chunk.end] for chunk in chunks]
    assert max(len(tokenizer.encode(text, add_special_tokens=False).ids) for text in texts) <= 512
    whole = ""
    for chunk in chunks:
        assert chunk.start <= len(whole) < chunk.end
        whole += LINE[len(whole) : chunk.end]
    assert whole == LINE


@pytest.mark.parametrize(("size", "overlap"), [(200, 200), (200, 300), (0, 0)])
def test_settings_that_cannot_work_are_refused_with_400(size: int, overlap: int) -> None:
    with pytest.raises(ChunkSizeRefused) as raised:
        chunk_body("text", tokenizer=load_tokenizer(), chunk_tokens=size, overlap_tokens=overlap)
    assert raised.value.status == 400


@pytest.mark.parametrize(("size", "overlap"), [(200, 200), (200, 300), (0, 0)])
def test_they_are_refused_where_they_are_set(monkeypatch: pytest.MonkeyPatch, size: int, overlap: int) -> None:
    monkeypatch.setenv("LOREBASE_CHUNK_TOKENS", str(size))
    monkeypatch.setenv("LOREBASE_CHUNK_OVERLAP", str(overlap))
    with pytest.raises(ValidationError, match=r"(?i)chunk_(tokens|overlap)"):
        Settings()
