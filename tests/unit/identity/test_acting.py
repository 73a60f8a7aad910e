"""Whoever acts for another has the lesser role everywhere and sees what both may see."""

import itertools
from dataclasses import replace
from typing import Any

import pytest

from chalicelib.access.tokens import owner_token, tokens_of, workspace_token
from chalicelib.database.ids import new_id
from chalicelib.database.statements import Statement
from chalicelib.identity.acting import act_on_behalf_of, simulate
from chalicelib.identity.errors import ActingRefused
from chalicelib.identity.manage_api_keys import create_api_key
from chalicelib.identity.manage_members import create_member, set_role, update_member
from chalicelib.identity.manage_workspaces import create_workspace
from chalicelib.identity.model import (
    KeyScope,
    Member,
    OrganizationRole,
    Principal,
    PrincipalId,
    PrincipalKind,
    WorkspaceRole,
)
from chalicelib.identity.rights import ActionForbidden
from chalicelib.identity.store import find_principal
from tests.fixtures.lorebases import Lorebase

GIVEN = (WorkspaceRole.VIEWER, WorkspaceRole.EDITOR, WorkspaceRole.OWNER)
RECORDED = Statement(
    "recorded",
    "Read who simulated whom.",
    b"select actor_id, subject_id, after from activity where action = 'access.simulated'",
)


def where(lorebase: Lorebase) -> dict[str, Any]:
    return {"principal": lorebase.owner, "organization_id": lorebase.owner.organization_id}


def member(
    lorebase: Lorebase,
    kind: PrincipalKind,
    role: WorkspaceRole | None = None,
    organization_role: OrganizationRole = OrganizationRole.MEMBER,
) -> Member:
    with lorebase.database.transaction() as tx:
        made = create_member(tx, **where(lorebase), kind=kind, name=str(kind), organization_role=organization_role)
        if role is not None:
            set_role(tx, principal=lorebase.owner, workspace_id=lorebase.workspace_id, member_id=made.id, role=role)
    return made


def whole(lorebase: Lorebase, member_id: PrincipalId) -> Principal:
    with lorebase.database.transaction() as tx:
        found = find_principal(tx, lorebase.owner.organization_id, member_id)
    assert found is not None
    return found


def acting(lorebase: Lorebase, principal: Principal, member_id: PrincipalId) -> Principal:
    with lorebase.database.transaction() as tx:
        return act_on_behalf_of(tx, principal=principal, member_id=member_id)


def simulated(lorebase: Lorebase, admin: Principal, member_id: PrincipalId) -> Principal:
    with lorebase.database.transaction() as tx:
        return simulate(tx, principal=admin, member_id=member_id, route="show_me")


@pytest.mark.parametrize(("mine", "theirs"), list(itertools.product((None, *GIVEN), repeat=2)))
def test_in_each_workspace_the_lesser_role_holds(
    lorebase: Lorebase, mine: WorkspaceRole | None, theirs: WorkspaceRole | None
) -> None:
    bot = whole(lorebase, member(lorebase, PrincipalKind.AGENT, mine).id)
    user = member(lorebase, PrincipalKind.USER, theirs)
    expected = None if mine is None or theirs is None else min(mine, theirs, key=list(WorkspaceRole).index)
    found = acting(lorebase, bot, user.id)
    assert found.roles_by_workspace.get(lorebase.workspace_id) == expected
    assert (found.id, found.on_behalf_of) == (bot.id, whole(lorebase, user.id))


@pytest.mark.parametrize(("mine", "theirs"), list(itertools.product(OrganizationRole, repeat=2)))
def test_it_is_an_admin_only_where_both_are(
    lorebase: Lorebase, mine: OrganizationRole, theirs: OrganizationRole
) -> None:
    bot = whole(lorebase, member(lorebase, PrincipalKind.SERVICE, organization_role=mine).id)
    user = member(lorebase, PrincipalKind.USER, organization_role=theirs)
    is_admin = acting(lorebase, bot, user.id).organization_role is OrganizationRole.ADMIN
    assert is_admin == (mine is theirs is OrganizationRole.ADMIN)


def test_what_the_key_does_not_reach_stays_out_of_reach(lorebase: Lorebase) -> None:
    bot = whole(lorebase, member(lorebase, PrincipalKind.AGENT, WorkspaceRole.OWNER).id)
    admin = lorebase.owner.id
    with lorebase.database.transaction() as tx:
        other = create_workspace(tx, **where(lorebase), slug="other")
    key = replace(bot, scopes=frozenset({KeyScope.READ}), is_limited=True)
    found = acting(lorebase, key, admin)
    assert other.id not in found.roles_by_workspace
    assert (found.scopes, found.is_limited) == (frozenset({KeyScope.READ}), True)


