"""Teams: users alone, managed by admins, seen by those who are in them, and gone at once."""

from typing import Any

import pytest

from chalicelib.access.tokens import team_token, tokens_of
from chalicelib.database.ids import new_id
from chalicelib.database.statements import Statement
from chalicelib.identity.errors import (
    InvalidIdentity,
    MemberNotFound,
    OrganizationNotFound,
    TeamNameTaken,
    TeamNotFound,
)
from chalicelib.identity.manage_members import create_member, delete_member
from chalicelib.identity.manage_teams import (
    add_team_member,
    create_team,
    delete_team,
    list_team_members,
    list_teams,
    read_team,
    remove_team_member,
    rename_team,
)
from chalicelib.identity.model import Principal, PrincipalId, PrincipalKind, Team, TeamId, WorkspaceRole
from chalicelib.identity.rights import ActionForbidden
from chalicelib.identity.store import find_principal
from tests.fixtures.lorebases import Lorebase

GRANTS = Statement("grants", "Count grants.", b"select count(*) as number from grants")


def where(lorebase: Lorebase) -> dict[str, Any]:
    return {"principal": lorebase.owner, "organization_id": lorebase.owner.organization_id}


@pytest.fixture
def editors(lorebase: Lorebase) -> Team:
    with lorebase.database.transaction() as tx:
        return create_team(tx, **where(lorebase), name="Editors")


def tokens_now(lorebase: Lorebase, member: Principal) -> frozenset[str]:
    with lorebase.database.transaction() as tx:
        found = find_principal(tx, member.organization_id, member.id)
    assert found is not None
    return tokens_of(found, lorebase.workspace_id)


def test_whoever_joins_and_leaves_holds_the_token_from_then_on_and_no_longer(lorebase: Lorebase, editors: Team) -> None:
    viewer = lorebase.member(WorkspaceRole.VIEWER)
    with lorebase.database.transaction() as tx:
        for _ in range(2):
            add_team_member(tx, **where(lorebase), team_id=editors.id, member_id=viewer.id)
    assert team_token(editors.id) in tokens_now(lorebase, viewer)
    with lorebase.database.transaction() as tx:
        for _ in range(2):
            remove_team_member(tx, **where(lorebase), team_id=editors.id, member_id=viewer.id)
    assert team_token(editors.id) not in tokens_now(lorebase, viewer)


def test_a_deleted_team_takes_its_grants_and_tokens_along(lorebase: Lorebase, editors: Team) -> None:
    viewer = lorebase.member(WorkspaceRole.VIEWER)
    grant = Statement(
        "grant",
        "Open an item to a team.",
        b"insert into grants (id, workspace_id, item_id, team_id, action)"
        b" values (%(id)s, %(workspace_id)s, %(item_id)s, %(team_id)s, 'read')",
    )
    item = lorebase.add_item("a.md")
    with lorebase.database.transaction() as tx:
        add_team_member(tx, **where(lorebase), team_id=editors.id, member_id=viewer.id)
        tx.execute(grant, id=new_id(), workspace_id=lorebase.workspace_id, item_id=item.id, team_id=editors.id)
    with lorebase.database.transaction() as tx:
        delete_team(tx, **where(lorebase), team_id=editors.id)
        assert tx.fetch_one(GRANTS) == {"number": 0}
        with pytest.raises(TeamNotFound):
            delete_team(tx, **where(lorebase), team_id=editors.id)
    assert team_token(editors.id) not in tokens_now(lorebase, viewer)


@pytest.mark.parametrize("kind", [PrincipalKind.AGENT, PrincipalKind.SERVICE])
def test_only_users_are_in_teams(lorebase: Lorebase, editors: Team, kind: PrincipalKind) -> None:
    with lorebase.database.transaction() as tx:
        bot = create_member(tx, **where(lorebase), kind=kind, name="Bot")
        with pytest.raises(InvalidIdentity):
            add_team_member(tx, **where(lorebase), team_id=editors.id, member_id=bot.id)
        assert list_team_members(tx, **where(lorebase), team_id=editors.id, after=None, limit=10) == []


