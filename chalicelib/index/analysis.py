"""Turns text into the terms that the lexical lane matches; the same for documents and for questions.

Words are folded (case, accents, ligatures) and stemmed by language. What looks like a name in code, a
version or an error code is a term as a whole besides its parts. Scripts that put no blanks between words
give overlapping pairs of characters. No word is dropped: BM25 gives the frequent ones next to no weight,
and a name made of them alone can still be found.
"""

import re
import threading
import unicodedata
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from functools import lru_cache
from typing import NamedTuple

import regex
import Stemmer

ANALYSIS = 2
"""Rises with every change to what text is turned into; what was indexed under another number is indexed anew."""

UNKNOWN = "und"
"""The language of text that is too short or too mixed to tell (ISO 639-2)."""

STEMMERS_BY_LANGUAGE = {
    "ar": "arabic",
    "ca": "catalan",
    "da": "danish",
    "de": "german",
    "el": "greek",
    "en": "english",
    "es": "spanish",
    "et": "estonian",
    "eu": "basque",
    "fi": "finnish",
    "fr": "french",
    "ga": "irish",
    "hi": "hindi",
    "hu": "hungarian",
    "hy": "armenian",
    "id": "indonesian",
    "it": "italian",
    "lt": "lithuanian",
    "ne": "nepali",
    "nl": "dutch",
    "no": "norwegian",
    "nb": "norwegian",
    "nn": "norwegian",
    "pt": "portuguese",
    "ro": "romanian",
    "ru": "russian",
    "sr": "serbian",
    "sv": "swedish",
    "ta": "tamil",
    "tr": "turkish",
}

BEGINNING = "^"
"""Marks the term that stands for how a word begins; no other term has it."""

# Languages that write compounds as one word. The first five letters of a long word bring "Krankenhaus" and
# "Krankenkasse" together: nDCG@10 rose from .504 to .522 and from .510 to .540 on the two German collections.
# Overlapping fours of letters did better still (.548, .558), at four times the terms.
_COMPOUNDING = frozenset({"da", "de", "et", "fi", "hu", "nb", "nl", "nn", "no", "sv"})
_BEGINNING_LETTERS = 5
_LONG_WORD = 7

# Letters, digits and marks, joined by what holds names together: foo_bar, foo.bar, foo::bar, it's, C++, C#, AT&T.
_COMPOUND = regex.compile(
    r"[\p{L}\p{N}_][\p{L}\p{N}\p{M}_]*+(?:(?:[.\-'\u2019@&]|::)[\p{L}\p{N}_][\p{L}\p{N}\p{M}_]*+)*+(?:\+\+|#(?![\p{L}\p{N}]))?"
)
# The same for text of these characters alone, where no mark stands by itself and \w is a letter, a digit or "_": re
# takes half the time there that regex does.
_LATIN = re.compile(r"[\x00-\u024f\u2000-\u206f\u20a0-\u20cf]*+\Z")
_LATIN_COMPOUND = re.compile(r"\w+(?:(?:[.\-'\u2019@&]|::)\w+)*+(?:\+\+|#(?![^\W_]))?")
_PIECE = regex.compile(r"[\p{L}\p{N}\p{M}]+")
_UNSPACED = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}ー\p{M}]+")
_HAS_UNSPACED = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]")
_HUMP = regex.compile(r"\p{Lu}+(?!\p{Ll})|\p{Lu}?[\p{Ll}\p{Lo}\p{Lm}\p{M}]+|\p{Lu}|\p{N}+")
_IS_CAMEL = regex.compile(r"\p{Ll}\p{Lu}|\p{Lu}{2}\p{Ll}{2}")
# Short parts and a single capital behind them: GmbH, PhD, LaTeX, AktG; after a single capital in front they may be
# longer: BUrlG, BVerfG, BImSchG. Cut into parts, "BUrlG" would be found by "url". An s may follow (GmbHs).
_ABBREVIATION = regex.compile(r"((?:\p{Lu}(?:\p{Lu}\p{Ll}{1,3})+|(?:\p{Lu}\p{Ll}{1,2})+)\p{Lu})s?")
_MIXES_DIGITS = regex.compile(r"\p{L}\p{N}|\p{N}\p{L}")
_KEEPS_WHOLE = regex.compile(r"[_.@&+#]|::|\p{N}")
_ACCENT = regex.compile(r"(?<=[\p{Latin}\p{Greek}])[\u0300-\u036f]+")

