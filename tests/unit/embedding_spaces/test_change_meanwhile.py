"""What comes and goes in workspaces while their organization changes its embedding space."""

import pytest

from chalicelib.database.database import Database
from chalicelib.embedding_spaces.errors import EmbeddingChangeNotReady
from chalicelib.embedding_spaces.model import ChangeState, Choice
from tests.fixtures.changing_spaces import ChangingRoom
from tests.fixtures.embedders import WordEmbedder

_OLD, _NEW = "words/32", "others/48"


@pytest.fixture
def new() -> WordEmbedder:
    return WordEmbedder(_NEW)


@pytest.fixture
def room(database: Database, new: WordEmbedder) -> ChangingRoom:
    room = ChangingRoom(database, WordEmbedder(), offered=(new,))
    room.add("a.md", "A text of some words.")
    return room


def test_what_came_meanwhile_and_has_no_vector_is_counted_as_failed(room: ChangingRoom, new: WordEmbedder) -> None:
    room.start(_NEW)
    new.zero_for = "nothing"
    for number in range(6):
        room.add(f"{number}.md", f"This means nothing, {number}.")
    assert (room.progress().state, room.progress().chunks_failed) == (ChangeState.BLOCKED, 6)
    with pytest.raises(EmbeddingChangeNotReady):
        room.swap()


def test_what_is_embedded_while_its_space_is_given_up_is_not_kept(room: ChangingRoom, new: WordEmbedder) -> None:
    room.start(_NEW)

    def give_up() -> None:
        new.meanwhile = None
        room.cancel()
        room.perform(room.bell.rings.pop().job_id)

    new.meanwhile = give_up
    room.add("b.md", "Another text.")
    assert room.vectors() == {_OLD: 2}


@pytest.mark.parametrize("is_emptied_first", [True, False])
def test_a_workspace_that_was_emptied_holds_no_later_change_back(database: Database, *, is_emptied_first: bool) -> None:
    room = ChangingRoom(database, WordEmbedder(), offered=(WordEmbedder(_NEW),))
    item = room.add("a.md", "A text of some words.")
    room.start(_NEW, work=False)
    if is_emptied_first:
        room.delete(item)
        room.cancel()
        room.work()
    else:
        room.cancel()
        room.delete(item)
    room.start(_NEW)
    assert room.progress().state is ChangeState.READY
    assert room.swap() == Choice(_NEW, None, _OLD)
