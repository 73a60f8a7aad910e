"""Every change of organizations, workspaces, members, roles and keys is recorded with what it changed."""

from collections.abc import Callable
from functools import partial
from typing import Any
from uuid import UUID

import psycopg
import pytest

from chalicelib.database.transaction import Transaction
from chalicelib.identity.errors import LastAdmin
from chalicelib.identity.found_organization import found_organization
from chalicelib.identity.manage_api_keys import IssuedApiKey, create_api_key, revoke_api_key
from chalicelib.identity.manage_members import create_member, set_role, update_member
from chalicelib.identity.manage_organization import rename_organization
from chalicelib.identity.manage_workspaces import create_workspace, update_workspace
from chalicelib.identity.model import KeyScope, OrganizationRole, PrincipalId, PrincipalKind, WorkspaceRole
from tests.fixtures.lorebases import Lorebase

Entry = tuple[str, str | None, UUID | None, Any, Any]


def recorded(lorebase: Lorebase, do: Callable[[Transaction], Any]) -> tuple[Any, list[Entry]]:
    """Do something, and return its result with what was recorded: action, who, on what, before, after."""
    with psycopg.connect(lorebase.database.conninfo) as session:
        known = {row[0] for row in session.execute("select id from activity").fetchall()}
        with lorebase.database.transaction() as tx:
            result = do(tx)
        session.rollback()
        rows = session.execute(
            "select id, action, actor_name, subject_id, before, after from activity order by id"
        ).fetchall()
    return result, [row[1:] for row in rows if row[0] not in known]


def where(lorebase: Lorebase) -> dict[str, Any]:
    return {"principal": lorebase.owner, "organization_id": lorebase.owner.organization_id}


def test_an_organization_is_renamed_once(lorebase: Lorebase) -> None:
    for expected in (
        [("organization.changed", "Ann", lorebase.owner.organization_id, {"name": "Acme"}, {"name": "B"})],
        [],
    ):
        _, entries = recorded(lorebase, lambda tx: rename_organization(tx, **where(lorebase), name="B"))
        assert entries == expected


def test_a_founding_is_recorded_where_it_was_done_and_where_it_leads(lorebase: Lorebase) -> None:
    def found(tx: Transaction) -> Any:
        return found_organization(
            tx, name="Beta", workspace_slug="main", owner_name="Bea", pepper=b"p", founder=lorebase.owner
        )

    foundation, entries = recorded(lorebase, found)
    beta = foundation.organization.id
    made = {"workspace_id": str(foundation.workspace.id), "owner_id": str(foundation.owner.id)}
    assert entries == [
        ("organization.created", None, beta, None, made),
        ("organization.created", "Ann", beta, None, None),
    ]


def test_workspaces_are_recorded(lorebase: Lorebase) -> None:
    lab, entries = recorded(lorebase, lambda tx: create_workspace(tx, **where(lorebase), slug="lab"))
    assert entries == [("workspace.created", "Ann", lab.id, None, {"slug": "lab", "name": "lab"})]
    changes: dict[str, Any] = {"name": "The lab", "quotas": {"items": 5}, "record_reads": True}
    owner = lorebase.owner
    for expected in (
        [
            (
                "workspace.changed",
                "Ann",
                lorebase.workspace_id,
                {"name": "main", "quotas": {}, "record_reads": False},
                changes,
            )
        ],
        [],
    ):
        _, entries = recorded(
            lorebase,
            lambda tx: update_workspace(tx, principal=owner, workspace_id=lorebase.workspace_id, **changes),
        )
        assert entries == expected


def test_members_and_their_roles_are_recorded(lorebase: Lorebase) -> None:
    member, entries = recorded(
        lorebase,
        lambda tx: create_member(tx, **where(lorebase), kind=PrincipalKind.USER, name="Bob", email="bob@example.org"),
    )
    state = {"kind": "user", "name": "Bob", "organization_role": "member", "is_disabled": False}
    assert entries == [("member.created", "Ann", member.id, None, state)]
    _, entries = recorded(
        lorebase,
        lambda tx: update_member(
            tx,
            **where(lorebase),
            member_id=member.id,
            organization_role=OrganizationRole.ADMIN,
            disabled=True,
        ),
    )
    assert entries == [
        (
            "member.changed",
            "Ann",
            member.id,
            {"organization_role": "member", "is_disabled": False},
            {"organization_role": "admin", "is_disabled": True},
        )
    ]
    for role, action, before in (
        (WorkspaceRole.VIEWER, "role.given", None),
        (WorkspaceRole.OWNER, "role.given", "viewer"),
        (None, "role.taken", "owner"),
    ):
        give = partial(
            set_role, principal=lorebase.owner, workspace_id=lorebase.workspace_id, member_id=member.id, role=role
        )
        _, entries = recorded(lorebase, give)
        assert entries == [(action, "Ann", member.id, {"role": before}, {"role": role})]


def test_what_is_refused_inside_is_not_recorded_as_done(lorebase: Lorebase) -> None:
    def step_down(tx: Transaction) -> None:
        with pytest.raises(LastAdmin):
            update_member(tx, **where(lorebase), member_id=lorebase.owner.id, disabled=True)

    assert recorded(lorebase, step_down)[1] == []


def issue(lorebase: Lorebase, tx: Transaction, member_id: PrincipalId) -> IssuedApiKey:
    return create_api_key(
        tx,
        **where(lorebase),
        member_id=member_id,
        name="laptop",
        scopes={KeyScope.READ},
        workspace_ids=[lorebase.workspace_id],
        expires_at=None,
        pepper=b"p",
        now=lorebase.clock.now(),
    )


def test_keys_are_recorded_without_what_opens_anything(lorebase: Lorebase) -> None:
    issued, entries = recorded(lorebase, lambda tx: issue(lorebase, tx, lorebase.owner.id))
    said = {
        "member_id": str(lorebase.owner.id),
        "name": "laptop",
        "scopes": ["read"],
        "workspace_ids": [str(lorebase.workspace_id)],
        "expires_at": None,
    }
    assert entries == [("api_key.created", "Ann", issued.api_key.id, None, said)]
    for expected in ([("api_key.revoked", "Ann", issued.api_key.id, None, said)], []):
        lorebase.clock.move(seconds=1)
        _, entries = recorded(
            lorebase,
            lambda tx: revoke_api_key(tx, **where(lorebase), api_key_id=issued.api_key.id, now=lorebase.clock.now()),
        )
        assert entries == expected
