"""What is deleted for good leaves nothing, and takes nothing that another needs."""

from typing import Any

import pytest

from chalicelib.audit.model import ActivityAction
from chalicelib.identity.rights import ActionForbidden
from chalicelib.index.passages import passages_of
from chalicelib.intake.change_upload import retry_upload
from chalicelib.intake.extract_upload import UploadExtraction
from chalicelib.intake.purge_items import Emptied, empty_trash
from chalicelib.items.errors import ItemNotFound
from chalicelib.triggers.chores import chores_of
from tests.fixtures.lorebases import Lorebase
from tests.fixtures.trash_room import ONLY_ME, RESTRICTED, TrashRoom

NOTHING_USED = {"items": 0, "uploads": 0, "original_bytes": 0, "body_bytes": 0, "chunks": 0, "citations": 0}


@pytest.fixture
def room(lorebase: Lorebase) -> TrashRoom:
    return TrashRoom(lorebase)


def test_deleting_for_good_leaves_nothing_and_frees_all_that_is_counted(room: TrashRoom) -> None:
    room.lorebase.upload("a.md", b"# One\n\nThe zebra.")
    room.lorebase.drain()
    room.lorebase.upload("a.md", b"# Two\n\nThe zebra.")
    room.lorebase.drain()
    [item] = room.lorebase.items()
    room.change(item, body="by hand")
    room.say(item, RESTRICTED)
    room.lorebase.drain()
    assert len(room.originals()) == 2
    room.delete(item)
    room.purge(item)
    assert set(room.rows().values()) == {0}
    assert room.usage() == NOTHING_USED
    assert room.originals() == []
    assert room.actions(item.id)[-1] == ActivityAction.ITEM_PURGED
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
    assert len(room.originals()) == 1
    assert room.usage() == {
        **kept,
        "items": 1,
        "uploads": 1,
        "chunks": second.index.chunks,
    }
    assert room.rows() == {
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
    assert room.rows()["bodies"] == 2
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
    assert room.rows()["items"] == 0


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
    assert room.rows()["items"] == 0
    assert room.usage()["items"] == 0


def test_a_job_whose_item_is_deleted_for_good_meanwhile_has_no_effect(room: TrashRoom) -> None:
    item = room.add("a.md", "The zebra.")
    room.delete(item)
    room.restore(item)
    room.delete(item)
    room.purge(item)
    room.lorebase.drain()
    assert set(room.rows().values()) == {0}
    assert room.usage() == NOTHING_USED


def test_an_upload_tried_again_while_its_item_is_deleted_for_good_goes_with_it(
    room: TrashRoom, monkeypatch: pytest.MonkeyPatch
) -> None:
    upload = room.lorebase.upload("a.docx", b"PK\x03\x04 broken")
    room.lorebase.drain()
    [item] = room.lorebase.items()
    room.delete(item)
    room.do(retry_upload, upload_id=upload.id, rules=room.lorebase.wired.intake_rules)
    as_ever = UploadExtraction._keep
    purged = list[object]()

    def purging(extraction: UploadExtraction, *arguments: Any) -> None:
        as_ever(extraction, *arguments)
        room.purge(item)
        purged.append(item.id)

    monkeypatch.setattr(UploadExtraction, "_keep", purging)
    room.lorebase.drain()
    assert purged == [item.id]
    assert set(room.rows().values()) == {0}
    assert room.usage() == NOTHING_USED


def test_an_item_deleted_for_good_while_it_is_indexed_leaves_nothing_in_search(
    room: TrashRoom, monkeypatch: pytest.MonkeyPatch
) -> None:
    item = room.add("a.md", "The zebra.")
    as_ever = passages_of

    def purging(*arguments: Any, **options: Any) -> object:
        room.delete(item)
        room.purge(item)
        return as_ever(*arguments, **options)

    monkeypatch.setattr("chalicelib.index.index_item.passages_of", purging)
    room.lorebase.drain()
    assert set(room.rows().values()) == {0}
    assert room.usage() == NOTHING_USED
