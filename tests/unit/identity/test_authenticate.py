"""API keys: who holds a valid one is known with all its roles, anyone else is told the same."""

from collections.abc import Mapping
from datetime import datetime, timedelta, timezone
from typing import Any

import pytest

from chalicelib.database.ids import new_id
from chalicelib.identity import key_store
from chalicelib.identity.authenticate import authenticate
from chalicelib.identity.credentials import hash_credential, new_credential, parse_credential
from chalicelib.identity.errors import InvalidIdentity, Unauthenticated, WorkspaceNotFound
from chalicelib.identity.manage_api_keys import IssuedApiKey, create_api_key, list_api_keys, revoke_api_key
from chalicelib.identity.manage_members import update_member
from chalicelib.identity.manage_workspaces import create_workspace
from chalicelib.identity.model import ApiKeyId, KeyScope, OrganizationRole, Principal, WorkspaceRole
from chalicelib.identity.rights import ActionForbidden
from tests.fixtures.lorebases import Lorebase


def _issue(lorebase: Lorebase, principal: Principal, **arguments: Any) -> IssuedApiKey:
    defaults: Mapping[str, Any] = {
        "organization_id": lorebase.owner.organization_id,
        "member_id": principal.id,
        "name": "k",
        "scopes": [KeyScope.READ],
        "workspace_ids": None,
        "expires_at": None,
        "pepper": lorebase.wired.pepper,
        "now": lorebase.clock.now(),
    }
    with lorebase.database.transaction() as tx:
        return create_api_key(tx, principal=principal, **{**defaults, **arguments})


def _authenticate(lorebase: Lorebase, token: str) -> Principal:
    with lorebase.database.transaction() as tx:
        return authenticate(tx, token, pepper=lorebase.wired.pepper, now=lorebase.clock.now())


def test_the_first_owner_is_admin_and_reaches_every_workspace(lorebase: Lorebase) -> None:
    with lorebase.database.transaction() as tx:
        other = create_workspace(
            tx, principal=lorebase.owner, organization_id=lorebase.owner.organization_id, slug="other"
        )
    principal = _authenticate(lorebase, lorebase.foundation.token)
    assert principal.organization_role is OrganizationRole.ADMIN
    assert principal.roles_by_workspace == {
        lorebase.workspace_id: WorkspaceRole.OWNER,
        other.id: WorkspaceRole.OWNER,
    }


@pytest.mark.parametrize("token", ["", "lb_", "lb_AAAAAAAAAA_" + "a" * 43, "Basic x", "lb_\x00", "x" * 10_000])
def test_what_is_no_key_of_ours_is_unauthenticated(lorebase: Lorebase, token: str) -> None:
    with pytest.raises(Unauthenticated) as raised:
        _authenticate(lorebase, token)
    assert raised.value.detail == "The API key is missing, unknown, expired or revoked."


def test_a_secret_of_another_key_does_not_pass(lorebase: Lorebase) -> None:
    credential = parse_credential(lorebase.foundation.token)
    assert credential is not None
    with pytest.raises(Unauthenticated):
        _authenticate(lorebase, f"lb_{credential.prefix}_{new_credential().token[-43:]}")


def test_the_stored_hash_is_keyed() -> None:
    credential = new_credential()
    assert hash_credential(credential, pepper=b"a") != hash_credential(credential, pepper=b"b")
    assert credential.token not in repr(credential)


def test_an_expired_key_and_a_revoked_one_end_at_once(lorebase: Lorebase) -> None:
    short = _issue(lorebase, lorebase.owner, expires_at=lorebase.clock.now() + timedelta(hours=1))
    revoked = _issue(lorebase, lorebase.owner)
    assert _authenticate(lorebase, short.token).id == lorebase.owner.id
    lorebase.clock.move(hours=1)
    with lorebase.database.transaction() as tx:
        revoke_api_key(
            tx,
            principal=lorebase.owner,
            organization_id=lorebase.owner.organization_id,
            api_key_id=revoked.api_key.id,
            now=lorebase.clock.now(),
        )
    for token in (short.token, revoked.token):
        with pytest.raises(Unauthenticated):
            _authenticate(lorebase, token)


def test_a_disabled_member_is_out_with_all_keys(lorebase: Lorebase) -> None:
    viewer = lorebase.member(WorkspaceRole.VIEWER)
    issued = _issue(lorebase, lorebase.owner, member_id=viewer.id)
    with lorebase.database.transaction() as tx:
        update_member(
            tx,
            principal=lorebase.owner,
            organization_id=lorebase.owner.organization_id,
            member_id=viewer.id,
            disabled=True,
        )
    with pytest.raises(Unauthenticated):
        _authenticate(lorebase, issued.token)


