"""Who may move a folder, and that no refusal tells what is kept from its mover."""

import pytest

from chalicelib.access.model import GrantAction
from chalicelib.identity.errors import WorkspaceNotFound
from chalicelib.identity.rights import ActionForbidden
from chalicelib.items.errors import PathTaken
from chalicelib.sharing.errors import FolderNotFound
from chalicelib.sharing.manage_folders import put_folder
from chalicelib.sharing.manage_grants import give_grant
from tests.fixtures.lorebases import Lorebase
from tests.fixtures.trash_room import ONLY_ME, RESTRICTED, TrashRoom


@pytest.fixture
def room(lorebase: Lorebase) -> TrashRoom:
    return TrashRoom(lorebase)


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
