"""D-EMB-2: vectors without a direction stay out of the semantic lane, and every score is a finite number."""

import json
import math

import numpy as np
import pytest

from chalicelib.database.database import Database
from chalicelib.index.index_item import UNUSABLE_VECTORS
from chalicelib.items.read_item import read_item
from chalicelib.knowledge_bases.model import Mode
from chalicelib.platform.ports import Vectors
from chalicelib.search.model import Lane, LaneState
from tests.fixtures.embedders import WordEmbedder
from tests.fixtures.indexing import IndexRoom

_STRANGE = {
    "zero": 0.0,
    "not a number": math.nan,
    "infinite": math.inf,
    "beyond the largest half": 1e6,
    "below the smallest half": 1e-9,
}


class StrangeEmbedder(WordEmbedder):
    """Has one number in all places of the vector of whatever speaks of xylophones."""

    def __init__(self, number: float) -> None:
        super().__init__()
        self.number = number

    def _vector(self, text: str) -> Vectors:
        if "xylophone" in text:
            return np.full(self.dimensions, self.number, np.float32)
        return super()._vector(text)


@pytest.fixture(params=list(_STRANGE.values()), ids=list(_STRANGE))
def room(request: pytest.FixtureRequest, database: Database) -> IndexRoom:
    room = IndexRoom(database, StrangeEmbedder(request.param))
    room.add("broken.md", "xylophone lessons")
    room.add("one.md", "piano lessons")
    room.add("two.md", "violin lessons")
    return room


def test_a_vector_without_direction_is_kept_out_and_told(room: IndexRoom) -> None:
    answer = room.search("piano lessons", mode=Mode.SEMANTIC)
    assert [hit.path for hit in answer.hits] == ["one.md", "two.md"]
    for hit in answer.hits:
        assert math.isfinite(hit.score)
        json.dumps([placing.score for placing in hit.lanes.values()], allow_nan=False)
    broken = room.search("xylophone", mode=Mode.LEXICAL).hits[0]
    assert broken.path == "broken.md"
    with room.database.transaction() as tx:
        item = read_item(tx, principal=room.principal, workspace_id=room.workspace_id, item_id=broken.item_id)
    assert [warning.code for warning in item.warnings] == [UNUSABLE_VECTORS]


def test_a_question_without_direction_is_answered_by_its_words(room: IndexRoom) -> None:
    answer = room.search("xylophone")
    assert [hit.path for hit in answer.hits] == ["broken.md"]
    assert answer.lanes[Lane.SEMANTIC].state is LaneState.SKIPPED
    assert answer.lanes[Lane.SEMANTIC].reason == "The question has no usable vector"
