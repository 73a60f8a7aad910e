"""Searching as a whole, on a real database."""

import pytest

from chalicelib.database.database import Database
from chalicelib.items.model import IndexState
from chalicelib.search.model import Lane, LaneState
from tests.fixtures.indexing import IndexRoom


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
