"""What was deleted comes back whole, under the rights of who restores it."""

import threading

import pytest

from chalicelib.access.store import hold_places
from chalicelib.audit.model import ActivityAction
from chalicelib.identity.errors import WorkspaceNotFound
from chalicelib.identity.rights import ActionForbidden
from chalicelib.items.errors import InvalidPath, ItemNotFound, PathTaken, QuotaExceeded
from chalicelib.items.model import IndexState
from chalicelib.items.read_item import list_revisions
from chalicelib.items.read_trash import read_trashed_item
from tests.fixtures.lorebases import Lorebase
from tests.fixtures.trash_room import ONLY_ME, RESTRICTED, TrashRoom, at_once


@pytest.fixture
def room(lorebase: Lorebase) -> TrashRoom:
    return TrashRoom(lorebase)


def test_restoring_makes_the_next_revision_and_brings_it_back_into_search(room: TrashRoom) -> None:
    item = room.add("box/plan.md", "The zebra plan.", tags=["zebra"])
    room.lorebase.drain()
    used = room.usage()
    room.delete(item)
    restored = room.restore(item, who=room.editor)
    assert (restored.id, restored.revision, restored.path) == (item.id, 2, "box/plan.md")
    assert (restored.index.state, restored.updated_by) == (IndexState.PENDING, room.editor.id)
    room.lorebase.drain()
    assert room.hits("zebra") == ["box/plan.md"]
    assert room.usage() == used
    assert room.trash() == []
    history = room.do(list_revisions, item_id=item.id, before=None, limit=9)
    assert [(entry.number, entry.path, list(entry.attributes.tags)) for entry in history] == [
        (2, "box/plan.md", ["zebra"]),
        (1, "box/plan.md", ["zebra"]),
    ]
    assert room.actions(item.id)[-2:] == [ActivityAction.ITEM_DELETED, ActivityAction.ITEM_RESTORED]


def test_one_may_be_restored_to_another_path_and_only_to_a_free_one(room: TrashRoom) -> None:
    item = room.add("a.md", "one")
    room.delete(item)
    room.add("a.md", "two")
    with pytest.raises(PathTaken):
        room.restore(item)
    with pytest.raises(InvalidPath):
        room.restore(item, path="../b.md")
    assert room.restore(item, path="b.md").path == "b.md"
    assert room.paths() == ["a.md", "b.md"]


def test_only_who_may_write_restores(room: TrashRoom) -> None:
    item = room.add("a.md")
    room.delete(item)
    with pytest.raises(ActionForbidden):
        room.restore(item, who=room.viewer)
    outsider = room.lorebase.found("Others").owner
    with pytest.raises(WorkspaceNotFound):
        room.restore(item, who=outsider)
    assert len(room.trash()) == 1


def test_nobody_restores_to_where_the_result_could_not_be_read(room: TrashRoom) -> None:
    item = room.add("a.md")
    room.say_of_folder("kept", ONLY_ME)
    room.delete(item)
    with pytest.raises(ActionForbidden):
        room.restore(item, who=room.editor, path="kept/a.md")
    assert room.trash(room.editor) != []


def test_what_was_said_holds_again_and_so_does_what_is_said_of_the_folder_by_now(room: TrashRoom) -> None:
    restricted, plain = room.add("a/restricted.md"), room.add("a/plain.md")
    room.say(restricted, RESTRICTED)
    room.delete(restricted)
    room.delete(plain)
    assert room.trash(room.viewer) != []
    room.say_of_folder("a", ONLY_ME)
    assert room.trash(room.viewer) == []
    room.restore(plain)
    room.restore(restricted, path="b/restricted.md")
    assert not room.reads(plain, room.editor)
    assert not room.reads(restricted, room.editor)
    assert room.reads(restricted, room.owner)


def test_a_workspace_without_room_takes_nothing_back(room: TrashRoom) -> None:
    item = room.add("a.md")
    room.delete(item)
    room.add("b.md")
    room.lorebase.configure(quota_items=1)
    with pytest.raises(QuotaExceeded):
        room.restore(item)
    assert room.paths() == ["b.md"]
    assert room.usage()["items"] == 1


def test_the_uploads_of_a_restored_item_count_again(room: TrashRoom) -> None:
    room.lorebase.upload("a.md", b"# One")
    room.lorebase.drain()
    room.lorebase.upload("a.md", b"# Two")
    room.lorebase.drain()
    [item] = room.lorebase.items()
    assert room.usage()["uploads"] == 1
    room.delete(item)
    assert room.usage()["uploads"] == 0
    room.restore(item)
    assert room.usage()["uploads"] == 1
    room.lorebase.drain()
    assert room.lorebase.items()[0].index.state is IndexState.TEXT_READY


def test_one_that_stands_for_an_unreadable_original_comes_back_with_its_failure(room: TrashRoom) -> None:
    room.lorebase.upload("a.docx", b"PK\x03\x04 broken")
    room.lorebase.drain()
    [item] = room.lorebase.items()
    assert item.index.state is IndexState.FAILED
    room.delete(item)
    restored = room.do(read_trashed_item, item_id=item.id).item
    assert restored.index.reason is None
    room.restore(item)
    assert room.lorebase.items()[0].index == item.index


def test_of_two_who_restore_at_once_one_does(room: TrashRoom) -> None:
    item = room.add("a.md")
    room.delete(item)
    outcomes = at_once(*[lambda: room.restore(item)] * 4)
    assert sorted(map(str, outcomes)) == sorted(map(str, [None, *[ItemNotFound] * 3]))
    assert room.lorebase.items()[0].revision == 2
    assert room.usage()["items"] == 1


def test_a_restored_item_and_a_new_one_never_share_a_path(room: TrashRoom) -> None:
    item = room.add("a.md")
    room.delete(item)
    outcomes = at_once(lambda: room.restore(item), lambda: room.add("a.md"))
    assert sorted(map(str, outcomes)) == sorted(map(str, [None, PathTaken]))
    assert room.paths() == ["a.md"]
    assert room.usage()["items"] == 1


def test_of_who_restores_and_who_deletes_for_good_one_prevails(room: TrashRoom) -> None:
    item = room.add("a.md")
    room.delete(item)
    outcomes = at_once(lambda: room.restore(item), lambda: room.purge(item))
    assert sorted(map(str, outcomes)) == sorted(map(str, [None, ItemNotFound]))
    assert room.rows()["items"] == (1 if outcomes[0] is None else 0)


def test_restoring_waits_for_who_says_who_may_read_and_follows_it(room: TrashRoom) -> None:
    item = room.add("a/b.md")
    room.delete(item)
    with room.database.transaction() as tx:
        hold_places(tx, room.workspace_id)
        restoring = threading.Thread(target=lambda: room.restore(item))
        restoring.start()
        restoring.join(0.2)
        assert restoring.is_alive()
    restoring.join()
    outcomes = at_once(lambda: room.say_of_folder("c", ONLY_ME), lambda: room.delete(item))
    assert outcomes == [None, None]
    at_once(lambda: room.restore(item, path="c/d.md"), lambda: room.say_of_folder("c", RESTRICTED))
    assert not room.reads(item, room.editor)
