"""What owners say about folders and items decides the next read, and nothing else widens it."""

from collections.abc import Callable

import pytest

from chalicelib.access.model import AudienceKind, GrantAction
from chalicelib.database.ids import new_id
from chalicelib.identity.model import PrincipalId, TeamId, WorkspaceRole
from chalicelib.identity.rights import ActionForbidden
from chalicelib.items.errors import ItemNotFound
from chalicelib.sharing.change_access import change_folder_access
from chalicelib.sharing.errors import FolderNotFound, GrantNotFound, InvalidAccess
from chalicelib.sharing.manage_folders import forget_folder, list_folders, put_folder
from chalicelib.sharing.manage_grants import list_grants, take_grant
from chalicelib.sharing.model import AccessChoice, AudienceChoice
from tests.fixtures.shared_workspaces import Shared

ONLY_ME = AccessChoice(audience=AudienceChoice(AudienceKind.ONLY_ME))
RESTRICTED = AccessChoice(is_restricted=True)
NOTHING = AccessChoice()


def refused(error: type[Exception] | tuple[type[Exception], ...], *attempts: Callable[[], object]) -> None:
    """Make every attempt, each of which must be refused."""
    for attempt in attempts:
        with pytest.raises(error):
            attempt()


def test_a_restriction_holds_over_revisions_and_a_new_item_at_the_path_of_a_deleted_one(shared: Shared) -> None:
    item = shared.add("a.md")
    shared.say(item, RESTRICTED)
    assert not shared.reads(shared.viewer, item)
    shared.change(item, shared.owner, body="other text")
    assert not shared.reads(shared.viewer, item)
    shared.delete(item, shared.owner)
    again = shared.add("a.md")
    assert not shared.reads(shared.viewer, again)
    assert shared.reads(shared.other_owner, again)
    shared.say(again, NOTHING)
    assert shared.reads(shared.viewer, again)


def test_an_upload_and_a_drop_over_a_restricted_item_leave_it_restricted(shared: Shared) -> None:
    shared.lorebase.upload("a.md", b"# One\n\nText.")
    shared.lorebase.drain()
    (item,) = shared.lorebase.items()
    shared.say(item, RESTRICTED)
    shared.lorebase.upload("a.md", b"# Two\n\nText.")
    shared.lorebase.drain()
    (item,) = shared.lorebase.items()
    assert item.title == "Two"
    assert not shared.reads(shared.viewer, item)


def test_what_is_said_of_a_folder_holds_for_all_in_it_and_moves_in_and_out_with_its_items(shared: Shared) -> None:
    inside, deeper, outside = shared.add("hr/a.md"), shared.add("hr/pay/b.md"), shared.add("hrx/c.md")
    folder_id = shared.folder("hr", RESTRICTED)
    assert shared.paths(shared.viewer) == ["hrx/c.md"]
    shared.change(deeper, shared.owner, path="open/b.md")
    shared.change(outside, shared.owner, path="hr/c.md")
    assert shared.paths(shared.viewer) == ["open/b.md"]
    assert not shared.reads(shared.viewer, inside)
    shared.do(forget_folder, shared.owner, folder_id=folder_id)
    assert shared.paths(shared.viewer) == ["hr/a.md", "hr/c.md", "open/b.md"]


def test_a_deeper_folder_can_break_with_what_is_said_above_it(shared: Shared) -> None:
    shared.folder("hr", RESTRICTED)
    shared.add("hr/a.md")
    shared.add("hr/public/b.md")
    public = AudienceChoice(AudienceKind.WORKSPACE)
    shared.folder("hr/public", AccessChoice(audience=public))
    assert shared.paths(shared.viewer) == []
    shared.folder("hr/public", AccessChoice(audience=public, inherits=False))
    assert shared.paths(shared.viewer) == ["hr/public/b.md"]


def test_a_grant_opens_an_item_to_somebody_without_a_role_and_its_end_closes_the_workspace_again(
    shared: Shared,
) -> None:
    item = shared.add("a.md")
    shared.add("b.md")
    assert shared.now(shared.stranger).roles_by_workspace == {}
    grant = shared.grant(item.id, shared.stranger)
    guest = shared.now(shared.stranger)
    assert guest.roles_by_workspace == {shared.lorebase.workspace_id: WorkspaceRole.GUEST}
    assert shared.paths(guest) == ["a.md"]
    with pytest.raises(ActionForbidden):
        shared.change(item, guest, body="mine")
    shared.do(take_grant, shared.owner, subject_id=item.id, is_folder=False, grant_id=grant.id)
    assert shared.now(shared.stranger).roles_by_workspace == {}
    assert shared.paths(guest) == []


def test_a_grant_to_write_lets_a_viewer_change_and_add_in_that_folder_alone(shared: Shared) -> None:
    item, other = shared.add("hr/a.md"), shared.add("b.md")
    folder_id = shared.folder("hr", NOTHING)
    shared.grant(folder_id, shared.viewer.id, action=GrantAction.WRITE, is_folder=True)
    assert shared.change(item, shared.viewer, body="changed").revision == 2
    shared.add("hr/new.md", shared.viewer)
    refused(
        ActionForbidden,
        lambda: shared.change(other, shared.viewer, body="changed"),
        lambda: shared.change(item, shared.viewer, path="elsewhere.md"),
        lambda: shared.add("c.md", shared.viewer),
    )


