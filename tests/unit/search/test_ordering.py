"""In which order candidates are shown."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from uuid import UUID

from chalicelib.index.model import ChunkId
from chalicelib.items.model import ItemId
from chalicelib.search.fusion import Fused
from chalicelib.search.hits_store import Aged
from chalicelib.search.ordering import STALE_FACTOR, order_candidates


def _item(number: int) -> ItemId:
    return ItemId(UUID(int=number))


def _fused(number: int, score: float) -> Fused:
    return Fused(ChunkId(UUID(int=number)), _item(number), score, {}, {})


def _order(
    fused: Sequence[Fused],
    *,
    exact: AbstractSet[int] = frozenset(),
    half_life: float | None = None,
    aged: Sequence[Aged] = (),
) -> Sequence[tuple[int, float]]:
    """Return the numbers of the candidates and their scores; `aged` are in the order of numbers from 1."""
    ordered = order_candidates(
        fused,
        exact={_item(number) for number in exact},
        half_life=half_life,
        aged={_item(number): item for number, item in enumerate(aged, start=1)},
    )
    assert {one.fused.item_id.int for one in ordered if one.is_exact} == exact
    return [(one.fused.item_id.int, one.score) for one in ordered]


def test_what_is_called_so_comes_first_and_the_rest_by_score() -> None:
    assert _order([_fused(1, 0.9), _fused(2, 0.8), _fused(3, 0.7)], exact={3}) == [(3, 0.7), (1, 0.9), (2, 0.8)]


def test_what_is_a_half_life_old_counts_half() -> None:
    fused = [_fused(1, 1.0), _fused(2, 0.9)]
    assert _order(fused, half_life=30, aged=[Aged(30, is_stale=False), Aged(0, is_stale=False)]) == [(2, 0.9), (1, 0.5)]


def test_what_is_overdue_for_review_counts_less_only_where_recency_counts() -> None:
    fused, aged = [_fused(1, 1.0), _fused(2, 0.9)], [Aged(0, is_stale=True), Aged(0, is_stale=False)]
    assert _order(fused, aged=aged) == [(1, 1.0), (2, 0.9)]
    assert _order(fused, half_life=1000, aged=aged) == [(2, 0.9), (1, STALE_FACTOR)]


def test_a_clock_that_runs_ahead_raises_no_score() -> None:
    assert _order([_fused(1, 1.0)], half_life=1, aged=[Aged(-1, is_stale=False)]) == [(1, 1.0)]


def test_what_went_away_is_left_out_where_age_counts() -> None:
    assert _order([_fused(1, 1.0)], half_life=1) == []


def test_equals_stay_as_they_were_fused() -> None:
    assert _order([_fused(number, 0.5) for number in (3, 1, 2)]) == [(3, 0.5), (1, 0.5), (2, 0.5)]
