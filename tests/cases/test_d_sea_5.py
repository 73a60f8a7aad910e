"""D-SEA-5: a document with more distinct words than a tsvector holds is found by each of them."""

import pytest

from chalicelib.database.database import Database
from chalicelib.items.model import IndexState
from chalicelib.jobs.perform_job import Performance
from tests.fixtures.indexing import IndexRoom


@pytest.mark.slow
def test_the_last_of_120_000_distinct_words_is_found(database: Database) -> None:
    room = IndexRoom(database)
    body = " ".join(f"word{n}" for n in range(1, 120_001))
    item = room.add("codes.txt", body, index=False)
    assert room.work() == [Performance.DONE]
    assert room.read(item).index.state is IndexState.TEXT_READY
    (hit,) = room.search("word119999", limit=1).hits
    assert "word119999" in hit.snippet.text


@pytest.mark.slow
def test_two_words_200_000_times_are_found(database: Database) -> None:
    room = IndexRoom(database)
    room.add("hello.txt", "hello world " * 200_000, index=False)
    assert room.work() == [Performance.DONE]
    assert room.search("hello").hits
