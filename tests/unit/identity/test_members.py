"""Members and their roles: an organization keeps an admin, and nobody gains a right by themselves."""

import threading
from dataclasses import replace
from typing import Any

import pytest

from chalicelib.identity.errors import (
    EmailTaken,
    InvalidIdentity,
    LastAdmin,
    MemberNotFound,
    OrganizationNotFound,
    SlugTaken,
    WorkspaceNotFound,
)
from chalicelib.identity.manage_members import create_member, list_members, read_member, set_role, update_member
from chalicelib.identity.manage_organization import read_organization, rename_organization
from chalicelib.identity.manage_workspaces import create_workspace, resolve_workspace, update_workspace
from chalicelib.identity.model import OrganizationRole, PrincipalId, PrincipalKind, WorkspaceRole
from chalicelib.identity.rights import Action, ActionForbidden, authorize, authorize_organization
from tests.fixtures.lorebases import Lorebase


def test_the_last_admin_cannot_step_down_or_be_disabled(lorebase: Lorebase) -> None:
    where: dict[str, Any] = {"principal": lorebase.owner, "organization_id": lorebase.owner.organization_id}
    for change in ({"organization_role": OrganizationRole.MEMBER}, {"disabled": True}):
        with lorebase.database.transaction() as tx, pytest.raises(LastAdmin):
            update_member(tx, **where, member_id=lorebase.owner.id, **change)


