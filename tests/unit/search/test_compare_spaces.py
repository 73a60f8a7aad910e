"""Two embedding spaces beside each other, by the items nearest to the same questions."""

import psycopg
import pytest

from chalicelib.database.database import Database
from chalicelib.embedding_spaces.errors import EmbeddingChangeNotFound, EmbeddingSpaceUnknown
from chalicelib.identity.rights import ActionForbidden
from chalicelib.items.model import Item
from chalicelib.search.compare_spaces import SECONDS, Comparison, KnownQuestion, compare_spaces
from tests.fixtures.changing_spaces import ChangingRoom
from tests.fixtures.embedders import WordEmbedder

_NEW = "others/48"


@pytest.fixture
def room(database: Database) -> ChangingRoom:
    return ChangingRoom(database, WordEmbedder(), offered=(WordEmbedder(_NEW),))


def documents(room: ChangingRoom, count: int = 30) -> list[Item]:
    return [room.add(f"{n}.md", f"subject{n} and others", title=f"Subject{n}") for n in range(count)]


def compared(room: ChangingRoom, *questions: KnownQuestion, seconds: float = SECONDS) -> Comparison:
    return compare_spaces(
        database=room.database,
        principal=room.admin,
        organization_id=room.organization_id,
        workspace_id=room.workspace_id,
        questions=questions,
        embedders=room.embedders,
        seconds=seconds,
    )


def test_titles_are_asked_where_no_questions_are_given_and_each_knows_its_item(room: ChangingRoom) -> None:
    documents(room)
    room.start(_NEW)
    found = compared(room)
    assert (found.questions, found.known, found.is_sample, found.is_cut) == (30, 30, True, False)
    assert (found.active.space, found.other.space) == ("words/32", _NEW)
    assert (found.active.mrr, found.other.mrr) == (1.0, 1.0)
    assert (found.active.known_found, found.other_firsts) == (30, 0)
    assert 0.1 <= found.overlap < 1
    assert found.active.median_ms > 0


def test_a_model_that_does_not_find_what_is_known_is_found_out(room: ChangingRoom) -> None:
    items = documents(room)
    new = WordEmbedder(_NEW)
    room.offered = (new,)
    room.start(_NEW)
    new.zero_for = "subject3"
    found = compared(room, KnownQuestion("subject3", items[3].id), KnownQuestion("subject7"))
    assert (found.questions, found.known, found.is_sample) == (2, 1, False)
    assert (found.active.mrr, found.other.mrr, found.other_firsts) == (1.0, 0.0, 1)
    worst = found.differences[0]
    assert (worst.query, worst.overlap, worst.active_rank, worst.other_rank) == ("subject3", 0.0, 1, None)


def test_the_former_space_is_compared_with_after_a_swap(room: ChangingRoom) -> None:
    documents(room, 3)
    room.start(_NEW)
    room.swap()
    found = compared(room)
    assert (found.active.space, found.other.space) == (_NEW, "words/32")


def test_what_the_admin_may_not_read_is_in_no_comparison(room: ChangingRoom) -> None:
    documents(room, 3)
    room.add("secret.md", "subject9 kept", title="Kept", audience=["user:somebody-else"])
    room.start(_NEW)
    assert compared(room).questions == 3


def test_without_another_space_or_its_embedder_nothing_is_compared(room: ChangingRoom) -> None:
    documents(room, 1)
    with pytest.raises(EmbeddingChangeNotFound):
        compared(room)
    room.start(_NEW)
    room.offered = ()
    with pytest.raises(EmbeddingSpaceUnknown):
        compared(room)


def test_members_compare_nothing(room: ChangingRoom) -> None:
    with pytest.raises(ActionForbidden):
        compare_spaces(
            database=room.database,
            principal=room.principal,
            organization_id=room.organization_id,
            workspace_id=room.workspace_id,
            questions=[],
            embedders=room.embedders,
        )


def test_a_database_that_is_busy_ends_the_comparison_in_time(room: ChangingRoom, conninfo: str) -> None:
    documents(room, 3)
    room.start(_NEW)
    with psycopg.connect(conninfo) as other:
        other.execute("lock table embeddings in access exclusive mode")
        found = compared(room, seconds=1.0)
    assert (found.questions, found.is_cut) == (0, True)
