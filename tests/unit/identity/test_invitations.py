"""Invitations: good once, for a while, and never for more than their inviter could give at that moment."""

import threading
from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest

from chalicelib.database.ids import new_id
from chalicelib.database.statements import Statement
from chalicelib.identity.accept_invitation import AcceptedInvitation, accept_invitation
from chalicelib.identity.authenticate import authenticate
from chalicelib.identity.errors import (
    EmailTaken,
    InvalidIdentity,
    InvitationAccepted,
    InvitationNotFound,
    Unauthenticated,
    WorkspaceNotFound,
)
from chalicelib.identity.manage_invitations import IssuedInvitation, invite_member, list_invitations, revoke_invitation
from chalicelib.identity.manage_members import create_member, delete_member, list_members, update_member
from chalicelib.identity.model import (
    InvitationId,
    Member,
    OrganizationRole,
    PrincipalKind,
    WorkspaceId,
    WorkspaceRole,
)
from chalicelib.identity.rights import ActionForbidden
from chalicelib.identity.store import find_principal
from tests.fixtures.lorebases import Lorebase

REFUSAL = "The invitation is unknown, used, revoked, expired or void; ask for a new one."


def where(lorebase: Lorebase) -> dict[str, Any]:
    return {"principal": lorebase.owner, "organization_id": lorebase.owner.organization_id}


def invite(lorebase: Lorebase, **arguments: Any) -> IssuedInvitation:
    defaults: dict[str, Any] = {
        **where(lorebase),
        "email": "eve@example.org",
        "organization_role": OrganizationRole.MEMBER,
        "roles_by_workspace": {lorebase.workspace_id: WorkspaceRole.EDITOR},
        "pepper": lorebase.wired.pepper,
        "now": lorebase.clock.now(),
    }
    with lorebase.database.transaction() as tx:
        return invite_member(tx, **{**defaults, **arguments})


def accept(lorebase: Lorebase, token: str, name: str = "Eve") -> AcceptedInvitation:
    with lorebase.database.transaction() as tx:
        return accept_invitation(tx, token=token, name=name, pepper=lorebase.wired.pepper, now=lorebase.clock.now())


def revoke(lorebase: Lorebase, invitation_id: InvitationId) -> None:
    with lorebase.database.transaction() as tx:
        revoke_invitation(tx, **where(lorebase), invitation_id=invitation_id, now=lorebase.clock.now())


def second_admin(lorebase: Lorebase) -> Member:
    role = OrganizationRole.ADMIN
    with lorebase.database.transaction() as tx:
        return create_member(tx, **where(lorebase), kind=PrincipalKind.USER, name="Bob", organization_role=role)


def test_the_holder_becomes_a_member_with_the_roles_and_a_key(lorebase: Lorebase) -> None:
    issued = invite(lorebase)
    accepted = accept(lorebase, issued.token)
    member = accepted.member
    assert (member.kind, member.name, member.email) == (PrincipalKind.USER, "Eve", "eve@example.org")
    with lorebase.database.transaction() as tx:
        principal = authenticate(tx, accepted.issued.token, pepper=lorebase.wired.pepper, now=lorebase.clock.now())
        [seen] = list_invitations(tx, **where(lorebase), after=None, limit=10)
    assert (principal.id, principal.roles_by_workspace) == (member.id, {lorebase.workspace_id: WorkspaceRole.EDITOR})
    assert (seen.accepted_by, seen.accepted_at) == (member.id, lorebase.clock.now())


def test_the_token_is_kept_as_a_hash_and_opens_nothing_else(lorebase: Lorebase) -> None:
    issued = invite(lorebase)
    rows = Statement("rows", "Read all that is kept.", b"select i::text as row from invitations i")
    with lorebase.database.transaction() as tx:
        kept = "".join(row["row"] for row in tx.fetch_all(rows))
        with pytest.raises(Unauthenticated):
            authenticate(tx, issued.token, pepper=lorebase.wired.pepper, now=lorebase.clock.now())
    assert issued.invitation.prefix in kept
    assert issued.token[-43:] not in kept
    with pytest.raises(InvitationNotFound):
        accept(lorebase, lorebase.foundation.token)


