"""D-SEA-1: any string is a question."""

import pytest

from chalicelib.database.database import Database
from chalicelib.knowledge_bases.model import Mode
from chalicelib.search.errors import QueryEmpty, QueryTooLong
from chalicelib.search.model import LaneState
from tests.fixtures.embedders import WordEmbedder
from tests.fixtures.indexing import IndexRoom


@pytest.fixture
def room(database: Database) -> IndexRoom:
    room = IndexRoom(database, WordEmbedder())
    room.add("passwords.md", "# Passwords\n\nA password has at least 12 characters.", title="Password policy")
    room.add("cpp.md", "# Languages\n\nC++ and Java are compiled.", title="Compilers")
    room.add("other.md", "# Lunch\n\nThe canteen opens at noon.", title="Canteen")
    return room


@pytest.mark.parametrize(
    ("query", "first"), [("What's your password policy?", "passwords.md"), ("C++ & Java | (foo", "cpp.md")]
)
@pytest.mark.parametrize("mode", [Mode.HYBRID, Mode.LEXICAL])
def test_punctuation_does_not_stand_in_the_way(room: IndexRoom, query: str, first: str, mode: Mode) -> None:
    assert room.paths(query, mode=mode)[0] == first


@pytest.mark.parametrize(
    "query",
    [
        *[
            "!",
            "'",
            '"',
            "a:*",
            "<-> x",
            "\\",
            "%s %(x)s",
            "'; drop table items; --",
            "\ud800 x",
            "a\x00b",
            "(",
        ],
        *["🦆", "word " * 399, "_" * 2000, "a." * 1000, "\u0301" * 500],
    ],
)
def test_senseless_questions_are_answered(room: IndexRoom, query: str) -> None:
    answer = room.search(query)
    assert all(report.state is not LaneState.DROPPED for report in answer.lanes.values())
    assert all(0 <= hit.score <= 1 for hit in answer.hits)
    assert room.search(query, mode=Mode.LEXICAL).hits == room.search(query, mode=Mode.LEXICAL).hits


@pytest.mark.parametrize(
    "query", ["", " ", "\n\t\u2003", "\x00", "\x07", "\u200b\u200d\ufeff", "\u00ad", "\u202e", "\U000e0041"]
)
def test_an_empty_question_is_refused(room: IndexRoom, query: str) -> None:
    with pytest.raises(QueryEmpty) as raised:
        room.search(query)
    assert raised.value.status == 400


def test_a_question_that_is_too_long_is_refused_with_the_limit(room: IndexRoom) -> None:
    with pytest.raises(QueryTooLong) as raised:
        room.search("(" * 10_000)
    assert raised.value.status == 400
    assert raised.value.members == {"limit": 2000, "length": 10_000}
