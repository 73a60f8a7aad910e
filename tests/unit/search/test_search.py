"""Searching as a whole, on a real database."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from functools import partial
from threading import Event
from typing import Any

import pytest

from chalicelib.database.database import Database
from chalicelib.database.transaction import Transaction
from chalicelib.items.model import IndexState
from chalicelib.platform.ports import Embedded
from chalicelib.search.confidence import LEAST_COSINES_BY_SPACE
from chalicelib.search.model import Candidate, Lane, LaneState
from chalicelib.search.semantic import find_by_meaning
from chalicelib.search.store import Extent, Reach, find_extent, rank_few_by_words
from tests.fixtures.embedders import WordEmbedder
from tests.fixtures.indexing import IndexRoom


class SwappingDatabase(Database):
    """Lets something happen between the lanes of the first search and the reading of its hits."""

    def __init__(self, conninfo: str, swap: Callable[[], object]) -> None:
        super().__init__(conninfo)
        self._swaps = iter([lambda: None, swap])

    @contextmanager
    def transaction(
        self, *, acquire_seconds: float | None = None, statement_seconds: float | None = None
    ) -> Iterator[Transaction]:
        next(self._swaps, lambda: None)()
        with super().transaction(acquire_seconds=acquire_seconds, statement_seconds=statement_seconds) as tx:
            yield tx


@pytest.fixture
def room(database: Database) -> IndexRoom:
    return IndexRoom(database)


def test_the_item_that_has_the_words_is_found(room: IndexRoom) -> None:
    item = room.add("travel.md", "# Travel\n\nHow trips are reimbursed.", title="Travel policy")
    room.add("food.md", "# Food\n\nThe canteen opens at noon.", title="Canteen")
    answer = room.search("reimbursing a trip")
    assert [hit.path for hit in answer.hits] == ["travel.md"]
    hit = answer.hits[0]
    assert (hit.item_id, hit.revision, hit.title, list(hit.heading_path)) == (item.id, 1, "Travel policy", ["Travel"])
    marked = [hit.snippet.text[start:end] for start, end in hit.snippet.highlights]
    assert marked == ["trips", "reimbursed"]
    assert hit.score == 1.0
    assert answer.lanes[Lane.SEMANTIC].state is LaneState.SKIPPED
    assert room.read(item).index.state is IndexState.TEXT_READY


def test_a_document_whose_chunks_are_swapped_during_the_search_is_found(room: IndexRoom) -> None:
    item = room.add("kiwi.md", "Kiwis grow on vines.")
    swapping = SwappingDatabase(room.database.conninfo, lambda: room.change(item, body="Kiwis grow on long vines."))
    asking = copy(room)
    asking.database = swapping
    hits = asking.search("kiwis").hits
    swapping.close()
    assert [(hit.path, hit.revision) for hit in hits] == [("kiwi.md", 2)]


def test_a_document_that_is_deleted_during_the_search_is_not_found(room: IndexRoom) -> None:
    item = room.add("kiwi.md", "Kiwis grow on vines.")
    swapping = SwappingDatabase(room.database.conninfo, lambda: room.delete(item))
    asking = copy(room)
    asking.database = swapping
    hits = asking.search("kiwis").hits
    swapping.close()
    assert hits == []


def test_a_question_about_something_else_has_weak_hits_alone(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "chalicelib.search.confidence.LEAST_COSINES_BY_SPACE", {**LEAST_COSINES_BY_SPACE, WordEmbedder.space: 0.9}
    )
    room = IndexRoom(database, WordEmbedder())
    room.add("travel.md", "How trips are reimbursed.")
    assert [hit.is_weak for hit in room.search("reimbursed").hits] == [False]
    (other,) = room.search("xyzzy frobnicate").hits
    assert (other.is_weak, other.score) == (True, 1.0)


def test_what_is_readable_is_counted_once_for_both_lanes(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    counted: list[Extent] = []
    is_counted = Event()

    def count(tx: Transaction, reach: Reach) -> Extent:
        counted.append(find_extent(tx, reach))
        return counted[-1]

    def rank(*arguments: Any, **options: Any) -> Sequence[Candidate]:
        is_counted.set()
        return rank_few_by_words(*arguments, **options)

    class WaitingEmbedder(WordEmbedder):
        def embed_query(self, text: str) -> Embedded:
            assert is_counted.wait(timeout=10)
            return super().embed_query(text)

    room = IndexRoom(database, WaitingEmbedder())
    room.add("kiwi.md", "Kiwis grow on vines.")
    monkeypatch.setattr("chalicelib.search.lexical._FEW_CHUNKS", 0)
    monkeypatch.setattr("chalicelib.search.lexical._FEW_OF", 1)
    monkeypatch.setattr("chalicelib.search.retrieval.find_by_meaning", partial(find_by_meaning, exact_chunks=0))
    monkeypatch.setattr("chalicelib.search.store.find_extent", count)
    monkeypatch.setattr("chalicelib.search.store.rank_few_by_words", rank)
    (hit,) = room.search("kiwis").hits
    assert set(hit.lanes) == {Lane.LEXICAL, Lane.SEMANTIC}
    assert [extent.readable for extent in counted] == [1]
    room.add("plum.md", "Plums grow on trees.")
    is_counted.clear()
    room.search("plums")
    assert [extent.readable for extent in counted] == [1, 2]
