"""The trash: what was deleted is found nowhere else, and by nobody who could not read it before."""

import pytest

from chalicelib.intake.read_coverage import read_coverage
from chalicelib.items.errors import ItemNotFound
from chalicelib.items.list_items import list_tags, read_folder
from chalicelib.items.model import ItemFilters
from chalicelib.items.read_item import list_revisions
from chalicelib.items.read_trash import list_trashed_revisions, read_trashed_item, read_trashed_revision
from tests.fixtures.lorebases import Lorebase
from tests.fixtures.trash_room import ONLY_ME, TrashRoom


@pytest.fixture
def room(lorebase: Lorebase) -> TrashRoom:
    return TrashRoom(lorebase)


def test_an_item_in_the_trash_is_found_by_nothing_else(room: TrashRoom) -> None:
    item = room.add("box/plan.md", "The zebra plan.", tags=["zebra"])
    room.lorebase.drain()
    assert room.hits("zebra") == ["box/plan.md"]
    room.delete(item)
    room.lorebase.drain()
    assert room.hits("zebra") == []
    assert room.paths() == []
    assert room.do(list_tags) == {}
    folder = room.do(read_folder, folder="", filters=ItemFilters(), after_path=None, limit=9)
    assert (folder.folders, folder.items) == ({}, [])
    coverage = room.do(read_coverage, quotas=room.lorebase.wired.item_rules.quotas)
    assert sum(coverage.items.values()) == 0
    assert room.usage()["items"] == room.usage()["chunks"] == 0
    with pytest.raises(ItemNotFound):
        room.do(list_revisions, item_id=item.id, before=None, limit=9)
    assert [entry.item.id for entry in room.trash()] == [item.id]


def test_the_trash_lists_what_was_deleted_last_first_and_filters(room: TrashRoom) -> None:
    first, second, third = room.add("a/x.md"), room.add("a/y.md"), room.add("b/z.md")
    room.delete(first, who=room.editor)
    room.delete(second)
    room.delete(third)
    assert [entry.item.path for entry in room.trash()] == ["b/z.md", "a/y.md", "a/x.md"]
    assert [entry.item.path for entry in room.trash(folder="a")] == ["a/y.md", "a/x.md"]
    assert [entry.item.path for entry in room.trash(path="a/y.md")] == ["a/y.md"]
    assert [entry.item.path for entry in room.trash(deleted_by=room.editor.id)] == ["a/x.md"]
    assert room.trash(folder="a/x") == []


def test_one_in_the_trash_is_shown_with_body_and_history(room: TrashRoom) -> None:
    item = room.add("a.md", "one")
    room.change(item, body="two")
    with pytest.raises(ItemNotFound):
        room.do(read_trashed_item, item_id=item.id)
    room.delete(item, who=room.editor)
    entry = room.do(read_trashed_item, who=room.viewer, item_id=item.id)
    assert (entry.item.revision, entry.deleted_by) == (2, room.editor.id)
    assert room.do(read_trashed_revision, item_id=item.id, number=1).body == "one"
    history = room.do(list_trashed_revisions, item_id=item.id, before=None, limit=9)
    assert [revision.number for revision in history] == [2, 1]


def test_only_who_could_read_it_finds_it_in_the_trash(room: TrashRoom) -> None:
    item = room.add("a.md", who=room.editor)
    room.say(item, ONLY_ME, who=room.editor)
    room.delete(item, who=room.editor)
    assert [entry.item.id for entry in room.trash(room.editor)] == [item.id]
    for who in (room.owner, room.viewer, room.other_editor):
        assert room.trash(who) == []
        with pytest.raises(ItemNotFound):
            room.restore(item, who=who)
        with pytest.raises(ItemNotFound):
            room.purge(item, who=who)
