"""Texts are cut where they may be, and nothing of them is lost."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalicelib.platform.pieces import cleaned, cut_to_fit, estimated_tokens, halves_of, piece_of


@pytest.mark.parametrize(
    ("text", "halves"),
    [
        ("one two three. Four five six.", ["one two three.", "Four five six."]),
        ("one two. three\n\nfour five. six", ["one two. three", "four five. six"]),
        ("aaaa bbbb", ["aaaa", "bbbb"]),
        ("abcdef", ["abc", "def"]),
        ("ab", ["a", "b"]),
        ("aae\u0301bb", ["aae\u0301", "bb"]),
    ],
)
def test_a_text_is_cut_near_its_middle(text: str, halves: list[str]) -> None:
    assert [half.text for half in halves_of(piece_of(3, text))] == halves


def test_a_half_without_a_visible_character_is_left_out() -> None:
    assert [half.text for half in halves_of(piece_of(0, "aa\u200b\u200b"))] == ["aa"]


def test_tokens_are_estimated_from_above() -> None:
    assert estimated_tokens("The quick brown fox jumps over the lazy dog.") >= 10
    assert estimated_tokens("知識庫是團隊共享的") >= 9


@given(st.text(max_size=300), st.integers(1, 40), st.integers(1, 60))
def test_pieces_fit_and_hold_the_whole_text(text: str, tokens: int, characters: int) -> None:
    readable = cleaned(text)
    pieces = cut_to_fit(piece_of(0, readable), tokens=tokens, characters=characters)
    assert all(len(piece.text) <= max(characters, 1) for piece in pieces)
    assert all(piece.tokens <= tokens or len(piece.text) == 1 for piece in pieces)
    assert visible("".join(piece.text for piece in pieces)) == visible(readable)


def visible(text: str) -> str:
    unseen = ("C", "Z")
    return "".join(character for character in text if unicodedata.category(character)[0] not in unseen)
