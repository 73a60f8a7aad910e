"""D-EMB-1: another embedding model while documents are in flight. Vectors of two models are never compared."""

import pytest

from chalicelib.database.database import Database
from chalicelib.embedding_spaces.model import ChangeState, Choice
from chalicelib.items.model import IndexState
from chalicelib.knowledge_bases.model import Mode
from chalicelib.search.model import Level
from tests.fixtures.changing_spaces import ChangingRoom
from tests.fixtures.embedders import WordEmbedder

_BEFORE = "large/1536"
_AFTER = {
    "fewer dimensions": "small/1024",
    "as many as there may be": "wide/3072",
    "other model, same dimensions": "another/1536",
}
_WORDS = [f"word{n} alone" for n in range(20)]


def found_by_meaning(room: ChangingRoom) -> list[str]:
    """Ask for each document by meaning alone, at either level in turns, and return what comes first."""
    levels = [list(Level)[number % len(Level)] for number in range(len(_WORDS))]
    first = [
        room.search(words, mode=Mode.SEMANTIC, level=level).hits[:1]
        for words, level in zip(_WORDS, levels, strict=True)
    ]
    return [hit.path for hits in first for hit in hits]


@pytest.mark.parametrize("after", _AFTER.values(), ids=_AFTER.keys())
def test_both_offered_the_old_space_serves_until_the_new_one_is_whole(database: Database, after: str) -> None:
    room = ChangingRoom(database, WordEmbedder(_BEFORE), offered=(WordEmbedder(after),))
    items = [room.add(f"{n}.md", words, title=f"Document {n}", index=False) for n, words in enumerate(_WORDS[:10])]
    room.perform(room.bell.rings.pop(0).job_id)
    room.start(after, work=False)
    items += [room.add(f"{n}.md", _WORDS[n], title=f"Document {n}", index=False) for n in range(10, 20)]
    room.work()
    assert {room.read(item).index.state for item in items} == {IndexState.READY}
    assert room.vectors() == {_BEFORE: 20, after: 20}
    assert found_by_meaning(room) == [f"{n}.md" for n in range(20)]
    assert room.progress().state is ChangeState.READY
    assert room.search(_WORDS[0]).space == _BEFORE
    assert room.swap() == Choice(after, None, _BEFORE)
    assert room.search(_WORDS[0]).space == after
    assert found_by_meaning(room) == [f"{n}.md" for n in range(20)]


@pytest.mark.parametrize("after", _AFTER.values(), ids=_AFTER.keys())
def test_where_the_setting_is_switched_words_find_until_an_admin_changes_the_space(
    database: Database, after: str
) -> None:
    room = ChangingRoom(database, WordEmbedder(_BEFORE))
    items = [room.add(f"{n}.md", words, title=f"Document {n}", index=False) for n, words in enumerate(_WORDS)]
    for ring in room.bell.rings[:10]:
        room.perform(ring.job_id)
    del room.bell.rings[:10]
    room.embedder = WordEmbedder(after)
    room.work()
    assert room.vectors() == {_BEFORE: 10}
    assert [room.paths(words)[0] for words in _WORDS] == [f"{n}.md" for n in range(20)]
    assert room.search(_WORDS[0]).space is None
    room.start(after)
    assert room.vectors() == {_BEFORE: 10, after: 20}
    assert room.swap() == Choice(after, None, _BEFORE)
    assert found_by_meaning(room) == [f"{n}.md" for n in range(20)]
    assert {room.read(item).index.revision for item in items} == {1}
