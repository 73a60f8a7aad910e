"""Whoever operates a deployment makes an admin's key when the last one is lost."""

from typing import Any

import pytest

from chalicelib.database.ids import new_id
from chalicelib.database.statements import Statement
from chalicelib.identity.authenticate import authenticate
from chalicelib.identity.errors import InvalidIdentity, OrganizationNotFound, Unauthenticated
from chalicelib.identity.model import KeyScope, OrganizationId, OrganizationRole, Principal
from chalicelib.identity.recover_admin_key import RecoveredKey, recover_admin_key
from tests.fixtures.lorebases import Lorebase

LOSE = Statement("lose", "Lose every key.", b"delete from api_keys")
DEMOTE = Statement("demote", "Leave nobody an admin.", b"update principals set organization_role = 'member'")


def recover(
    lorebase: Lorebase, organization_id: OrganizationId | None = None, keep: Any = lambda _: None
) -> RecoveredKey:
    with lorebase.database.transaction() as tx:
        return recover_admin_key(tx, organization_id=organization_id, pepper=lorebase.wired.pepper, keep=keep)


def sign_in(lorebase: Lorebase, token: str) -> Principal:
    with lorebase.database.transaction() as tx:
        return authenticate(tx, token, pepper=lorebase.wired.pepper, now=lorebase.clock.now())


def test_the_key_is_of_the_admin_and_may_do_everything(lorebase: Lorebase) -> None:
    with lorebase.database.transaction() as tx:
        tx.execute(LOSE)
    recovered = recover(lorebase)
    principal = sign_in(lorebase, recovered.token)
    assert (principal.id, principal.scopes) == (lorebase.owner.id, frozenset(KeyScope))
    assert principal.organization_role is OrganizationRole.ADMIN
    assert recovered.token not in repr(recovered)


def test_keys_that_exist_stay_and_it_is_recorded(lorebase: Lorebase) -> None:
    recovered = recover(lorebase)
    assert sign_in(lorebase, lorebase.foundation.token).id == lorebase.owner.id
    entries = Statement(
        "entries",
        "Read what was recorded of a key.",
        b"select actor_id, action from activity where subject_id = %(id)s",
    )
    with lorebase.database.transaction() as tx:
        assert tx.fetch_all(entries, id=recovered.api_key_id) == [{"actor_id": None, "action": "api_key.created"}]


def test_where_nobody_is_an_admin_one_is_made(lorebase: Lorebase) -> None:
    with lorebase.database.transaction() as tx:
        tx.execute(DEMOTE)
    principal = sign_in(lorebase, recover(lorebase).token)
    assert (principal.name, principal.organization_role) == ("Operator", OrganizationRole.ADMIN)
    assert principal.id != lorebase.owner.id


def test_of_several_organizations_one_is_named(lorebase: Lorebase) -> None:
    other = lorebase.found("Other")
    with pytest.raises(InvalidIdentity, match=str(other.organization.id)):
        recover(lorebase)
    assert sign_in(lorebase, recover(lorebase, other.organization.id).token).id == other.owner.id
    with pytest.raises(OrganizationNotFound):
        recover(lorebase, OrganizationId(new_id()))


def test_a_key_that_could_not_be_kept_opens_nothing(lorebase: Lorebase) -> None:
    tokens: list[str] = []

    def fail(recovered: RecoveredKey) -> None:
        tokens.append(recovered.token)
        raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        recover(lorebase, keep=fail)
    with pytest.raises(Unauthenticated):
        sign_in(lorebase, tokens[0])
