"""A word of what the asker may not read is answered like a word that nobody ever wrote."""

import pytest

from chalicelib.database.database import Database
from chalicelib.knowledge_bases.model import Mode
from chalicelib.search.model import Level, SearchAnswer
from tests.fixtures.embedders import WordEmbedder
from tests.fixtures.indexing import IndexRoom


def _told(answer: SearchAnswer) -> object:
    lanes = {lane: (report.state, report.reason) for lane, report in answer.lanes.items()}
    return lanes, [(hit.path, hit.score, hit.is_weak, set(hit.lanes)) for hit in answer.hits]


@pytest.mark.parametrize("mode", [Mode.LEXICAL, Mode.HYBRID])
@pytest.mark.parametrize("level", list(Level))
def test_neither_lanes_nor_scores_tell_a_hidden_word_from_an_unknown_one(
    database: Database, mode: Mode, level: Level
) -> None:
    embedder = WordEmbedder()
    room = IndexRoom(database, embedder)
    room.add("open", "the harvest of apples")
    room.add("hidden", "zanzibar", audience=["user:nobody"])
    hidden, unknown = (room.search(word, mode=mode, level=level) for word in ("zanzibar", "quetzalcoatl"))
    assert _told(hidden) == _told(unknown)
    assert "zanzibar" not in str(hidden.hits)


def test_a_word_that_may_be_read_is_told_apart(database: Database) -> None:
    room = IndexRoom(database)
    room.add("open", "the harvest of apples")
    known, unknown = (room.search(word, mode=Mode.LEXICAL) for word in ("apples", "quetzalcoatl"))
    assert _told(known) != _told(unknown)
