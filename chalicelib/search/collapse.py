"""Collapses hits that say nearly word for word the same: copies, exports, the same notice at the foot of each page.

Resemblance is the share of common shingles of words: Broder, "On the resemblance and containment of documents" (1997).
"""

from collections.abc import Sequence
from dataclasses import dataclass

LEAST_RESEMBLANCE = 0.9
"""Of the shingles of two passages together, how many are in both. Two texts of 200 words resemble each other by 0.9
where three or four words differ; neighbours of one document that share an overlap do so by less than 0.3."""

_SHINGLE = 3


@dataclass(frozen=True, slots=True)
class _Signature:
    shingles: frozenset[tuple[str, ...]]
    figures: frozenset[str]


def find_copies(texts: Sequence[str]) -> list[int]:
    """Return for each text the place of the first one that it is a copy of: its own place where it is none.

    Texts that differ in a figure (a version, a price, a code) are no copies, however alike they are.
    """
    signatures = [_signature(text) for text in texts]
    originals: list[int] = []
    for place, own in enumerate(signatures):
        firsts = (first for first in sorted(set(originals)) if _resemble(signatures[first], own))
        originals.append(next(firsts, place))
    return originals


def _resemble(one: _Signature, other: _Signature) -> bool:
    smaller, larger = sorted((len(one.shingles), len(other.shingles)))
    # What differs that much in length cannot resemble enough: the intersection need not be looked at.
    if smaller < LEAST_RESEMBLANCE * larger or one.figures != other.figures:
        return False
    common = len(one.shingles & other.shingles)
    return common >= LEAST_RESEMBLANCE * (smaller + larger - common)


def _signature(text: str) -> _Signature:
    words = text.casefold().split()
    shingles = zip(*(words[first:] for first in range(min(_SHINGLE, len(words)))), strict=False)
    figures = frozenset(word.strip(".,;:!?()[]\"'") for word in words if not word.isalpha() and _has_digit(word))
    return _Signature(frozenset(shingles), figures)


def _has_digit(word: str) -> bool:
    return any(map(str.isdigit, word))
