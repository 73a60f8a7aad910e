"""A folder is deleted as far as its deleter may read it, at once and set by set."""

import pytest

from chalicelib.access.model import GrantAction
from chalicelib.database.statements import Statement
from chalicelib.identity.errors import WorkspaceNotFound
from chalicelib.identity.model import Principal
from chalicelib.identity.rights import ActionForbidden
from chalicelib.index.swap import remove_items_from_index
from chalicelib.items.errors import InvalidPath
from chalicelib.sharing.delete_folder import DeletedFolder, delete_folder
from chalicelib.sharing.errors import FolderNotFound
from chalicelib.sharing.manage_folders import put_folder
from chalicelib.sharing.manage_grants import give_grant
from tests.fixtures.lorebases import Lorebase
from tests.fixtures.trash_room import ONLY_ME, RESTRICTED, TrashRoom

_STATISTICS = Statement(
    "statistics",
    "Read what is counted over chunks.",
    b"select (select count(*) from term_statistics) as terms,"
    b" (select sum(chunks)::int from language_statistics) as chunks, (select count(*) from chunks) as kept",
)
_ACTIVITY = Statement(
    "activity",
    "Read what was recorded of deleted folders.",
    b"select actor_id, after from activity where action = 'folder.deleted'",
)


@pytest.fixture
def room(lorebase: Lorebase) -> TrashRoom:
    return TrashRoom(lorebase)


def delete(room: TrashRoom, folder: str, *, who: Principal | None = None) -> DeletedFolder:
    deleted: DeletedFolder = room.do(
        delete_folder,
        who,
        folder=folder,
        rules=room.lorebase.wired.item_rules,
        remove_from_index=remove_items_from_index,
    )
    return deleted


def grant_writing(room: TrashRoom, path: str, member: Principal) -> None:
    folder = room.do(put_folder, path=path)[0]
    room.do(
        give_grant,
        subject_id=folder.id,
        is_folder=True,
        action=GrantAction.WRITE,
        member_id=member.id,
        team_id=None,
    )


def test_all_in_a_folder_comes_into_the_trash_and_out_of_search(room: TrashRoom) -> None:
    room.lorebase.upload("a/x.md", b"# One\n\nThe zebra.")
    room.add("a/b/y.md", "The zebra again.")
    beside = room.add("ab.md", "A zebra beside.")
    room.lorebase.drain()
    room.add("a/waiting.md")
    assert delete(room, "a", who=room.editor) == DeletedFolder("a", 3)
    room.lorebase.drain()
    assert room.paths() == ["ab.md"]
    assert room.hits("zebra") == ["ab.md"]
    assert sorted(entry.item.path for entry in room.trash(deleted_by=room.editor.id)) == [
        "a/b/y.md",
        "a/waiting.md",
        "a/x.md",
    ]
    used = room.usage()
    assert (used["items"], used["uploads"], used["chunks"]) == (1, 0, 1)
    with room.database.transaction() as tx:
        statistics = tx.fetch_one(_STATISTICS)
        activity = tx.fetch_all(_ACTIVITY)
    assert statistics is not None
    assert (statistics["chunks"], statistics["kept"]) == (1, 1)
    assert activity == [{"actor_id": room.editor.id, "after": {"items": 3}}]
    room.delete(beside)
    with room.database.transaction() as tx:
        assert tx.fetch_one(_STATISTICS) == {"terms": 0, "chunks": 0, "kept": 0}


def test_what_was_deleted_with_a_folder_comes_back_one_by_one(room: TrashRoom) -> None:
    room.lorebase.upload("a/x.md", b"# One\n\nThe zebra.")
    room.lorebase.drain()
    [item] = room.lorebase.items()
    used = room.usage()
    delete(room, "a")
    room.restore(item)
    room.lorebase.drain()
    assert room.usage() == used
    assert room.hits("zebra") == ["a/x.md"]


def test_what_is_kept_from_the_deleter_stays_and_is_not_told_of(room: TrashRoom) -> None:
    room.add("a/x.md")
    hidden = room.add("a/y.md", who=room.editor)
    room.say(hidden, ONLY_ME, who=room.editor)
    assert delete(room, "a").items == 1
    assert room.reads(hidden, room.editor)
    with pytest.raises(FolderNotFound):
        delete(room, "a")
    with pytest.raises(FolderNotFound):
        delete(room, "absent")


def test_what_is_said_about_the_folder_stays_for_what_is_restored(room: TrashRoom) -> None:
    item = room.add("a/x.md")
    room.say_of_folder("a", RESTRICTED)
    delete(room, "a")
    room.restore(item)
    assert not room.reads(item, room.editor)


def test_only_who_may_write_deletes(room: TrashRoom) -> None:
    room.add("a/x.md")
    with pytest.raises(ActionForbidden):
        delete(room, "a", who=room.viewer)
    with pytest.raises(WorkspaceNotFound):
        delete(room, "a", who=room.lorebase.found("Others").owner)
    for path in ("", "/", "a/", ".."):
        with pytest.raises(InvalidPath):
            delete(room, path)
    assert room.paths() == ["a/x.md"]


def test_a_grant_deletes_what_it_covers_as_a_whole(room: TrashRoom) -> None:
    room.add("a/x.md")
    room.add("b/x.md")
    grant_writing(room, "a", room.viewer)
    assert delete(room, "a", who=room.viewer).items == 1
    grant_writing(room, "b", room.viewer)
    room.say(room.add("b/y.md"), RESTRICTED)
    with pytest.raises(ActionForbidden):
        delete(room, "b", who=room.viewer)
    assert room.paths() == ["b/x.md", "b/y.md"]
