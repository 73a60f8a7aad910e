"""An organization never loses its last admin, and whoever is removed leaves what it made."""

import itertools
import threading
from collections.abc import Callable
from typing import Any

import pytest

from chalicelib.database.ids import new_id
from chalicelib.database.statements import Statement
from chalicelib.database.transaction import Transaction
from chalicelib.identity.authenticate import authenticate
from chalicelib.identity.errors import InvalidIdentity, LastAdmin, MemberNotFound, Unauthenticated
from chalicelib.identity.manage_api_keys import create_api_key
from chalicelib.identity.manage_members import create_member, delete_member, set_role, update_member
from chalicelib.identity.model import KeyScope, Member, OrganizationRole, PrincipalId, PrincipalKind, WorkspaceRole
from chalicelib.identity.rights import ActionForbidden
from chalicelib.identity.store import find_principal
from tests.fixtures.lorebases import Lorebase

StepDown = Callable[[Transaction, Lorebase, PrincipalId], object]
ADMINS = Statement(
    "admins",
    "Count the living admins.",
    b"select count(*) as number from principals where organization_role = 'admin' and disabled_at is null",
)


def where(lorebase: Lorebase) -> dict[str, Any]:
    return {"principal": lorebase.owner, "organization_id": lorebase.owner.organization_id}


def demote(tx: Transaction, lorebase: Lorebase, member_id: PrincipalId) -> object:
    role = OrganizationRole.MEMBER
    return update_member(tx, **where(lorebase), member_id=member_id, organization_role=role)


def disable(tx: Transaction, lorebase: Lorebase, member_id: PrincipalId) -> object:
    return update_member(tx, **where(lorebase), member_id=member_id, disabled=True)


def remove(tx: Transaction, lorebase: Lorebase, member_id: PrincipalId) -> object:
    delete_member(tx, **where(lorebase), member_id=member_id)
    return None


def promote_and_disable(tx: Transaction, lorebase: Lorebase, member_id: PrincipalId) -> object:
    role = OrganizationRole.ADMIN
    return update_member(tx, **where(lorebase), member_id=member_id, organization_role=role, disabled=True)


def admin(lorebase: Lorebase, name: str = "Bob") -> Member:
    role = OrganizationRole.ADMIN
    with lorebase.database.transaction() as tx:
        return create_member(tx, **where(lorebase), kind=PrincipalKind.USER, name=name, organization_role=role)


@pytest.mark.parametrize("step_down", [demote, disable, remove, promote_and_disable])
def test_the_last_admin_stays(lorebase: Lorebase, step_down: StepDown) -> None:
    with lorebase.database.transaction() as tx, pytest.raises(LastAdmin):
        step_down(tx, lorebase, lorebase.owner.id)
    second = admin(lorebase)
    with lorebase.database.transaction() as tx:
        step_down(tx, lorebase, lorebase.owner.id)
    with lorebase.database.transaction() as tx, pytest.raises(LastAdmin):
        step_down(tx, lorebase, second.id)


def test_a_disabled_admin_does_not_count(lorebase: Lorebase) -> None:
    second = admin(lorebase)
    with lorebase.database.transaction() as tx:
        disable(tx, lorebase, second.id)
    with lorebase.database.transaction() as tx, pytest.raises(LastAdmin):
        remove(tx, lorebase, lorebase.owner.id)
    with lorebase.database.transaction() as tx:
        remove(tx, lorebase, second.id)


@pytest.mark.parametrize(
    ("first", "second"), list(itertools.combinations_with_replacement([demote, disable, remove], 2))
)
def test_two_admins_do_not_go_at_once(lorebase: Lorebase, first: StepDown, second: StepDown) -> None:
    other = admin(lorebase)
    outcomes: list[str] = []

    def go() -> None:
        try:
            with lorebase.database.transaction() as tx:
                second(tx, lorebase, lorebase.owner.id)
            outcomes.append("gone")
        except LastAdmin:
            outcomes.append("last")

    waiting = Statement("waiting", "Tell whether somebody waits.", b"select 1 as one from pg_locks where not granted")
    thread = threading.Thread(target=go)
    with lorebase.database.transaction() as tx:
        first(tx, lorebase, other.id)
        thread.start()
        while tx.fetch_one(waiting) is None:
            assert outcomes == [], "it waits for what is being decided"
    thread.join()
    assert outcomes == ["last"]
    with lorebase.database.transaction() as tx:
        assert tx.fetch_one(ADMINS) == {"number": 1}


