"""The trash on a real database: what was deleted is found nowhere else, comes back whole, and goes for good."""

import threading
from collections.abc import Callable
from typing import Any

import pytest

from chalicelib.access.store import hold_places
from chalicelib.audit.model import ActivityAction
from chalicelib.database.statements import Statement
from chalicelib.errors import LorebaseError
from chalicelib.identity.errors import WorkspaceNotFound
from chalicelib.identity.rights import ActionForbidden
from chalicelib.intake.purge_items import Emptied, empty_trash
from chalicelib.intake.read_coverage import read_coverage
from chalicelib.items.errors import InvalidPath, ItemNotFound, PathTaken, QuotaExceeded
from chalicelib.items.list_items import list_tags, read_folder
from chalicelib.items.model import IndexState, ItemFilters
from chalicelib.items.read_item import list_revisions
from chalicelib.items.read_trash import list_trashed_revisions, read_trashed_item, read_trashed_revision
from chalicelib.search.model import Question
from chalicelib.search.search import SearchRules, search
from chalicelib.triggers.chores import chores_of
from tests.fixtures.lorebases import Lorebase
from tests.fixtures.trash_room import ONLY_ME, RESTRICTED, TrashRoom

_ROWS = Statement(
    "rows",
    "Count what is kept of items, and what refers to them.",
    b"select (select count(*) from items) as items, (select count(*) from revisions) as revisions,"
    b" (select count(*) from bodies) as bodies, (select count(*) from uploads) as uploads,"
    b" (select count(*) from originals) as originals, (select count(*) from access_settings) as settings,"
    b" (select count(*) from chunks) as chunks",
)
_ACTIONS = Statement(
    "actions", "Read what was done to a thing.", b"select action from activity where subject_id = %(id)s order by id"
)
NOTHING_USED = {"items": 0, "uploads": 0, "original_bytes": 0, "body_bytes": 0, "chunks": 0}


@pytest.fixture
def room(lorebase: Lorebase) -> TrashRoom:
    return TrashRoom(lorebase)


def originals(room: TrashRoom) -> list[str]:
    return [stored.key for stored in room.lorebase.wired.originals.walk("")]


def rows(room: TrashRoom) -> dict[str, int]:
    with room.database.transaction() as tx:
        row = tx.fetch_one(_ROWS)
    assert row is not None
    return dict(row)


def actions(room: TrashRoom, item_id: object) -> list[str]:
    with room.database.transaction() as tx:
        return [row["action"] for row in tx.fetch_all(_ACTIONS, id=item_id)]


def hits(room: TrashRoom, query: str) -> list[str]:
    answer = search(
        database=room.database,
        principal=room.owner,
        workspace_id=room.workspace_id,
        question=Question(query=query),
        embedder=None,
        rules=SearchRules(),
    )
    return [hit.path for hit in answer.hits]


