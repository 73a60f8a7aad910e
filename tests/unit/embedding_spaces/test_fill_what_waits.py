"""The way of a deployment from no embedder to one and back: words find at every moment, vectors come by themselves."""

from chalicelib.database.database import Database
from chalicelib.embedding_spaces.fill_what_waits import fill_what_waits
from chalicelib.embedding_spaces.model import Choice
from chalicelib.items.model import IndexState
from chalicelib.knowledge_bases.model import Mode
from tests.fixtures.changing_spaces import ChangingRoom
from tests.fixtures.embedders import WordEmbedder

_SPACE = "words/32"


def sweep(room: ChangingRoom) -> int:
    with room.database.transaction() as tx:
        promised = fill_what_waits(tx, embedders=room.embedders, jobs=room.queue)
    room.work()
    return promised


def test_from_none_to_an_embedder_and_back_again(database: Database) -> None:
    room = ChangingRoom(database)
    first = room.add("first.md", "First words.")
    assert (room.choice(), sweep(room)) == (Choice(), 0)
    assert room.read(first).index.state is IndexState.TEXT_READY

    room.embedder = WordEmbedder()
    assert sweep(room) == 1
    assert room.choice() == Choice(_SPACE)
    assert room.read(first).index.state is IndexState.READY
    assert [hit.path for hit in room.search("first words", mode=Mode.SEMANTIC).hits] == ["first.md"]

    room.embedder = None
    second = room.add("second.md", "Second words.")
    assert (room.choice(), sweep(room)) == (Choice(_SPACE), 0)
    assert room.read(second).index.state is IndexState.TEXT_READY
    assert sorted(room.paths("words")) == ["first.md", "second.md"]

    room.embedder = WordEmbedder()
    assert sweep(room) == 1
    assert room.read(second).index.state is IndexState.READY
    assert room.vectors() == {_SPACE: 2}
    assert sweep(room) == 0


def test_an_item_whose_job_is_under_way_is_left_to_it(database: Database) -> None:
    embedder = WordEmbedder()
    room = ChangingRoom(database, embedder)
    room.add("a.md", "Some words.")
    embedder.is_down = True
    room.add("b.md", "Other words.")
    assert sweep(room) == 0


def test_a_fill_that_stopped_goes_on_once_its_embedder_is_offered_again(database: Database) -> None:
    room = ChangingRoom(database, WordEmbedder(), offered=(WordEmbedder("others/48"),))
    room.add("a.md", "Some words.")
    room.start("others/48", work=False)
    offered, room.offered = room.offered, ()
    room.work()
    assert (sweep(room), room.vectors()) == (0, {_SPACE: 1})
    room.offered = offered
    assert sweep(room) == 1
    assert room.vectors() == {_SPACE: 1, "others/48": 1}