def test_of_many_admins_who_remove_one_another_at_once_one_stays(lorebase: Lorebase) -> None:
    everyone = [lorebase.owner.id, *(admin(lorebase, f"Admin {number}").id for number in range(5))]
    start = threading.Barrier(len(everyone))

    def go(member_id: PrincipalId, step_down: StepDown) -> None:
        start.wait()
        try:
            with lorebase.database.transaction() as tx:
                step_down(tx, lorebase, member_id)
        except LastAdmin:
            pass

    threads = [
        threading.Thread(target=go, args=pair) for pair in zip(everyone, itertools.cycle([demote, disable, remove]))
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with lorebase.database.transaction() as tx:
        assert tx.fetch_one(ADMINS) == {"number": 1}


def test_what_a_removed_member_made_stays_without_its_name_and_its_keys_end(lorebase: Lorebase) -> None:
    bob = admin(lorebase)
    with lorebase.database.transaction() as tx:
        issued = create_api_key(
            tx,
            **where(lorebase),
            member_id=bob.id,
            name="k",
            scopes=[KeyScope.READ],
            workspace_ids=None,
            expires_at=None,
            pepper=lorebase.wired.pepper,
            now=lorebase.clock.now(),
        )
    item = lorebase.add_item("a.md")
    lorebase.upload("b.md", b"# B")
    made_by = Statement(
        "made_by",
        "Let somebody else have made everything.",
        b"with a as (update items set created_by = %(id)s, updated_by = %(id)s returning 1),"
        b" b as (update revisions set created_by = %(id)s returning 1),"
        b" c as (update uploads set created_by = %(id)s returning 1),"
        b" d as (update jobs set created_by = %(id)s returning 1) select 1 as one",
    )
    makers = Statement("makers", "Read who made items.", b"select created_by, updated_by from items where id = %(id)s")
    with lorebase.database.transaction() as tx:
        tx.fetch_one(made_by, id=bob.id)
        delete_member(tx, **where(lorebase), member_id=bob.id)
        assert tx.fetch_one(makers, id=item.id) == {"created_by": None, "updated_by": None}
        assert find_principal(tx, lorebase.owner.organization_id, bob.id) is None
    with lorebase.database.transaction() as tx, pytest.raises(Unauthenticated):
        authenticate(tx, issued.token, pepper=lorebase.wired.pepper, now=lorebase.clock.now())


def test_who_is_not_there_is_not_removed_and_only_admins_remove(lorebase: Lorebase) -> None:
    viewer, stranger = lorebase.member(WorkspaceRole.OWNER), lorebase.found("Other").owner
    with lorebase.database.transaction() as tx:
        for member_id in (stranger.id, PrincipalId(new_id())):
            with pytest.raises(MemberNotFound):
                delete_member(tx, **where(lorebase), member_id=member_id)
        for member_id in (lorebase.owner.id, viewer.id):
            with pytest.raises(ActionForbidden):
                delete_member(tx, principal=viewer, organization_id=viewer.organization_id, member_id=member_id)


def test_nobody_is_made_a_guest(lorebase: Lorebase) -> None:
    viewer = lorebase.member(WorkspaceRole.VIEWER)
    where_to: dict[str, Any] = {"principal": lorebase.owner, "workspace_id": lorebase.workspace_id}
    with lorebase.database.transaction() as tx, pytest.raises(InvalidIdentity):
        set_role(tx, **where_to, member_id=viewer.id, role=WorkspaceRole.GUEST)
