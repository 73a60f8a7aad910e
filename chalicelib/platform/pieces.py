"""Texts as a remote embedder takes them: cleaned, estimated in tokens, and cut where one is too long for it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

# A control character means nothing to a model, and some servers take NUL for the end of the text.
_CONTROLS = {code: " " for code in (*range(32), 127) if chr(code) not in "\t\n\r"}
_BYTES_A_TOKEN = 3
# What belongs to the character before it: marks, joiners, variation selectors, tones of emoji.
_DEPENDENT = re.compile("[\u0300-\u036f\u200d\ufe00-\ufe0f\U0001f3fb-\U0001f3ff]")
_BREAKS = (re.compile(r"\n\s*\n"), re.compile(r"\n"), re.compile(r"[.!?。！？]\s*"), re.compile(r"\s+"))  # noqa: RUF001


@dataclass(frozen=True, slots=True)
class Piece:
    """A whole text, or a part of one that is embedded by itself; `tokens` is an estimate."""

    place: int
    text: str
    tokens: int


def cleaned(text: str) -> str:
    """Return a text that every server can read: no lone surrogates, no control characters."""
    return text.encode("utf-8", "replace").decode().translate(_CONTROLS).strip()


def has_meaning(text: str) -> bool:
    """Tell whether a text has a visible character."""
    return any(character.isprintable() and not character.isspace() for character in text)


def estimated_tokens(text: str) -> int:
    """Estimate from above: a token is four letters of English or one character of Chinese, each three bytes or more."""
    return len(text.encode()) // _BYTES_A_TOKEN + 1


def piece_of(place: int, text: str) -> Piece:
    """Return a text as one piece."""
    return Piece(place, text, estimated_tokens(text))


def cut_to_fit(piece: Piece, *, tokens: int, characters: int) -> list[Piece]:
    """Return a piece in as many as it takes for each to have no more tokens and characters."""
    if (piece.tokens <= tokens and len(piece.text) <= characters) or len(piece.text) < 2:
        return [piece]
    return [part for half in halves_of(piece) for part in cut_to_fit(half, tokens=tokens, characters=characters)]


def halves_of(piece: Piece) -> Sequence[Piece]:
    """Cut a piece of two characters or more near its middle, at the end of a paragraph, line, sentence or word.

    A half without a visible character is left out.
    """
    at = _middle(piece.text)
    halves = [half.strip() for half in (piece.text[:at], piece.text[at:])]
    return [piece_of(piece.place, half) for half in halves if has_meaning(half)]


def _middle(text: str) -> int:
    middle, reach = len(text) // 2, len(text) // 4
    for pattern in _BREAKS:
        ends = [found.end() for found in pattern.finditer(text, middle - reach, middle + reach)]
        inside = [end for end in ends if 0 < end < len(text)]
        if inside:
            return min(inside, key=lambda end: abs(end - middle))
    at = max(1, middle)
    while at < len(text) - 1 and _DEPENDENT.match(text, at):
        at += 1
    return at
