"""Chunks cover the body, keep the limit and know their headings."""

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chalicelib.index.chunking import chunk_body
from chalicelib.index.errors import ChunkSizeRefused
from chalicelib.index.tokens import load_tokenizer

MARKUP = st.sampled_from(
    ["# A\n", "## B\n\n", "Title\n===\n", "```\n", "~~~~\r", "\r", "\n\n", "word. ", "長い。", "😀"]
)


def uncovered(body, chunks):
    seen = {i for chunk in chunks for i in range(chunk.start, chunk.end)}
    return [i for i, character in enumerate(body) if not character.isspace() and i not in seen]


@settings(deadline=None, max_examples=150)
@given(st.lists(st.text(max_size=80) | MARKUP, max_size=60).map("".join))
def test_every_visible_character_is_in_an_ordered_chunk_within_the_limit(body) -> None:
    tokenizer = load_tokenizer()
    chunks = chunk_body(body, tokenizer=tokenizer, chunk_tokens=32, overlap_tokens=8)
    assert uncovered(body, chunks) == []
    assert [c.ordinal for c in chunks] == list(range(len(chunks)))
    assert all(a.start < b.start and a.end < b.end for a, b in itertools.pairwise(chunks))
    for chunk in chunks:
        true = len(tokenizer.encode(body[chunk.start : chunk.end], add_special_tokens=False).ids)
        assert true <= chunk.tokens <= 32


def test_a_line_of_base64_is_cut_within_the_limit() -> None:
    body = "QUJDRA" * 8334
    chunks = chunk_body(body, tokenizer=load_tokenizer())
    assert uncovered(body, chunks) == []
    assert max(c.tokens for c in chunks) <= 512


@pytest.mark.parametrize(
    ("body", "paths"),
    [
        ("# A\n\ntext\n\n## B\n\nmore", [("A",), ("A", "B")]),
        ("# A\n\n## B\n\nmore", [("A", "B")]),
        ("A\n===\ntext\n\nB\n---\nmore", [("A",), ("A", "B")]),
        ("<h1>A</h1>\ntext\n<h2 id='x'>B</h2>\nmore", [("A",), ("A", "B")]),
        ("````\n```\n# no\n```\n````\n", [()]),
        ("    # no\n", [()]),
        ("---\ntitle: x\n# no\n---\ntext", [()]),
    ],
)
def test_heading_paths_follow_headings_only(body, paths) -> None:
    assert [c.heading_path for c in chunk_body(body, tokenizer=load_tokenizer())] == paths


def test_pages_are_counted_from_one() -> None:
    chunks = chunk_body("# A\n\none\n\n# B\n\ntwo", tokenizer=load_tokenizer(), page_starts=[0, 9])
    assert [c.page for c in chunks] == [1, 2]


def test_an_overlap_above_half_is_refused() -> None:
    with pytest.raises(ChunkSizeRefused):
        chunk_body("x", tokenizer=load_tokenizer(), chunk_tokens=100, overlap_tokens=51)