def test_a_name_is_given_once_whatever_its_case(lorebase: Lorebase, editors: Team) -> None:
    with lorebase.database.transaction() as tx:
        other = create_team(tx, **where(lorebase), name="Lawyers")
        with pytest.raises(TeamNameTaken):
            create_team(tx, **where(lorebase), name="eDITORS")
        assert rename_team(tx, **where(lorebase), team_id=editors.id, name="EDITORS").name == "EDITORS"
    with pytest.raises(TeamNameTaken), lorebase.database.transaction() as tx:
        rename_team(tx, **where(lorebase), team_id=other.id, name="editors")
    stranger = lorebase.found("Other").owner
    with lorebase.database.transaction() as tx:
        create_team(tx, principal=stranger, organization_id=stranger.organization_id, name="Editors")


@pytest.mark.parametrize("name", ["", "  ", "a\x00b", "a\nb", "x" * 201])
def test_a_name_that_cannot_be_is_refused(lorebase: Lorebase, editors: Team, name: str) -> None:
    with lorebase.database.transaction() as tx, pytest.raises(InvalidIdentity):
        rename_team(tx, **where(lorebase), team_id=editors.id, name=name)


def test_a_member_sees_the_teams_that_it_is_in_and_changes_none(lorebase: Lorebase, editors: Team) -> None:
    viewer = lorebase.member(WorkspaceRole.VIEWER)
    asked: dict[str, Any] = {"principal": viewer, "organization_id": viewer.organization_id}
    with lorebase.database.transaction() as tx:
        create_team(tx, **where(lorebase), name="Lawyers")
        assert list_teams(tx, **asked, after=None, limit=10) == []
        with pytest.raises(TeamNotFound):
            read_team(tx, **asked, team_id=editors.id)
        add_team_member(tx, **where(lorebase), team_id=editors.id, member_id=viewer.id)
        assert list_teams(tx, **asked, after=None, limit=10) == [editors]
        assert read_team(tx, **asked, team_id=editors.id) == editors
        assert len(list_teams(tx, **where(lorebase), after=None, limit=10)) == 2
        for refused in (
            lambda: create_team(tx, **asked, name="Mine"),
            lambda: rename_team(tx, **asked, team_id=editors.id, name="Mine"),
            lambda: delete_team(tx, **asked, team_id=editors.id),
            lambda: list_team_members(tx, **asked, team_id=editors.id, after=None, limit=10),
            lambda: add_team_member(tx, **asked, team_id=editors.id, member_id=viewer.id),
            lambda: remove_team_member(tx, **asked, team_id=editors.id, member_id=viewer.id),
        ):
            with pytest.raises(ActionForbidden):
                refused()


def test_teams_and_users_of_another_organization_are_not_there(lorebase: Lorebase, editors: Team) -> None:
    stranger = lorebase.found("Other").owner
    theirs: dict[str, Any] = {"principal": stranger, "organization_id": stranger.organization_id}
    with lorebase.database.transaction() as tx:
        for team_id in (editors.id, TeamId(new_id())):
            with pytest.raises(TeamNotFound):
                add_team_member(tx, **theirs, team_id=team_id, member_id=stranger.id)
            with pytest.raises(TeamNotFound):
                list_team_members(tx, **theirs, team_id=team_id, after=None, limit=10)
        for member_id in (stranger.id, PrincipalId(new_id())):
            for do in (add_team_member, remove_team_member):
                with pytest.raises(MemberNotFound):
                    do(tx, **where(lorebase), team_id=editors.id, member_id=member_id)
        with pytest.raises(OrganizationNotFound):
            list_teams(tx, principal=stranger, organization_id=lorebase.owner.organization_id, after=None, limit=10)


def test_whoever_is_removed_is_in_no_team(lorebase: Lorebase, editors: Team) -> None:
    viewer = lorebase.member(WorkspaceRole.VIEWER)
    with lorebase.database.transaction() as tx:
        add_team_member(tx, **where(lorebase), team_id=editors.id, member_id=viewer.id)
        [seen] = list_team_members(tx, **where(lorebase), team_id=editors.id, after=None, limit=10)
        assert (seen.id, seen.name) == (viewer.id, "viewer")
        delete_member(tx, **where(lorebase), member_id=viewer.id)
        assert list_team_members(tx, **where(lorebase), team_id=editors.id, after=None, limit=10) == []
