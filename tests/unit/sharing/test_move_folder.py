"""A folder moves whole or not at all, with its index, and is read by whom its new place lets."""

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from chalicelib.access.model import GrantAction
from chalicelib.database.database import Database
from chalicelib.database.statements import Statement
from chalicelib.identity.errors import WorkspaceNotFound
from chalicelib.identity.rights import ActionForbidden
from chalicelib.index.passages import passages_of
from chalicelib.intake.model import UploadRequest, UploadState
from chalicelib.intake.read_uploads import read_upload
from chalicelib.intake.start_upload import start_upload
from chalicelib.intake.upload_errors import UploadNotFound
from chalicelib.items.errors import InvalidPath, PathTaken
from chalicelib.items.model import IndexState
from chalicelib.items.read_item import list_revisions, read_item, read_revision
from chalicelib.search.model import Question
from chalicelib.search.search import SearchRules, search
from chalicelib.sharing.errors import FolderNotFound
from chalicelib.sharing.manage_folders import put_folder
from chalicelib.sharing.manage_grants import give_grant
from tests.fixtures.embedders import WordEmbedder
from tests.fixtures.lorebases import Lorebase
from tests.fixtures.trash_room import ONLY_ME, RESTRICTED, TrashRoom

_FOLDERS = Statement("folders", "Read the paths of folders.", b"select id, path from folders order by path")
_CHUNKS = Statement("chunks", "Read the ids of chunks.", b"select id from chunks order by id")
_JOBS = Statement(
    "jobs", "Count open jobs.", b"select count(*) as jobs from jobs where state in ('waiting', 'running')"
)
_ACTIVITY = Statement(
    "activity",
    "Read what was recorded of moves.",
    b"select subject_id, actor_id, after, is_kept_from_owners from activity where action = 'folder.moved'",
)


@pytest.fixture
def room(lorebase: Lorebase) -> TrashRoom:
    return TrashRoom(lorebase)


@pytest.fixture
def embedding_room(database: Database, tmp_path: Path) -> Iterator[TrashRoom]:
    lorebase = Lorebase(database, tmp_path, embedder=WordEmbedder())
    yield TrashRoom(lorebase)
    lorebase.wired.close()


def folders(room: TrashRoom) -> list[str]:
    with room.database.transaction() as tx:
        return [row["path"] for row in tx.fetch_all(_FOLDERS)]


def test_everything_in_a_folder_moves_as_its_next_revision(room: TrashRoom) -> None:
    item, deeper, beside = room.add("a/x.md", "one", tags=["t"]), room.add("a/b/y.md"), room.add("ab/z.md")
    like_the_folder = room.add("a")
    moved = room.move("a", "c/d", who=room.editor)
    assert (moved.path, moved.items) == ("c/d", 2)
    assert room.paths() == ["a", "ab/z.md", "c/d/b/y.md", "c/d/x.md"]
    present = room.do(read_item, item_id=item.id)
    assert (present.revision, present.updated_by) == (2, room.editor.id)
    history = room.do(list_revisions, item_id=item.id, before=None, limit=9)
    assert [(entry.number, entry.path, list(entry.attributes.tags)) for entry in history] == [
        (2, "c/d/x.md", ["t"]),
        (1, "a/x.md", ["t"]),
    ]
    assert history[0].attributes == history[1].attributes
    assert room.do(read_revision, item_id=item.id, number=2).body == "one"
    assert [room.do(read_item, item_id=thing.id).revision for thing in (deeper, beside, like_the_folder)] == [2, 1, 1]


def test_what_lies_in_the_trash_moves_along_and_comes_back_in_the_new_place(room: TrashRoom) -> None:
    item, _ = room.add("a/x.md"), room.add("a/y.md")
    room.delete(item)
    assert room.move("a", "b").items == 1
    assert [entry.item.path for entry in room.trash()] == ["b/x.md"]
    assert room.restore(item).path == "b/x.md"


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
        embedder=WordEmbedder(),
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


def test_a_folder_moves_into_the_one_above_it(room: TrashRoom) -> None:
    for path in ("a/b/b/x.md", "a/b/x.md", "a/b/y.md", "a/z.md"):
        room.add(path)
    trashed = room.add("a/b/t.md")
    room.delete(trashed)
    room.say_of_folder("a/b", RESTRICTED)
    room.say_of_folder("a/b/b", RESTRICTED)
    with pytest.raises(PathTaken):
        room.move("a/b", "a")
    room.move("a/b/b", "a/b/c")
    room.move("a/b", "q/b")
    room.move("q/b/c", "q/b/b")
    assert room.move("q/b", "q").items == 3
    assert room.paths() == ["a/z.md", "q/b/x.md", "q/x.md", "q/y.md"]
    assert folders(room) == ["q", "q/b"]
    assert [entry.item.path for entry in room.trash()] == ["q/t.md"]
    assert [item.revision > 1 for item in room.lorebase.items()] == [False, True, True, True]