def expire(lorebase: Lorebase, _: IssuedInvitation) -> None:
    lorebase.clock.move(days=7)


def use(lorebase: Lorebase, issued: IssuedInvitation) -> None:
    accept(lorebase, issued.token)


def take_back(lorebase: Lorebase, issued: IssuedInvitation) -> None:
    revoke(lorebase, issued.invitation.id)


@pytest.mark.parametrize("end", [expire, use, take_back])
def test_a_token_that_is_over_is_refused_like_one_that_never_was(
    lorebase: Lorebase, end: Callable[[Lorebase, IssuedInvitation], None]
) -> None:
    issued = invite(lorebase)
    end(lorebase, issued)
    with pytest.raises(InvitationNotFound) as raised:
        accept(lorebase, issued.token, "Mallory")
    assert (raised.value.detail, raised.value.members) == (REFUSAL, {})


@pytest.mark.parametrize("token", ["", "lbi_", "lb_AAAAAAAAAA_" + "a" * 43, "lbi_AAAAAAAAAA_" + "a" * 43, "x" * 10_000])
def test_what_is_no_token_is_refused_alike(lorebase: Lorebase, token: str) -> None:
    with pytest.raises(InvitationNotFound) as raised:
        accept(lorebase, token)
    assert (raised.value.detail, raised.value.members) == (REFUSAL, {})


def test_the_prefix_alone_opens_nothing(lorebase: Lorebase) -> None:
    issued = invite(lorebase)
    with pytest.raises(InvitationNotFound):
        accept(lorebase, f"lbi_{issued.invitation.prefix}_{'a' * 43}")
    assert accept(lorebase, issued.token).member.name == "Eve"


@pytest.mark.parametrize("change", [{"disabled": True}, {"organization_role": OrganizationRole.MEMBER}, None])
def test_an_invitation_is_void_once_its_inviter_could_not_give_it(lorebase: Lorebase, change: Any) -> None:
    bob = second_admin(lorebase)
    with lorebase.database.transaction() as tx:
        principal = find_principal(tx, lorebase.owner.organization_id, bob.id)
    issued = invite(lorebase, principal=principal, organization_role=OrganizationRole.ADMIN)
    with lorebase.database.transaction() as tx:
        if change is None:
            delete_member(tx, **where(lorebase), member_id=bob.id)
        else:
            update_member(tx, **where(lorebase), member_id=bob.id, **change)
    with pytest.raises(InvitationNotFound) as raised:
        accept(lorebase, issued.token)
    assert raised.value.detail == REFUSAL


