"""Puts candidates into the order in which they are shown: exact names first, what is old last where that is wanted."""

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from chalicelib.items.model import ItemId
from chalicelib.search.fusion import Fused
from chalicelib.search.hits_store import Described

STALE_FACTOR = 0.5
"""What the score of an item is multiplied by that was to be reviewed before now, where recency counts."""


@dataclass(frozen=True, slots=True)
class Ordered:
    """A candidate in its place. `factors` are what its score was multiplied by, `is_exact` that it bears the name.

    Where it was judged, `relevance` says how, and `is_weak` what the judge makes of it; None leaves that to the lanes.
    """

    fused: Fused
    described: Described
    score: float
    factors: Mapping[str, float]
    is_exact: bool
    relevance: float | None = None
    is_weak: bool | None = None


def order_candidates(
    fused: Sequence[Fused],
    described: Mapping[ItemId, Described],
    *,
    query: str,
    half_life: float | None,
    names_first: bool,
) -> list[Ordered]:
    """Return the candidates that are described, in order; equals stay as they were fused.

    With `names_first` items come first whose title or file name is the question, letter by letter but for case, accents
    and blanks. With a `half_life` (days) a score is multiplied by 2 ^ (-age / half_life).
    """
    name = _plain(query)
    # Of nothing but quotes and dots no name is left, and that would be the name of whatever is titled so.
    named = {item_id for item_id, item in described.items() if names_first and name and name in _names_of(item)}
    ordered = []
    for one in fused:
        item = described.get(one.item_id)
        if item is None:
            continue
        factors = _factors(item, half_life)
        score = one.score
        for factor in factors.values():
            score *= factor
        ordered.append(Ordered(one, item, score, factors, one.item_id in named))
    return sorted(ordered, key=lambda one: (not one.is_exact, -one.score))


def _factors(item: Described, half_life: float | None) -> Mapping[str, float]:
    if half_life is None:
        return {}
    recency = {"recency": 2.0 ** (-max(item.age, 0.0) / half_life)}
    return recency | {"stale": STALE_FACTOR} if item.is_stale else recency


def _names_of(item: Described) -> tuple[str, str, str]:
    file = item.path.rpartition("/")[2]
    return _plain(item.title), _plain(file), _plain(file.rpartition(".")[0] or file)


def _plain(name: str) -> str:
    folded = name.casefold()
    if not folded.isascii():
        decomposed = unicodedata.normalize("NFKD", folded)
        folded = "".join(one for one in decomposed if not unicodedata.combining(one))
    return " ".join(folded.split()).strip("\"'“”„«» ?!.")