def test_a_taken_path_keeps_the_whole_folder_where_it_is(room: TrashRoom) -> None:
    room.add("a/x.md"), room.add("a/y.md"), room.add("b/y.md"), room.add("b/z.md")
    with pytest.raises(PathTaken) as raised:
        room.move("a", "b")
    assert raised.value.members == {"path": "b/y.md"}
    assert room.paths() == ["a/x.md", "a/y.md", "b/y.md", "b/z.md"]


def test_a_folder_may_move_into_one_where_other_things_lie(room: TrashRoom) -> None:
    room.add("a/x.md"), room.add("b/y.md")
    buried = room.add("b/x.md")
    room.delete(buried)
    assert room.move("a", "b").items == 1
    assert room.paths() == ["b/x.md", "b/y.md"]


@pytest.mark.parametrize("target", ["a", "a/b", "", "../c", "/c", "c//d", "x/" * 33 + "x"])
def test_a_target_that_makes_no_sense_is_refused(room: TrashRoom, target: str) -> None:
    room.add("a/x.md")
    with pytest.raises(InvalidPath):
        room.move("a", target)
    assert room.paths() == ["a/x.md"]


def test_a_target_that_would_make_a_path_too_long_or_too_deep_is_refused(room: TrashRoom) -> None:
    room.add("a/" + "/".join(["d"] * 29) + "/x.md")
    buried = room.add("b/" + "/".join(["n" * 200] * 4) + "/x.md")
    room.add("b/y.md")
    room.delete(buried)
    with pytest.raises(InvalidPath, match="32 levels"):
        room.move("a", "c/d/e")
    with pytest.raises(InvalidPath, match="1000 characters"):
        room.move("b", "n" * 250)
    assert room.move("a", "c/d").items == 1


def test_what_is_said_of_a_folder_moves_with_it_and_keeps_its_id(room: TrashRoom) -> None:
    inner = room.add("a/b/x.md")
    folder = room.say_of_folder("a/b", RESTRICTED)
    room.move("a", "c")
    assert folders(room) == ["c/b"]
    assert not room.reads(inner, room.editor)
    with room.database.transaction() as tx:
        assert tx.fetch_one(_FOLDERS) == {"id": folder.id, "path": "c/b"}
    assert room.add("a/b/new.md", who=room.editor).path == "a/b/new.md"


def test_who_reads_is_what_the_new_place_says(room: TrashRoom) -> None:
    item, buried = room.add("a/x.md"), room.add("a/y.md")
    room.delete(buried)
    room.say_of_folder("kept", RESTRICTED)
    room.move("a", "kept/a")
    assert not room.reads(item, room.editor)
    assert room.trash(room.editor) == []
    room.move("kept/a", "open")
    assert room.reads(item, room.editor)
    assert [entry.item.path for entry in room.trash(room.editor)] == ["open/y.md"]


def test_an_editor_moves_no_folder_in_which_something_is_said(room: TrashRoom) -> None:
    for folder in ("item", "folder", "below", "granted", "trash", "mine"):
        room.add(f"{folder}/x.md")
    room.say(room.add("item/kept.md"), RESTRICTED)
    room.say_of_folder("folder", RESTRICTED)
    room.add("below/inner/y.md")
    room.say_of_folder("below/inner", RESTRICTED)
    granted = room.do(put_folder, path="granted")[0]
    room.do(
        give_grant,
        subject_id=granted.id,
        is_folder=True,
        action=GrantAction.READ,
        member_id=room.viewer.id,
        team_id=None,
    )
    buried = room.add("trash/kept.md")
    room.say(buried, RESTRICTED)
    room.delete(buried)
    mine = room.add("mine/kept.md", who=room.editor)
    room.say(mine, ONLY_ME, who=room.editor)
    before = room.paths()
    refusals = set()
    for folder in ("item", "below", "granted", "trash", "mine"):
        with pytest.raises(ActionForbidden) as raised:
            room.move(folder, "elsewhere", who=room.editor)
        refusals.add((raised.value.detail, str(raised.value.members)))
    assert len(refusals) == 1, "the words do not tell what it is"
    with pytest.raises(ActionForbidden):
        room.move("folder", "elsewhere", who=room.editor)
    assert room.paths() == before
    assert room.move("granted", "elsewhere").items == 1
    assert room.move("mine", "moved").items == 1
    assert room.reads(mine, room.editor)


