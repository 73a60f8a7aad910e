"""Searches by both lanes while some chunks have no vector yet."""

from collections.abc import Sequence
from typing import Any

import pytest

from chalicelib.access.readers import audiences_of
from chalicelib.database.database import Database
from chalicelib.database.statements import Statement
from chalicelib.index.spaces import ensure_space
from chalicelib.items.model import IndexState, ItemFilters, ItemId
from chalicelib.items.store import list_items_by_path
from chalicelib.knowledge_bases.model import Mode
from chalicelib.platform.errors import EmbedderUnavailable
from chalicelib.platform.ports import Embedded
from chalicelib.search.lexical import find_by_words, weigh_question
from chalicelib.search.model import Hit, Lane, Level
from chalicelib.search.store import Reach, find_contents
from tests.fixtures.embedders import WordEmbedder
from tests.fixtures.indexing import IndexRoom

_MOVE = Statement("move", "", b"update embeddings set space_id = %(space_id)s where item_id = %(item_id)s")


class WithholdingEmbedder(WordEmbedder):
    """Embeds questions at any time, and passages while nobody holds them up."""

    is_withholding = False

    def embed_passages(self, texts: Sequence[str]) -> Embedded:
        if self.is_withholding:
            raise EmbedderUnavailable("Passages are held up for a test.")
        return super().embed_passages(texts)


@pytest.fixture
def embedder() -> WithholdingEmbedder:
    return WithholdingEmbedder()


@pytest.fixture
def room(database: Database, embedder: WithholdingEmbedder) -> IndexRoom:
    room = IndexRoom(database, embedder)
    room.add("old.md", "Parking bikes at night costs nothing in the yard behind the house.", title="Old")
    room.add("canteen.md", "The canteen opens at noon and closes at two.", title="Canteen")
    embedder.is_withholding = True
    return room


def _explained(room: IndexRoom, query: str, **question: Any) -> dict[str, Hit]:
    return {hit.path: hit for hit in room.search(query, explain=True, **question).hits}


@pytest.mark.parametrize("level", list(Level))
def test_a_fresh_item_whose_words_match_best_comes_first_while_it_waits(room: IndexRoom, level: Level) -> None:
    fresh = room.add("fresh.md", "Parking of electric bikes: ask for the charger, parking is free.", title="Bikes")
    assert room.read(fresh).index.state is IndexState.TEXT_READY
    waiting = _explained(room, "parking electric bikes charger", level=level)
    assert next(iter(waiting)) == "fresh.md"
    explanation = waiting["fresh.md"].explanation
    assert explanation is not None
    assert explanation.lacks_vector
    assert set(waiting["fresh.md"].lanes) == {Lane.LEXICAL}
    assert sum(explanation.shares.values()) == pytest.approx(explanation.fused)
    others = [hit.explanation for path, hit in waiting.items() if path != "fresh.md" and hit.explanation]
    assert len(others) == 2
    assert not any(other.lacks_vector for other in others)


def test_an_item_that_merely_lacks_its_vector_overtakes_none_that_is_better(room: IndexRoom) -> None:
    room.add("fresh.md", "Parking bikes at night costs nothing in the yard behind the barn.", title="New")
    room.add("far.md", "Bikes are sold here.", title="Shop")
    found = _explained(room, "parking bikes at night costs nothing in the yard behind the house")
    assert list(found)[:2] == ["old.md", "fresh.md"]
    explanation = found["far.md"].explanation
    assert explanation is not None
    assert explanation.lacks_vector
    assert found["far.md"].score < found["fresh.md"].score < found["old.md"].score


def test_nothing_stands_for_a_meaning_where_words_alone_are_searched(
    room: IndexRoom, embedder: WithholdingEmbedder
) -> None:
    room.add("fresh.md", "Parking of electric bikes: ask for the charger.", title="Bikes")
    query = "parking electric bikes"
    lexical = room.search(query, mode=Mode.LEXICAL, explain=True).hits
    assert lexical[0].score == 1.0
    assert not any(hit.explanation.lacks_vector for hit in lexical if hit.explanation)
    assert "fresh.md" not in room.paths(query, mode=Mode.SEMANTIC)
    embedder.is_down = True
    dropped = room.search(query).hits
    assert [(hit.path, hit.score) for hit in dropped] == [(hit.path, hit.score) for hit in lexical]


@pytest.mark.parametrize("few", [0, 10**6], ids=["by terms", "each looked at"])
@pytest.mark.parametrize("level", list(Level))
def test_candidates_tell_whether_they_have_a_vector_in_the_space(
    room: IndexRoom, database: Database, monkeypatch: pytest.MonkeyPatch, few: int, level: Level
) -> None:
    monkeypatch.setattr("chalicelib.search.lexical._FEW_CHUNKS", few)
    monkeypatch.setattr("chalicelib.search.lexical._FEW_OF", 10**6)
    fresh = room.add("fresh.md", "Parking at noon.", title="Fresh")
    with database.transaction() as tx:
        reach = Reach(room.workspace_id, audiences_of(tx, room.principal, room.workspace_id), ItemFilters())
        found = list_items_by_path(
            tx, room.workspace_id, ItemFilters(), audiences=reach.audiences, after_path=None, limit=9
        )
        canteen, _, old = (item.id for item in found)
        space_id = ensure_space(tx, name="other/32", dimensions=32)
        tx.execute(_MOVE, space_id=space_id, item_id=canteen)

        def lacking(space: str | None) -> set[ItemId]:
            contents = find_contents(tx, room.workspace_id, space=space)
            weighed = weigh_question(tx, room.workspace_id, "parking noon", contents=contents)
            found = find_by_words(
                tx, reach, question=weighed, level=level, limit=40, sure=5, space_id=contents.space_id
            )
            assert len(found) == 3
            return {one.item_id for one in found if one.lacks_vector}

        assert lacking(WordEmbedder.space) == {fresh.id, canteen}
        assert lacking("other/32") == {fresh.id, old}
        assert lacking(None) == lacking("never/32") == set()
