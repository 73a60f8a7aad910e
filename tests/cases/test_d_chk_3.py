"""D-CHK-3: a document shrinks, and nothing of its earlier length goes on answering."""

import threading

import pytest

from chalicelib.database.database import Database
from chalicelib.items.read_item import read_revision
from tests.fixtures.embedders import WordEmbedder
from tests.fixtures.indexing import IndexRoom

_LONG = "\n\n".join(
    f"# Section {n}\n\nText of section {n} with {'zebra-token' if n == 33 else 'nothing else'}." for n in range(1, 41)
)
_SHORT = "\n\n".join(_LONG.split("\n\n")[:6])


@pytest.fixture
def room(database: Database) -> IndexRoom:
    return IndexRoom(database, WordEmbedder())


def _finds(room: IndexRoom, query: str) -> bool:
    """Tell whether any lane, or both together, still show the token."""
    return any(
        "zebra-token" in hit.snippet.text
        for mode in ("lexical", "semantic", "hybrid")
        for hit in room.search(query, mode=mode, limit=100).hits
    )


def test_the_rest_of_a_longer_version_is_gone(room: IndexRoom) -> None:
    item = room.add("page.md", _LONG)
    assert _finds(room, "zebra-token")
    room.change(item, body=_SHORT)
    assert not _finds(room, "zebra-token")
    assert [hit.ordinal for hit in room.chunks(item)] == [0, 1, 2]
    assert room.count("chunks") == room.count("chunk_terms") == room.count("embeddings") == 3
    with room.database.transaction() as tx:
        old = read_revision(tx, principal=room.principal, workspace_id=room.workspace_id, item_id=item.id, number=1)
    assert old.body is not None
    assert "zebra-token" in old.body


def test_an_emptied_version_answers_nothing(room: IndexRoom) -> None:
    item = room.add("page.md", _LONG)
    room.change(item, body="")
    assert room.search("zebra-token section").hits == []
    assert room.count("chunks") == 0


def test_a_replacement_after_deletion_has_only_its_own(room: IndexRoom) -> None:
    room.delete(room.add("page.md", _LONG))
    room.add("page.md", _SHORT)
    assert not _finds(room, "zebra-token")
    assert room.count("chunks") == 3


def test_no_search_sees_an_item_without_chunks(room: IndexRoom) -> None:
    item = room.add("page.md", _LONG)
    over = threading.Event()
    counts: list[int] = []

    def watch() -> None:
        while not over.is_set():
            counts.append(len(room.search("section", mode="lexical", limit=100).hits))

    watcher = threading.Thread(target=watch)
    watcher.start()
    for body in [_SHORT, _LONG] * 5:
        room.change(item, body=body)
    over.set()
    watcher.join()
    assert set(counts) <= {3, 40}
    assert counts