def test_giving_a_grant_again_takes_the_place_of_the_first(shared: Shared) -> None:
    item = shared.add("a.md")
    first = shared.grant(item.id, shared.stranger)
    second = shared.grant(item.id, shared.stranger, action=GrantAction.WRITE)
    grants = shared.do(list_grants, shared.owner, subject_id=item.id, is_folder=False, after=None, limit=9)
    assert [(grant.id, grant.action) for grant in grants] == [(first.id, GrantAction.WRITE)] == [(second.id, "write")]


def test_editors_and_viewers_say_nothing_but_who_made_an_item_may_keep_it(shared: Shared) -> None:
    own, other = shared.add("own.md", shared.editor), shared.add("other.md")
    refused(
        (ActionForbidden, InvalidAccess),
        lambda: shared.say(own, RESTRICTED, shared.editor),
        lambda: shared.say(other, ONLY_ME, shared.viewer),
        lambda: shared.grant(own.id, shared.viewer.id, who=shared.editor),
        lambda: shared.folder("x", RESTRICTED, shared.editor),
        lambda: shared.say(own, AccessChoice(audience=AudienceChoice(AudienceKind.ORGANIZATION)), shared.editor),
    )
    shared.say(own, ONLY_ME, shared.editor)
    assert shared.paths(shared.editor) == ["other.md", "own.md"]
    assert shared.paths(shared.owner) == shared.paths(shared.other_owner) == ["other.md"]
    shared.say(own, NOTHING, shared.editor)
    assert shared.reads(shared.viewer, own)


def test_who_made_an_item_cannot_lift_what_an_owner_said(shared: Shared) -> None:
    own = shared.add("own.md", shared.editor)
    shared.say(own, RESTRICTED)
    with pytest.raises(ActionForbidden):
        shared.say(own, NOTHING, shared.editor)
    assert not shared.reads(shared.viewer, own)


def test_an_owner_cannot_open_what_another_keeps(shared: Shared) -> None:
    kept = shared.add("drafts/a.md", shared.editor)
    shared.say(kept, ONLY_ME, shared.editor)
    shared.folder("drafts", AccessChoice(inherits=False, audience=AudienceChoice(AudienceKind.WORKSPACE)))
    folder, _ = shared.do(put_folder, shared.owner, path="drafts")
    shared.grant(folder.id, shared.owner.id, is_folder=True)
    assert not shared.reads(shared.owner, kept)
    refused(
        ItemNotFound,
        lambda: shared.say(kept, NOTHING),
        lambda: shared.grant(kept.id, shared.owner.id),
        lambda: shared.delete(kept, shared.owner),
    )
    private = shared.folder("mine", ONLY_ME, shared.other_owner)
    shared.add("mine/b.md", shared.other_owner)
    refused(
        FolderNotFound,
        lambda: shared.do(change_folder_access, shared.owner, folder_id=private, choice=NOTHING),
        lambda: shared.do(forget_folder, shared.owner, folder_id=private),
    )
    with pytest.raises(ActionForbidden):
        shared.do(put_folder, shared.owner, path="mine/below")
    assert [folder.path for folder in shared.do(list_folders, shared.owner, after=None, limit=9)] == ["drafts"]


def test_nobody_writes_where_they_could_not_read_and_is_not_told_what_lies_there(shared: Shared) -> None:
    shared.folder("secret", RESTRICTED)
    shared.add("secret/there.md")
    told = set()
    for path in ("secret/there.md", "secret/absent.md", "secret/deep/er.md"):
        with pytest.raises(ActionForbidden) as refused:
            shared.add(path, shared.editor)
        told.add(str(refused.value))
    assert len(told) == 1
    item = shared.add("a.md", shared.editor)
    with pytest.raises(ActionForbidden):
        shared.change(item, shared.editor, path="secret/a.md")


@pytest.mark.parametrize(
    "choice",
    [
        AccessChoice(environment="nowhere"),
        AccessChoice(audience=AudienceChoice(AudienceKind.TEAMS)),
        AccessChoice(audience=AudienceChoice(AudienceKind.TEAMS, team_ids=frozenset({TeamId(new_id())}))),
        AccessChoice(audience=AudienceChoice(AudienceKind.NAMED, member_ids=frozenset({PrincipalId(new_id())}))),
        AccessChoice(audience=AudienceChoice(AudienceKind.WORKSPACE, team_ids=frozenset({TeamId(new_id())}))),
    ],
)
def test_what_cannot_be_said_is_refused_and_changes_nothing(shared: Shared, choice: AccessChoice) -> None:
    item = shared.add("a.md")
    with pytest.raises(InvalidAccess):
        shared.say(item, choice)
    assert shared.reads(shared.viewer, item)


def test_only_who_made_an_item_keeps_it(shared: Shared) -> None:
    item = shared.add("a.md", shared.editor)
    with pytest.raises(InvalidAccess):
        shared.say(item, ONLY_ME)


def test_a_grant_names_a_member_of_the_organization_and_its_own_subject(shared: Shared) -> None:
    item, other = shared.add("a.md"), shared.add("b.md")
    outsider = shared.lorebase.found("Beta").owner
    with pytest.raises(InvalidAccess):
        shared.grant(item.id, outsider.id)
    grant = shared.grant(item.id, shared.stranger)
    with pytest.raises(GrantNotFound):
        shared.do(take_grant, shared.owner, subject_id=other.id, is_folder=False, grant_id=grant.id)
