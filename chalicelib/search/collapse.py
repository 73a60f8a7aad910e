"""Collapses hits that say nearly word for word the same: copies, exports, the same notice at the foot of each page.

Resemblance is the share of common shingles of words: Broder, "On the resemblance and containment of documents" (1997).
"""

from collections.abc import Sequence
from functools import cached_property

LEAST_RESEMBLANCE = 0.9
"""Of the shingles of two passages together, how many are in both. Two texts of 200 words resemble each other by 0.9
where three or four words differ; neighbours of one document that share an overlap do so by less than 0.3."""

_SHINGLE = 3


class _Signature:
    def __init__(self, text: str) -> None:
        self.words = text.casefold().split()
        self.distinct = frozenset(self.words)
        self.figures = {
            word.strip(".,;:!?()[]\"'") for word in self.distinct if not word.isalpha() and _has_digit(word)
        }

    @cached_property
    def shingles(self) -> frozenset[tuple[str, ...]]:
        return frozenset(zip(*(self.words[first:] for first in range(min(_SHINGLE, len(self.words)))), strict=False))


def find_copies(texts: Sequence[str]) -> list[int]:
    """Return for each text the place of the first one that it is a copy of: its own place where it is none.

    Texts that differ in a figure (a version, a price, a code) are no copies, however alike they are.
    """
    signatures = [_Signature(text) for text in texts]
    originals: list[int] = []
    for place, own in enumerate(signatures):
        firsts = (first for first in sorted(set(originals)) if _resemble(signatures[first], own))
        originals.append(next(firsts, place))
    return originals


def _resemble(one: _Signature, other: _Signature) -> bool:
    if one.figures != other.figures or _have_too_few_words_in_common(one, other):
        return False
    common = len(one.shingles & other.shingles)
    return common >= LEAST_RESEMBLANCE * (len(one.shingles) + len(other.shingles) - common)


def _have_too_few_words_in_common(one: _Signature, other: _Signature) -> bool:
    """Tell whether the texts cannot resemble each other enough, without looking at shingles.

    A word of one text alone makes a shingle at least, and a shingle has three of them at most; and of shingles that are
    in one text alone there may be a tenth of those in either, or a ninth of the shorter text's.
    """
    common = len(one.distinct & other.distinct)
    alone = len(one.distinct) + len(other.distinct) - 2 * common
    most = (1 / LEAST_RESEMBLANCE - 1) * _SHINGLE * min(len(one.words), len(other.words))
    return alone > most


def _has_digit(word: str) -> bool:
    return any(map(str.isdigit, word))