def test_each_reads_by_the_role_of_its_own(lorebase: Lorebase) -> None:
    bot = whole(lorebase, member(lorebase, PrincipalKind.AGENT, WorkspaceRole.OWNER).id)
    user = member(lorebase, PrincipalKind.USER, WorkspaceRole.VIEWER)
    found = acting(lorebase, bot, user.id)
    assert found.on_behalf_of is not None
    here = lorebase.workspace_id
    assert {owner_token(here), workspace_token(here)} <= tokens_of(found, here)
    assert owner_token(here) not in tokens_of(found.on_behalf_of, here)


def test_whoever_cannot_be_acted_for_is_refused_in_the_same_words(lorebase: Lorebase) -> None:
    bot = whole(lorebase, member(lorebase, PrincipalKind.AGENT, WorkspaceRole.EDITOR).id)
    disabled = member(lorebase, PrincipalKind.USER, WorkspaceRole.EDITOR)
    with lorebase.database.transaction() as tx:
        update_member(tx, **where(lorebase), member_id=disabled.id, disabled=True)
    service = member(lorebase, PrincipalKind.SERVICE)
    stranger = lorebase.found("Other").owner
    said = set()
    for nobody in (PrincipalId(new_id()), disabled.id, service.id, bot.id, stranger.id):
        with pytest.raises(ActingRefused) as raised:
            acting(lorebase, bot, nobody)
        said.add((raised.value.detail, str(raised.value.members)))
    assert len(said) == 1


def test_a_user_acts_for_nobody(lorebase: Lorebase) -> None:
    user = member(lorebase, PrincipalKind.USER, WorkspaceRole.VIEWER)
    with pytest.raises(ActingRefused):
        acting(lorebase, lorebase.owner, user.id)


def test_no_key_is_made_on_behalf_of_another(lorebase: Lorebase) -> None:
    bot = whole(lorebase, member(lorebase, PrincipalKind.AGENT, WorkspaceRole.EDITOR).id)
    found = acting(lorebase, bot, lorebase.owner.id)
    with lorebase.database.transaction() as tx, pytest.raises(ActionForbidden):
        create_api_key(
            tx,
            principal=found,
            organization_id=found.organization_id,
            member_id=found.id,
            name="k",
            scopes=[KeyScope.READ],
            workspace_ids=None,
            expires_at=None,
            pepper=b"p",
            now=lorebase.clock.now(),
        )


def test_an_admin_reads_as_a_member_and_it_is_recorded(lorebase: Lorebase) -> None:
    viewer = lorebase.member(WorkspaceRole.VIEWER)
    found = simulated(lorebase, whole(lorebase, lorebase.owner.id), viewer.id)
    assert (found.id, found.scopes, found.organization_role) == (
        viewer.id,
        frozenset({KeyScope.READ}),
        OrganizationRole.MEMBER,
    )
    assert found.roles_by_workspace == {lorebase.workspace_id: WorkspaceRole.VIEWER}
    assert [principal.id for principal in found.chain] == [viewer.id, lorebase.owner.id]
    with lorebase.database.transaction() as tx:
        assert tx.fetch_all(RECORDED) == [
            {"actor_id": lorebase.owner.id, "subject_id": viewer.id, "after": {"route": "show_me"}}
        ]


def test_only_an_admin_with_the_scope_simulates_and_only_living_members(lorebase: Lorebase) -> None:
    viewer, manager = lorebase.member(WorkspaceRole.VIEWER), lorebase.member(WorkspaceRole.OWNER)
    admin = whole(lorebase, lorebase.owner.id)
    without_scope = replace(admin, scopes=frozenset({KeyScope.READ, KeyScope.WRITE}))
    for asker in (manager, without_scope):
        with pytest.raises(ActingRefused):
            simulated(lorebase, asker, viewer.id)
    with lorebase.database.transaction() as tx:
        update_member(tx, **where(lorebase), member_id=viewer.id, disabled=True)
    said = set()
    for nobody in (viewer.id, lorebase.found("Other").owner.id, PrincipalId(new_id())):
        with pytest.raises(ActingRefused) as raised:
            simulated(lorebase, admin, nobody)
        said.add(raised.value.detail)
    assert len(said) == 1
    with lorebase.database.transaction() as tx:
        assert tx.fetch_all(RECORDED) == []