def at_once(*actions: Callable[[], object]) -> list[type[LorebaseError] | None]:
    """Do all at once; return how each went wrong."""
    start = threading.Barrier(len(actions))
    outcomes: list[type[LorebaseError] | None] = [None] * len(actions)

    def act(number: int) -> None:
        start.wait()
        try:
            actions[number]()
        except LorebaseError as error:
            outcomes[number] = type(error)

    threads = [threading.Thread(target=act, args=(number,)) for number in range(len(actions))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return outcomes


def test_an_item_in_the_trash_is_found_by_nothing_else(room: TrashRoom) -> None:
    item = room.add("box/plan.md", "The zebra plan.", tags=["zebra"])
    room.lorebase.drain()
    assert hits(room, "zebra") == ["box/plan.md"]
    room.delete(item)
    room.lorebase.drain()
    assert hits(room, "zebra") == []
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


def test_restoring_makes_the_next_revision_and_brings_it_back_into_search(room: TrashRoom) -> None:
    item = room.add("box/plan.md", "The zebra plan.", tags=["zebra"])
    room.lorebase.drain()
    used = room.usage()
    room.delete(item)
    restored = room.restore(item, who=room.editor)
    assert (restored.id, restored.revision, restored.path) == (item.id, 2, "box/plan.md")
    assert (restored.index.state, restored.updated_by) == (IndexState.PENDING, room.editor.id)
    room.lorebase.drain()
    assert hits(room, "zebra") == ["box/plan.md"]
    assert room.usage() == used
    assert room.trash() == []
    history = room.do(list_revisions, item_id=item.id, before=None, limit=9)
    assert [(entry.number, entry.path, list(entry.attributes.tags)) for entry in history] == [
        (2, "box/plan.md", ["zebra"]),
        (1, "box/plan.md", ["zebra"]),
    ]
    assert actions(room, item.id)[-2:] == [ActivityAction.ITEM_DELETED, ActivityAction.ITEM_RESTORED]


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


def test_deleting_for_good_leaves_nothing_and_frees_all_that_is_counted(room: TrashRoom) -> None:
    room.lorebase.upload("a.md", b"# One\n\nThe zebra.")
    room.lorebase.drain()
    room.lorebase.upload("a.md", b"# Two\n\nThe zebra.")
    room.lorebase.drain()
    [item] = room.lorebase.items()
    room.change(item, body="by hand")
    room.say(item, RESTRICTED)
    room.lorebase.drain()
    assert len(originals(room)) == 2
    room.delete(item)
    room.purge(item)
    assert set(rows(room).values()) == {0}
    assert room.usage() == NOTHING_USED
    assert originals(room) == []
    assert actions(room, item.id)[-1] == ActivityAction.ITEM_PURGED
    with pytest.raises(ItemNotFound):
        room.restore(item)


def test_what_others_have_as_well_stays(room: TrashRoom) -> None:
    room.lorebase.upload("a.md", b"# Same\n\nWords.")
    room.lorebase.upload("b.md", b"# Same\n\nWords.")
    room.lorebase.drain()
    first, second = room.lorebase.items()
    kept = room.usage()
    room.delete(first)
    room.purge(first)
    assert len(originals(room)) == 1
    assert room.usage() == {
        **kept,
        "items": 1,
        "uploads": 1,
        "chunks": second.index.chunks,
    }
    assert rows(room) == {
        "items": 1,
        "revisions": 1,
        "bodies": 1,
        "uploads": 1,
        "originals": 1,
        "settings": 0,
        "chunks": second.index.chunks,
    }


def test_a_body_that_an_earlier_revision_of_another_item_has_stays(room: TrashRoom) -> None:
    first, second = room.add("a.md", "shared"), room.add("b.md", "shared")
    room.change(second, body="later")
    room.delete(first)
    room.purge(first)
    assert rows(room)["bodies"] == 2
    assert room.usage()["body_bytes"] == len("shared") + len("later")


def test_a_living_item_is_not_deleted_for_good(room: TrashRoom) -> None:
    item = room.add("a.md")
    with pytest.raises(ItemNotFound):
        room.purge(item)
    assert room.paths() == ["a.md"]


def test_owners_delete_for_good_and_an_author_what_only_they_see(room: TrashRoom) -> None:
    shared, own = room.add("a.md", who=room.editor), room.add("b.md", who=room.editor)
    room.say(own, ONLY_ME, who=room.editor)
    room.delete(shared, who=room.editor)
    room.delete(own, who=room.editor)
    for who in (room.editor, room.other_editor, room.viewer):
        with pytest.raises(ActionForbidden):
            room.purge(shared, who=who)
    room.purge(own, who=room.editor)
    room.purge(shared)
    assert rows(room)["items"] == 0


def test_emptying_takes_what_lies_longest_in_parts_and_only_what_the_owner_reads(room: TrashRoom) -> None:
    kept = room.add("kept.md", who=room.editor)
    room.say(kept, ONLY_ME, who=room.editor)
    room.delete(kept, who=room.editor)
    for name in ("a", "b", "c"):
        room.delete(room.add(f"{name}.md"))
    options: dict[str, Any] = {"limit": 2, "rules": room.lorebase.wired.intake_rules}
    with pytest.raises(ActionForbidden):
        room.do(empty_trash, room.editor, **options)
    assert room.do(empty_trash, **options) == Emptied(2, has_more=True)
    assert [entry.item.path for entry in room.trash()] == ["c.md"]
    assert room.do(empty_trash, **options) == Emptied(1, has_more=False)
    assert room.do(empty_trash, **options) == Emptied(0, has_more=False)
    assert [entry.item.id for entry in room.trash(room.editor)] == [kept.id]


def test_a_round_of_the_sweep_empties_what_lay_there_too_long(room: TrashRoom) -> None:
    old, only_mine = room.add("a.md"), room.add("b.md", who=room.editor)
    room.say(only_mine, ONLY_ME, who=room.editor)
    room.delete(old)
    room.delete(only_mine, who=room.editor)
    room.lorebase.clock.moment = room.trash()[0].deleted_at
    room.lorebase.clock.move(days=29)
    assert chores_of(room.lorebase.wired)["trash"]() == 0
    room.lorebase.clock.move(days=1, seconds=1)
    room.lorebase.configure(trash_days=0)
    assert chores_of(room.lorebase.wired)["trash"]() == 0
    room.lorebase.configure(trash_days=30)
    assert chores_of(room.lorebase.wired)["trash"]() == 2
    assert rows(room)["items"] == 0
    assert room.usage()["items"] == 0


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
    assert rows(room)["items"] == (1 if outcomes[0] is None else 0)


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


def test_a_job_whose_item_is_deleted_for_good_meanwhile_has_no_effect(room: TrashRoom) -> None:
    item = room.add("a.md", "The zebra.")
    room.delete(item)
    room.restore(item)
    room.delete(item)
    room.purge(item)
    room.lorebase.drain()
    assert set(rows(room).values()) == {0}
    assert room.usage() == NOTHING_USED