def test_of_those_who_accept_at_once_one_becomes_a_member(lorebase: Lorebase) -> None:
    issued = invite(lorebase)
    outcomes: list[str] = []
    start = threading.Barrier(4)

    def race(name: str) -> None:
        start.wait()
        try:
            accept(lorebase, issued.token, name)
            outcomes.append("in")
        except InvitationNotFound:
            outcomes.append("refused")

    threads = [threading.Thread(target=race, args=(f"Eve {number}",)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["in", "refused", "refused", "refused"]
    with lorebase.database.transaction() as tx:
        assert len(list_members(tx, **where(lorebase), after=None, limit=10)) == 2


def test_a_demotion_that_meets_an_acceptance_comes_before_or_after_it(lorebase: Lorebase) -> None:
    bob = second_admin(lorebase)
    with lorebase.database.transaction() as tx:
        principal = find_principal(tx, lorebase.owner.organization_id, bob.id)
    issued = invite(lorebase, principal=principal)
    outcomes: list[str] = []

    def race() -> None:
        try:
            accept(lorebase, issued.token)
            outcomes.append("in")
        except InvitationNotFound:
            outcomes.append("refused")

    waiting = Statement("waiting", "Tell whether somebody waits.", b"select 1 as one from pg_locks where not granted")
    acceptance = threading.Thread(target=race)
    with lorebase.database.transaction() as tx:
        update_member(tx, **where(lorebase), member_id=bob.id, organization_role=OrganizationRole.MEMBER)
        acceptance.start()
        while tx.fetch_one(waiting) is None:
            assert outcomes == [], "it waits for what is being decided"
    acceptance.join()
    assert outcomes == ["refused"]


def test_an_address_that_is_taken_is_refused_and_leaves_the_invitation_open(lorebase: Lorebase) -> None:
    issued, again = invite(lorebase), invite(lorebase)
    accepted = accept(lorebase, issued.token)
    with pytest.raises(EmailTaken):
        accept(lorebase, again.token)
    with pytest.raises(EmailTaken):
        invite(lorebase, email="EVE@example.org")
    with lorebase.database.transaction() as tx:
        delete_member(tx, **where(lorebase), member_id=accepted.member.id)
    assert accept(lorebase, again.token).member.email == "eve@example.org"


@pytest.mark.parametrize("name", ["", " ", "a\x00b", "x" * 201])
def test_a_name_that_cannot_be_leaves_the_invitation_open(lorebase: Lorebase, name: str) -> None:
    issued = invite(lorebase)
    with pytest.raises(InvalidIdentity):
        accept(lorebase, issued.token, name)
    assert accept(lorebase, issued.token).member.name == "Eve"


@pytest.mark.parametrize(
    "change",
    [
        {"email": "nobody"},
        {"email": ""},
        {"validity": timedelta()},
        {"validity": timedelta(days=30, seconds=1)},
        {"roles_by_workspace": "guest"},
    ],
)
def test_what_cannot_be_promised_is_refused(lorebase: Lorebase, change: dict[str, Any]) -> None:
    if "roles_by_workspace" in change:
        change = {"roles_by_workspace": {lorebase.workspace_id: WorkspaceRole.GUEST}}
    with pytest.raises(InvalidIdentity):
        invite(lorebase, **change)


def test_only_admins_invite_and_into_their_own_workspaces_alone(lorebase: Lorebase) -> None:
    manager, stranger = lorebase.member(WorkspaceRole.OWNER), lorebase.found("Other")
    with pytest.raises(ActionForbidden):
        invite(lorebase, principal=manager)
    for workspace_id in (stranger.workspace.id, WorkspaceId(UUID(int=0))):
        with pytest.raises(WorkspaceNotFound):
            invite(lorebase, roles_by_workspace={workspace_id: WorkspaceRole.VIEWER})
    with lorebase.database.transaction() as tx, pytest.raises(ActionForbidden):
        list_invitations(tx, principal=manager, organization_id=manager.organization_id, after=None, limit=10)


def test_revoking_again_changes_nothing_and_what_was_accepted_stays(lorebase: Lorebase) -> None:
    issued, used = invite(lorebase), invite(lorebase, email="bob@example.org")
    accept(lorebase, used.token, "Bob")
    revoke(lorebase, issued.invitation.id)
    first = lorebase.clock.now()
    lorebase.clock.move(hours=1)
    revoke(lorebase, issued.invitation.id)
    with lorebase.database.transaction() as tx:
        revoked, _ = list_invitations(tx, **where(lorebase), after=None, limit=10)
    assert revoked.revoked_at == first
    with pytest.raises(InvitationAccepted):
        revoke(lorebase, used.invitation.id)
    stranger = lorebase.found("Other").owner
    for invitation_id in (issued.invitation.id, InvitationId(new_id())):
        with lorebase.database.transaction() as tx, pytest.raises(InvitationNotFound):
            revoke_invitation(
                tx,
                principal=stranger,
                organization_id=stranger.organization_id,
                invitation_id=invitation_id,
                now=lorebase.clock.now(),
            )
