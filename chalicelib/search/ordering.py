"""Puts candidates into the order in which they are shown: exact names first, what is old last where that is wanted."""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from math import prod
from types import MappingProxyType
from typing import NamedTuple

from chalicelib.items.model import ItemId
from chalicelib.search.fusion import Fused
from chalicelib.search.hits_store import Aged

STALE_FACTOR = 0.5
"""What the score of an item is multiplied by that was to be reviewed before now, where recency counts."""

_NO_FACTORS: Mapping[str, float] = MappingProxyType({})


class Ordered(NamedTuple):
    """A candidate in its place. `factors` are what its score was multiplied by, `is_exact` that it bears the name.

    Where it was judged, `relevance` says how, and `is_weak` what the judge makes of it; None leaves that to the lanes.
    """

    fused: Fused
    score: float
    factors: Mapping[str, float]
    is_exact: bool
    relevance: float | None = None
    is_weak: bool | None = None


def order_candidates(
    fused: Sequence[Fused],
    *,
    exact: AbstractSet[ItemId],
    half_life: float | None,
    aged: Mapping[ItemId, Aged],
) -> list[Ordered]:
    """Return the candidates in order: those of `exact` items first; equals stay as they were fused.

    With a `half_life` (days) a score is multiplied by 2 ^ (-age / half_life), and candidates that `aged` does not know
    are left out.
    """
    if half_life is None:
        ordered = [Ordered(one, one.score, _NO_FACTORS, one.item_id in exact) for one in fused]
    else:
        ordered = [
            _weathered(one, aged[one.item_id], half_life, is_exact=one.item_id in exact)
            for one in fused
            if one.item_id in aged
        ]
    return sorted(ordered, key=lambda one: (not one.is_exact, -one.score))


def _weathered(one: Fused, item: Aged, half_life: float, *, is_exact: bool) -> Ordered:
    factors = {"recency": 2.0 ** (-max(item.age, 0.0) / half_life)}
    if item.is_stale:
        factors["stale"] = STALE_FACTOR
    return Ordered(one, one.score * prod(factors.values()), factors, is_exact)
