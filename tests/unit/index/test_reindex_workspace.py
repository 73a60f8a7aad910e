"""Indexing again what another analysis or chunker made."""

from dataclasses import replace

import pytest

from chalicelib.database.database import Database
from chalicelib.identity.model import WorkspaceRole
from chalicelib.identity.rights import ActionForbidden
from chalicelib.index.reindex_store import Reindexing
from chalicelib.index.reindex_workspace import start_reindexing
from chalicelib.items.model import IndexState
from tests.fixtures.changing_spaces import ChangingRoom
from tests.fixtures.embedders import WordEmbedder

_BODY = "\n\n".join(f"Paragraph {n} of a text with some words." for n in range(60))


@pytest.fixture
def room(database: Database) -> ChangingRoom:
    return ChangingRoom(database, WordEmbedder())


def reindex(room: ChangingRoom) -> Reindexing:
    with room.database.transaction() as tx:
        return start_reindexing(
            tx, principal=room.principal, workspace_id=room.workspace_id, makes=room.makes, jobs=room.queue
        )


def finish(room: ChangingRoom) -> None:
    room.work()
    for _ in range(20):
        if not room.retry_all():
            return
    pytest.fail("it never ends")


def test_other_chunk_sizes_are_taken_over_and_searches_see_what_is_there_until_then(room: ChangingRoom) -> None:
    item = room.add("a.md", _BODY)
    before = len(room.chunks(item))
    room.chunk_tokens = 64
    started = reindex(room)
    assert (started.stale, started.is_running) == (1, True)
    assert room.read(item).index.state is IndexState.READY
    assert room.paths("paragraph 7") == ["a.md"] * before
    finish(room)
    assert len(room.chunks(item)) > before
    done = reindex(room)
    assert (done.stale, done.is_running) == (0, False)
    assert room.read(item).index.revision == item.revision


def test_chunks_that_come_out_the_same_are_neither_embedded_nor_written(
    room: ChangingRoom, monkeypatch: pytest.MonkeyPatch
) -> None:
    embedder = room.embedder
    assert isinstance(embedder, WordEmbedder)
    items = [room.add(f"{n}.md", f"A short text, the {n}th.") for n in range(45)]
    before = [room.chunks(item) for item in items]
    embedder.embedded.clear()
    monkeypatch.setattr("chalicelib.index.makes.CHUNKER", 0)
    reindex(room)
    assert reindex(room).is_running
    finish(room)
    assert reindex(room) == Reindexing(items=45, stale=0, failed=0, is_running=False)
    assert [room.chunks(item) for item in items] == before
    assert embedder.embedded == []


def test_few_at_a_time_stand_before_an_upload(room: ChangingRoom, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("chalicelib.index.reindex_workspace._AT_ONCE", 3)
    for n in range(10):
        room.add(f"{n}.md", f"A short text, the {n}th.")
    monkeypatch.setattr("chalicelib.index.makes.CHUNKER", 0)
    reindex(room)
    room.perform(room.bell.rings.pop().job_id)
    assert len([ring for ring in room.bell.rings if not ring.after]) == 3
    finish(room)
    assert reindex(room).stale == 0


def test_who_may_not_operate_may_not_reindex(room: ChangingRoom) -> None:
    roles = {room.workspace_id: WorkspaceRole.EDITOR}
    room.principal = replace(room.principal, roles_by_workspace=roles)
    with pytest.raises(ActionForbidden):
        reindex(room)
