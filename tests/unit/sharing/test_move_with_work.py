"""Items keep their index as their folder moves, and work on its way follows it."""

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from chalicelib.database.database import Database
from chalicelib.database.statements import Statement
from chalicelib.index.passages import passages_of
from chalicelib.intake.model import UploadRequest, UploadState
from chalicelib.intake.read_uploads import read_upload
from chalicelib.intake.start_upload import start_upload
from chalicelib.intake.upload_errors import UploadNotFound
from chalicelib.items.model import IndexState
from chalicelib.items.read_item import read_item
from chalicelib.search.model import Question
from chalicelib.search.search import SearchRules, search
from tests.fixtures.embedders import WordEmbedder
from tests.fixtures.lorebases import Lorebase
from tests.fixtures.trash_room import RESTRICTED, TrashRoom

_CHUNKS = Statement("chunks", "Read the ids of chunks.", b"select id from chunks order by id")
_JOBS = Statement(
    "jobs", "Count open jobs.", b"select count(*) as jobs from jobs where state in ('waiting', 'running')"
)


@pytest.fixture
def room(lorebase: Lorebase) -> TrashRoom:
    return TrashRoom(lorebase)


@pytest.fixture
def embedding_room(database: Database, tmp_path: Path) -> Iterator[TrashRoom]:
    lorebase = Lorebase(database, tmp_path, embedder=WordEmbedder())
    yield TrashRoom(lorebase)
    lorebase.wired.close()


def test_the_index_stays_as_it_is_and_nothing_is_embedded(embedding_room: TrashRoom) -> None:
    room = embedding_room
    item = room.add("a/x.md", "The zebra plan.")
    room.lorebase.drain()
    with room.database.transaction() as tx:
        chunks = tx.fetch_all(_CHUNKS)
    room.move("a", "b")
    present = room.do(read_item, item_id=item.id)
    assert (present.index.state, present.index.revision, present.revision) == (IndexState.READY, 2, 2)
    with room.database.transaction() as tx:
        assert tx.fetch_all(_CHUNKS) == chunks
        jobs = tx.fetch_one(_JOBS)
    assert jobs == {"jobs": 0}
    answer = search(
        database=room.database,
        principal=room.owner,
        workspace_id=room.workspace_id,
        question=Question(query="zebra"),
        embedders=room.lorebase.wired.embedders,
        rules=SearchRules(),
    )
    assert [(hit.path, hit.revision) for hit in answer.hits] == [("b/x.md", 2)]


def test_an_item_that_waits_for_its_index_gets_it_in_its_new_place(room: TrashRoom) -> None:
    item = room.add("a/x.md", "The zebra plan.")
    room.move("a", "b")
    assert room.do(read_item, item_id=item.id).index.state is IndexState.PENDING
    room.lorebase.drain()
    assert room.do(read_item, item_id=item.id).index.state is IndexState.TEXT_READY


@pytest.mark.parametrize("again", [False, True], ids=["first", "again"])
def test_an_item_that_moves_while_it_is_indexed_is_not_left_waiting(
    room: TrashRoom, monkeypatch: pytest.MonkeyPatch, *, again: bool
) -> None:
    item = room.add("a/x.md", "The zebra plan.")
    if again:
        room.lorebase.drain()
        room.change(item, body="The zebra plan, again.")
    moves: list[str] = []
    as_ever: Callable[..., object] = passages_of

    def moving(*arguments: object, **options: object) -> object:
        if not moves:
            moves.append(room.move("a", "b").path)
        return as_ever(*arguments, **options)

    monkeypatch.setattr("chalicelib.index.index_item.passages_of", moving)
    room.lorebase.drain()
    present = room.do(read_item, item_id=item.id)
    assert moves == ["b"]
    assert (present.index.state, present.index.revision) == (IndexState.TEXT_READY, present.revision)


def test_an_upload_on_its_way_into_a_folder_follows_it(room: TrashRoom) -> None:
    room.say_of_folder("a", RESTRICTED)
    upload = room.lorebase.upload("a/x.md", b"# Kept")
    room.add("a/y.md")
    room.move("a", "b")
    room.lorebase.drain()
    [placed, _] = room.lorebase.items()
    done = room.do(read_upload, upload_id=upload.id)
    assert (done.state, done.path, placed.path) == (UploadState.SUCCEEDED, "b/x.md", "b/x.md")
    assert not room.reads(placed, room.editor)


def test_an_awaited_upload_stays_kept_from_those_its_folder_kept_it_from(room: TrashRoom) -> None:
    room.say_of_folder("a", RESTRICTED)
    started = room.do(
        start_upload,
        request=UploadRequest(path="a/late.md", filename="late.md", attributes={}, bytes=9),
        rules=room.lorebase.wired.intake_rules,
        now=room.lorebase.clock.now(),
    )
    room.add("a/y.md")
    room.move("a", "b")
    assert room.do(read_upload, upload_id=started.upload.id).path == "b/late.md"
    with pytest.raises(UploadNotFound):
        room.do(read_upload, room.editor, upload_id=started.upload.id)


def test_an_upload_whose_item_lies_elsewhere_by_now_stays_where_it_was_sent(room: TrashRoom) -> None:
    upload = room.lorebase.upload("a/x.md", b"# One")
    room.lorebase.drain()
    [item] = room.lorebase.items()
    room.change(item, path="elsewhere.md")
    room.add("a/y.md")
    room.move("a", "b")
    assert room.do(read_upload, upload_id=upload.id).path == "a/x.md"


def test_an_upload_that_is_extracted_meanwhile_lands_in_the_new_place(room: TrashRoom) -> None:
    room.add("a/y.md")
    room.lorebase.upload("a/x.md", b"# One")
    working = threading.Thread(target=room.lorebase.drain)
    working.start()
    room.move("a", "b")
    working.join()
    room.lorebase.drain()
    assert {path.partition("/")[0] for path in room.paths()} == {"b"}