def test_a_folder_of_which_nothing_may_be_read_is_one_that_is_not_there(room: TrashRoom) -> None:
    room.say(room.add("a/x.md", who=room.editor), ONLY_ME, who=room.editor)
    room.delete(room.add("b/x.md"))
    for who in (room.owner, room.other_editor):
        for folder in ("a", "b", "absent"):
            with pytest.raises(FolderNotFound) as raised:
                room.move(folder, "c", who=who)
            assert raised.value.detail == "There is no such folder."


def test_only_who_may_write_moves(room: TrashRoom) -> None:
    room.add("a/x.md")
    with pytest.raises(ActionForbidden):
        room.move("a", "b", who=room.viewer)
    with pytest.raises(WorkspaceNotFound):
        room.move("a", "b", who=room.lorebase.found("Others").owner)
    assert room.paths() == ["a/x.md"]


def test_a_grant_to_write_lets_move_within_what_it_covers(room: TrashRoom) -> None:
    room.add("team/a/x.md")
    folder = room.do(put_folder, path="team")[0]
    room.do(
        give_grant,
        subject_id=folder.id,
        is_folder=True,
        action=GrantAction.WRITE,
        member_id=room.viewer.id,
        team_id=None,
    )
    with pytest.raises(ActionForbidden):
        room.move("team/a", "elsewhere", who=room.viewer)
    assert room.move("team/a", "team/b", who=room.viewer).path == "team/b"


def test_nothing_moves_to_where_its_mover_could_not_read_it(room: TrashRoom) -> None:
    room.add("a/sub/x.md")
    room.say_of_folder("kept", RESTRICTED)
    with pytest.raises(ActionForbidden):
        room.move("a", "kept/a", who=room.editor)
    room.say_of_folder("b/sub", RESTRICTED)
    with pytest.raises(ActionForbidden):
        room.move("a", "b", who=room.editor)
    assert room.paths() == ["a/sub/x.md"]
    assert room.move("a", "b").items == 1


def test_what_is_said_of_a_moved_folder_comes_over_nothing_that_lay_there(room: TrashRoom) -> None:
    room.add("a/x.md"), room.add("b/y.md")
    room.say_of_folder("a", RESTRICTED)
    with pytest.raises(PathTaken):
        room.move("a", "b")
    room.say_of_folder("c", RESTRICTED)
    with pytest.raises(PathTaken):
        room.move("a", "c")
    assert folders(room) == ["a", "c"]
    assert room.reads(room.lorebase.items()[1], room.editor)


def test_a_path_taken_by_what_is_kept_from_the_mover_is_not_named(room: TrashRoom) -> None:
    room.add("a/y.md", who=room.editor)
    hidden = room.add("a/x.md", who=room.editor)
    room.say(hidden, ONLY_ME, who=room.editor)
    room.add("b/x.md")
    with pytest.raises(PathTaken) as raised:
        room.move("a", "b")
    assert "x.md" not in raised.value.detail
    assert raised.value.members == {}


def test_what_is_kept_from_an_owner_moves_with_the_folder_and_is_not_counted(room: TrashRoom) -> None:
    hidden, _ = room.add("a/x.md", who=room.editor), room.add("a/y.md")
    room.say(hidden, ONLY_ME, who=room.editor)
    assert room.move("a", "b").items == 1
    assert room.paths(room.editor) == ["b/x.md", "b/y.md"]
    assert room.paths() == ["b/y.md"]


def test_a_move_is_recorded_without_the_paths(room: TrashRoom) -> None:
    room.add("a/x.md")
    folder = room.say_of_folder("a", RESTRICTED)
    room.move("a", "b")
    with room.database.transaction() as tx:
        [row] = tx.fetch_all(_ACTIVITY)
    assert row == {
        "subject_id": folder.id,
        "actor_id": room.owner.id,
        "after": {"items": 1},
        "is_kept_from_owners": False,
    }


def test_whoever_adds_at_a_path_meanwhile_comes_before_or_after_and_is_seen(room: TrashRoom) -> None:
    room.say_of_folder("a", RESTRICTED)
    room.add("a/x.md")
    start = threading.Barrier(5)

    def add(number: int) -> None:
        start.wait()
        room.add(f"a/new{number}.md")

    threads = [threading.Thread(target=add, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    start.wait()
    room.move("a", "b")
    for thread in threads:
        thread.join()
    items = room.lorebase.items()
    assert len(items) == 5
    for item in items:
        assert room.reads(item, room.editor) == item.path.startswith("a/"), "open in the old place, kept in the new"


def test_an_upload_that_is_extracted_meanwhile_lands_in_the_new_place(room: TrashRoom) -> None:
    room.add("a/y.md")
    room.lorebase.upload("a/x.md", b"# One")
    working = threading.Thread(target=room.lorebase.drain)
    working.start()
    room.move("a", "b")
    working.join()
    room.lorebase.drain()
    assert {path.partition("/")[0] for path in room.paths()} == {"b"}
