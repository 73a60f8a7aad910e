"""Tells hits that no lane is sure of. Ranks cannot: something is first for every question, nonsense included."""

from collections.abc import Mapping

from chalicelib.search.model import Lane, Placing

LEAST_COSINES_BY_SPACE: Mapping[str, float] = {
    "e5-minilm/768": 0.22,
    "multilingual-e5-small-q4/384": 0.80,
    "all-MiniLM-L6-v2/384": 0.30,
}
"""The cosine similarity below which nearness says nothing, for the spaces where it was measured. On development
collections 99 of 100 relevant pairs lie above, and the best match of 3 in 4 questions about other things below (of 2 in
5 in the second space): docs/search.md.
"""


def is_weak(placings: Mapping[Lane, Placing], *, space: str | None) -> bool:
    """Tell whether no word of the question led to a hit, and its meaning is as far off as that of anything.

    In a space that was not measured no hit is called weak.
    """
    if Lane.LEXICAL in placings or Lane.SEMANTIC not in placings or space is None:
        return False
    return placings[Lane.SEMANTIC].score < LEAST_COSINES_BY_SPACE.get(space, -1.0)