def test_two_admins_cannot_step_down_at_once(lorebase: Lorebase) -> None:
    where: dict[str, Any] = {"principal": lorebase.owner, "organization_id": lorebase.owner.organization_id}
    with lorebase.database.transaction() as tx:
        second = create_member(
            tx,
            **where,
            kind=PrincipalKind.USER,
            name="Bob",
            organization_role=OrganizationRole.ADMIN,
        )
    outcomes: list[str] = []
    start = threading.Barrier(2)

    def step_down(member_id: PrincipalId) -> None:
        start.wait()
        try:
            with lorebase.database.transaction() as tx:
                update_member(tx, **where, member_id=member_id, organization_role=OrganizationRole.MEMBER)
            outcomes.append("down")
        except LastAdmin:
            outcomes.append("last")

    threads = [threading.Thread(target=step_down, args=(who,)) for who in (lorebase.owner.id, second.id)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["down", "last"]


def test_who_manages_one_workspace_learns_of_no_other(lorebase: Lorebase) -> None:
    where: dict[str, Any] = {"principal": lorebase.owner, "organization_id": lorebase.owner.organization_id}
    manager = lorebase.member(WorkspaceRole.OWNER)
    with lorebase.database.transaction() as tx:
        other = create_workspace(tx, **where, slug="other")
        eve = create_member(tx, **where, kind=PrincipalKind.USER, name="Eve", email="eve@example.org")
        hidden: dict[str, Any] = {"workspace_id": other.id, "member_id": eve.id, "role": WorkspaceRole.EDITOR}
        set_role(tx, principal=replace(lorebase.owner, roles_by_workspace={other.id: WorkspaceRole.OWNER}), **hidden)
        here: dict[str, Any] = {"workspace_id": lorebase.workspace_id, "member_id": eve.id}
        seen = set_role(tx, principal=manager, **here, role=WorkspaceRole.VIEWER)
        whole = read_member(tx, **where, member_id=eve.id)
    assert (seen.roles_by_workspace, seen.email) == ({lorebase.workspace_id: WorkspaceRole.VIEWER}, None)
    assert (len(whole.roles_by_workspace), whole.email) == (2, "eve@example.org")


def test_roles_are_given_within_the_organization_alone(lorebase: Lorebase) -> None:
    stranger = lorebase.found("Other").owner
    with lorebase.database.transaction() as tx, pytest.raises(MemberNotFound):
        set_role(
            tx,
            principal=lorebase.owner,
            workspace_id=lorebase.workspace_id,
            member_id=stranger.id,
            role=WorkspaceRole.VIEWER,
        )
    with lorebase.database.transaction() as tx, pytest.raises(WorkspaceNotFound):
        set_role(
            tx,
            principal=stranger,
            workspace_id=lorebase.workspace_id,
            member_id=stranger.id,
            role=WorkspaceRole.OWNER,
        )


def test_an_editor_gives_no_roles_and_a_role_can_be_taken(lorebase: Lorebase) -> None:
    editor = lorebase.member(WorkspaceRole.EDITOR)
    arguments: dict[str, Any] = {"workspace_id": lorebase.workspace_id, "member_id": editor.id}
    with lorebase.database.transaction() as tx, pytest.raises(ActionForbidden):
        set_role(tx, principal=editor, **arguments, role=WorkspaceRole.OWNER)
    with lorebase.database.transaction() as tx:
        member = set_role(tx, principal=lorebase.owner, **arguments, role=None)
    assert member.roles_by_workspace == {}


def test_a_member_reads_itself_and_no_other(lorebase: Lorebase) -> None:
    viewer = lorebase.member(WorkspaceRole.VIEWER)
    where: dict[str, Any] = {"principal": viewer, "organization_id": viewer.organization_id}
    with lorebase.database.transaction() as tx:
        assert read_member(tx, **where, member_id=viewer.id).id == viewer.id
        with pytest.raises(ActionForbidden):
            read_member(tx, **where, member_id=lorebase.owner.id)
        with pytest.raises(ActionForbidden):
            list_members(tx, **where, after=None, limit=10)


def test_a_foreign_organization_is_not_there(lorebase: Lorebase) -> None:
    stranger = lorebase.found("Other").owner
    with lorebase.database.transaction() as tx:
        with pytest.raises(OrganizationNotFound):
            read_organization(tx, principal=stranger, organization_id=lorebase.owner.organization_id)
        renamed = rename_organization(tx, principal=stranger, organization_id=stranger.organization_id, name="Renamed")
    assert renamed.name == "Renamed"


def test_slugs_and_addresses_are_taken_once_in_an_organization(lorebase: Lorebase) -> None:
    where: dict[str, Any] = {"principal": lorebase.owner, "organization_id": lorebase.owner.organization_id}
    with pytest.raises(SlugTaken), lorebase.database.transaction() as tx:
        create_workspace(tx, **where, slug="main")
    user: dict[str, Any] = {"kind": PrincipalKind.USER, "name": "C"}
    with lorebase.database.transaction() as tx:
        create_member(tx, **where, **user, email="c@example.org")
    with pytest.raises(EmailTaken), lorebase.database.transaction() as tx:
        create_member(tx, **where, **user, email="C@example.org")


@pytest.mark.parametrize("slug", ["", "A", "a b", "-a", "a-", "a" * 64, "ä"])
def test_slugs_that_cannot_be_are_refused(lorebase: Lorebase, slug: str) -> None:
    with lorebase.database.transaction() as tx, pytest.raises(InvalidIdentity):
        create_workspace(tx, principal=lorebase.owner, organization_id=lorebase.owner.organization_id, slug=slug)


def test_a_drop_names_a_workspace_by_id_or_by_a_slug_that_is_unique(lorebase: Lorebase) -> None:
    with lorebase.database.transaction() as tx:
        assert resolve_workspace(tx, "main").id == lorebase.workspace_id
    lorebase.found("Other")
    with lorebase.database.transaction() as tx:
        assert resolve_workspace(tx, str(lorebase.workspace_id)).id == lorebase.workspace_id
        with pytest.raises(WorkspaceNotFound):
            resolve_workspace(tx, "main")


def test_quotas_are_known_names_and_whole_numbers(lorebase: Lorebase) -> None:
    where: dict[str, Any] = {"principal": lorebase.owner, "workspace_id": lorebase.workspace_id}
    with lorebase.database.transaction() as tx:
        assert update_workspace(tx, **where, quotas={"items": 3}).quotas == {"items": 3}
        for quotas in ({"itmes": 3}, {"items": -1}):
            with pytest.raises(InvalidIdentity):
                update_workspace(tx, **where, quotas=quotas)


@pytest.mark.parametrize(
    ("role", "allowed"),
    [
        (WorkspaceRole.VIEWER, {Action.READ, Action.CITE}),
        (WorkspaceRole.EDITOR, {Action.READ, Action.CITE, Action.WRITE}),
        (
            WorkspaceRole.OWNER,
            {Action.READ, Action.CITE, Action.WRITE, Action.OPERATE, Action.GRANT, Action.MANAGE},
        ),
    ],
)
def test_each_role_allows_what_the_table_says(lorebase: Lorebase, role: WorkspaceRole, allowed: set[Action]) -> None:
    member = lorebase.member(role)
    passed = set()
    for action in Action:
        try:
            authorize(member, lorebase.workspace_id, action)
            passed.add(action)
        except ActionForbidden:
            pass
    assert passed == allowed
    with pytest.raises(ActionForbidden):
        authorize_organization(member, member.organization_id, Action.ADMINISTER)