def test_a_key_for_one_workspace_reaches_no_other_and_administers_nothing(lorebase: Lorebase) -> None:
    with lorebase.database.transaction() as tx:
        create_workspace(tx, principal=lorebase.owner, organization_id=lorebase.owner.organization_id, slug="other")
    issued = _issue(
        lorebase, lorebase.owner, workspace_ids=[lorebase.workspace_id], scopes=[KeyScope.READ, KeyScope.ADMIN]
    )
    limited = _authenticate(lorebase, issued.token)
    assert (set(limited.roles_by_workspace), limited.organization_role) == (
        {lorebase.workspace_id},
        OrganizationRole.MEMBER,
    )
    further = _issue(lorebase, limited)
    assert set(_authenticate(lorebase, further.token).roles_by_workspace) == {lorebase.workspace_id}


def test_a_key_cannot_make_a_greater_one(lorebase: Lorebase) -> None:
    issued = _issue(lorebase, lorebase.owner, scopes=[KeyScope.READ, KeyScope.ADMIN])
    holder = _authenticate(lorebase, issued.token)
    with pytest.raises(ActionForbidden):
        _issue(lorebase, holder, scopes=[KeyScope.WRITE])
    reader = _authenticate(lorebase, _issue(lorebase, holder, scopes=[KeyScope.READ]).token)
    with pytest.raises(ActionForbidden):
        _issue(lorebase, reader)


def test_a_key_for_reading_alone_ends_no_other(lorebase: Lorebase) -> None:
    reader = _authenticate(lorebase, _issue(lorebase, lorebase.owner, scopes=[KeyScope.READ]).token)
    other = _issue(lorebase, lorebase.owner)
    for api_key_id in (other.api_key.id, ApiKeyId(new_id())):
        with lorebase.database.transaction() as tx, pytest.raises(ActionForbidden):
            revoke_api_key(
                tx,
                principal=reader,
                organization_id=reader.organization_id,
                api_key_id=api_key_id,
                now=lorebase.clock.now(),
            )
    assert _authenticate(lorebase, other.token).id == lorebase.owner.id


def test_a_member_makes_no_key_for_another(lorebase: Lorebase) -> None:
    viewer, editor = lorebase.member(WorkspaceRole.VIEWER), lorebase.member(WorkspaceRole.EDITOR)
    with pytest.raises(ActionForbidden):
        _issue(lorebase, viewer, member_id=editor.id)


def test_a_member_sees_only_its_own_keys(lorebase: Lorebase) -> None:
    viewer = lorebase.member(WorkspaceRole.VIEWER)
    own = _issue(lorebase, lorebase.owner, member_id=viewer.id)
    with lorebase.database.transaction() as tx:
        seen = list_api_keys(tx, principal=viewer, organization_id=viewer.organization_id, after=None, limit=10)
    assert [key.id for key in seen] == [own.api_key.id]


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"scopes": []}, InvalidIdentity),
        ({"workspace_ids": []}, InvalidIdentity),
        ({"name": ""}, InvalidIdentity),
        ({"expires_at": "past"}, InvalidIdentity),
        ({"expires_at": datetime.max.replace(tzinfo=timezone(timedelta(hours=-14)))}, InvalidIdentity),
        ({"workspace_ids": "foreign"}, WorkspaceNotFound),
    ],
)
def test_impossible_keys_are_refused(lorebase: Lorebase, change: Mapping[str, Any], error: type[Exception]) -> None:
    foreign = lorebase.found("Other").workspace.id
    meant = {"past": lorebase.clock.now() - timedelta(seconds=1), "foreign": [foreign]}
    arguments = {
        name: meant.get(value, value) if isinstance(value, str) and value else value for name, value in change.items()
    }
    with pytest.raises(error):
        _issue(lorebase, lorebase.owner, **arguments)


def test_last_use_is_noted_to_the_minute(lorebase: Lorebase) -> None:
    token, seen = lorebase.foundation.token, []
    for seconds in (0, 30, 60):
        lorebase.clock.move(seconds=seconds)
        _authenticate(lorebase, token)
        with lorebase.database.transaction() as tx:
            [key] = key_store.list_api_keys(tx, lorebase.owner.organization_id, principal_id=None, after=None, limit=10)
        assert key.last_used_at is not None
        seen.append(key.last_used_at)
    assert seen[0] == seen[1] < seen[2]
