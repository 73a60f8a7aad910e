"""A folder moves whole or not at all, with its index, and is read by whom its new place lets."""

import threading

import pytest

from chalicelib.database.statements import Statement
from chalicelib.items.errors import InvalidPath, PathTaken
from chalicelib.items.read_item import list_revisions, read_item, read_revision
from tests.fixtures.lorebases import Lorebase
from tests.fixtures.trash_room import RESTRICTED, TrashRoom

_FOLDERS = Statement("folders", "Read the paths of folders.", b"select id, path from folders order by path")
_ACTIVITY = Statement(
    "activity",
    "Read what was recorded of moves.",
    b"select subject_id, actor_id, after, is_kept_from_owners from activity where action = 'folder.moved'",
)


@pytest.fixture
def room(lorebase: Lorebase) -> TrashRoom:
    return TrashRoom(lorebase)


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