_LOCAL = threading.local()


class Occurrence(NamedTuple):
    """One run of characters of a text and the terms that it stands for. `end` is exclusive."""

    start: int
    end: int
    terms: tuple[str, ...]


def occurrences(text: str, language: str, *, wanted: AbstractSet[str] | None = None) -> Iterator[Occurrence]:
    """Walk through a text in its order; `language` is an ISO 639-1 code, any other string leaves words unstemmed.

    With `wanted` what stands for none of these terms is left out.
    """
    stemmed = language if language in STEMMERS_BY_LANGUAGE else UNKNOWN
    for match in _LATIN_COMPOUND.finditer(text) if _LATIN.match(text) else _COMPOUND.finditer(text):
        terms = _terms_of(match[0], stemmed)
        if terms and (wanted is None or not wanted.isdisjoint(terms)):
            yield Occurrence(match.start(), match.end(), terms)


def terms_of(text: str, language: str) -> list[str]:
    """Return the terms of a text in its order, repeated as they are."""
    return [term for occurrence in occurrences(text, language) for term in occurrence.terms]


@lru_cache(maxsize=100_000)
def _terms_of(compound: str, language: str) -> tuple[str, ...]:
    normal = unicodedata.normalize("NFKC", compound)
    pieces = _PIECE.findall(normal)
    terms: list[str] = []
    for piece in pieces:
        terms.extend(_terms_of_piece(piece, language))
    whole = _folded(normal.strip("_"))
    is_compound = len(pieces) > 1 or len(normal) != len("".join(pieces))
    if is_compound and pieces and _KEEPS_WHOLE.search(whole) and whole not in terms:
        terms.append(whole)
    return tuple(terms)


def _terms_of_piece(piece: str, language: str) -> Iterator[str]:
    if _HAS_UNSPACED.search(piece):
        yield from _terms_of_unspaced(piece, language)
        return
    is_name = bool(_MIXES_DIGITS.search(piece) or _IS_CAMEL.search(piece))
    if not is_name:
        folded = _folded(piece)
        yield _stemmed(folded, language)
        if language in _COMPOUNDING and len(folded) >= _LONG_WORD:
            yield BEGINNING + folded[:_BEGINNING_LETTERS]
        return
    yield _folded(piece)
    if abbreviation := _ABBREVIATION.fullmatch(piece):
        if abbreviation[1] != piece:
            yield _folded(abbreviation[1])
        return
    for hump in _HUMP.findall(piece):
        if len(hump) > 1:
            yield _stemmed(_folded(hump), language)


def _terms_of_unspaced(piece: str, language: str) -> Iterator[str]:
    """Give every pair of neighbouring characters, and single ones of runs of one; other scripts go their way."""
    end = 0
    for run in _UNSPACED.finditer(piece):
        if run.start() > end:
            yield from _terms_of_piece(piece[end : run.start()], language)
        characters = run[0]
        yield from (characters[at : at + 2] for at in range(len(characters) - 1))
        if len(characters) == 1:
            yield characters
        end = run.end()
    if end < len(piece):
        yield from _terms_of_piece(piece[end:], language)


def _folded(word: str) -> str:
    folded = word.casefold()
    if folded.isascii():
        return folded
    return unicodedata.normalize("NFC", _ACCENT.sub("", unicodedata.normalize("NFD", folded)))


def _stemmed(word: str, language: str) -> str:
    algorithm = STEMMERS_BY_LANGUAGE.get(language)
    return _stemmer(algorithm).stemWord(word) if algorithm else word


def _stemmer(algorithm: str) -> Stemmer.Stemmer:
    """Return this thread's stemmer: they are not safe to share."""
    stemmers: dict[str, Stemmer.Stemmer] = _LOCAL.__dict__.setdefault("stemmers", {})
    if algorithm not in stemmers:
        stemmers[algorithm] = Stemmer.Stemmer(algorithm)
    return stemmers[algorithm]
