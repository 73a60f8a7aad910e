"""In which order candidates are shown."""

from collections.abc import Sequence
from datetime import UTC, datetime
from uuid import UUID

import pytest

from chalicelib.index.model import ChunkId
from chalicelib.items.model import ItemId
from chalicelib.search.fusion import Fused
from chalicelib.search.hits_store import Described
from chalicelib.search.ordering import STALE_FACTOR, Ordered, order_candidates

_NOW = datetime(2026, 1, 1, tzinfo=UTC)


def _fused(number: int, score: float) -> Fused:
    return Fused(ChunkId(UUID(int=number)), ItemId(UUID(int=number)), score, {}, {})


def _described(title: str, *, path: str = "a/file.md", age: float = 0.0, is_stale: bool = False) -> Described:
    return Described(title, path, b"", _NOW, age, is_stale)


def _order(
    items: Sequence[Described], *, query: str = "q", half_life: float | None = None, names_first: bool = True
) -> list[Ordered]:
    fused = [_fused(number, 1 - number / 10) for number in range(len(items))]
    described = {ItemId(UUID(int=number)): item for number, item in enumerate(items)}
    return order_candidates(fused, described, query=query, half_life=half_life, names_first=names_first)


def _titles(ordered: Sequence[Ordered]) -> list[str]:
    return [one.described.title for one in ordered]


@pytest.mark.parametrize(
    ("query", "item"),
    [
        ("The Who", _described("The Who")),
        ("  the   WHO? ", _described("The Who")),
        ("Über uns", _described("uber uns")),
        ("release-notes", _described("Version 3", path="docs/Release-Notes.md")),
        ("release-notes.md", _described("Version 3", path="docs/release-notes.md")),
        ('"ERR_42"', _described("ERR_42")),
        ("日本語", _described("日本語")),
    ],
)
def test_what_bears_the_name_that_was_asked_for_comes_first(query: str, item: Described) -> None:
    ordered = _order([_described("Another"), _described("And another"), item], query=query)
    assert ordered[0].described is item
    assert [one.is_exact for one in ordered] == [True, False, False]


@pytest.mark.parametrize("query", ["?", "...", '""', "\u0301"])
def test_marks_alone_are_nobodys_name(query: str) -> None:
    ordered = _order([_described("Other"), _described("!"), _described("\u00ab\u00bb")], query=query)
    assert not any(one.is_exact for one in ordered)


def test_a_part_of_a_name_is_no_name() -> None:
    assert _titles(_order([_described("Other"), _described("The Who live")], query="The Who")) == [
        "Other",
        "The Who live",
    ]


def test_names_do_not_come_first_where_meaning_alone_was_asked_for() -> None:
    ordered = _order([_described("Other"), _described("The Who")], query="The Who", names_first=False)
    assert _titles(ordered) == ["Other", "The Who"]


def test_what_is_a_half_life_old_counts_half() -> None:
    ordered = _order([_described("old", age=30), _described("new", age=0)], half_life=30)
    assert _titles(ordered) == ["new", "old"]
    assert [one.score for one in ordered] == pytest.approx([0.9, 0.5])
    assert ordered[1].factors == {"recency": pytest.approx(0.5)}


def test_what_is_overdue_for_review_counts_less_only_where_recency_counts() -> None:
    items = [_described("overdue", is_stale=True), _described("fresh")]
    assert _titles(_order(items)) == ["overdue", "fresh"]
    assert _titles(_order(items, half_life=1000)) == ["fresh", "overdue"]
    assert _order(items, half_life=1000)[1].factors["stale"] == STALE_FACTOR


def test_a_clock_that_runs_ahead_raises_no_score() -> None:
    assert _order([_described("tomorrow", age=-1)], half_life=1)[0].score == pytest.approx(1.0)


def test_what_went_away_is_left_out() -> None:
    assert order_candidates([_fused(1, 1.0)], {}, query="q", half_life=None, names_first=True) == []


def test_equals_stay_as_they_were_fused() -> None:
    fused = [_fused(number, 0.5) for number in (3, 1, 2)]
    described = {one.item_id: _described(str(one.item_id.int)) for one in fused}
    ordered = order_candidates(fused, described, query="q", half_life=None, names_first=True)
    assert _titles(ordered) == ["3", "1", "2"]
