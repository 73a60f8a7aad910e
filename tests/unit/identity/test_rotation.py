"""A rotated key goes on for a while beside its successor, and no longer than it would have."""

import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg
import pytest

from chalicelib.database.ids import new_id
from chalicelib.identity.authenticate import authenticate
from chalicelib.identity.errors import ApiKeyNotFound, ApiKeyOver, InvalidIdentity, Unauthenticated
from chalicelib.identity.manage_api_keys import IssuedApiKey, create_api_key, list_api_keys, revoke_api_key
from chalicelib.identity.manage_members import create_member, set_role
from chalicelib.identity.model import ApiKeyId, KeyScope, Principal, PrincipalKind, WorkspaceRole
from chalicelib.identity.rights import ActionForbidden
from chalicelib.identity.rotate_api_key import rotate_api_key
from tests.fixtures.lorebases import Lorebase

ALL = tuple(KeyScope)
_WAITS = "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"


def issue(lorebase: Lorebase, **arguments: Any) -> IssuedApiKey:
    defaults: dict[str, Any] = {
        "principal": lorebase.owner,
        "organization_id": lorebase.owner.organization_id,
        "member_id": lorebase.owner.id,
        "name": "k",
        "scopes": ALL,
        "workspace_ids": None,
        "expires_at": None,
        "pepper": lorebase.wired.pepper,
        "now": lorebase.clock.now(),
    }
    with lorebase.database.transaction() as tx:
        return create_api_key(tx, **{**defaults, **arguments})


def rotate(
    lorebase: Lorebase, key: IssuedApiKey, *, meanwhile: Callable[[], object] = lambda: None, **arguments: Any
) -> IssuedApiKey:
    defaults: dict[str, Any] = {
        "principal": lorebase.owner,
        "organization_id": lorebase.owner.organization_id,
        "api_key_id": key.api_key.id,
        "pepper": lorebase.wired.pepper,
        "now": lorebase.clock.now(),
    }
    with lorebase.database.transaction() as tx:
        rotated = rotate_api_key(tx, **{**defaults, **arguments})
        meanwhile()
    return rotated


def sign_in(lorebase: Lorebase, key: IssuedApiKey) -> Principal:
    with lorebase.database.transaction() as tx:
        return authenticate(tx, key.token, pepper=lorebase.wired.pepper, now=lorebase.clock.now())


def works(lorebase: Lorebase, key: IssuedApiKey) -> bool:
    try:
        sign_in(lorebase, key)
    except Unauthenticated:
        return False
    return True


def agent_key(lorebase: Lorebase, **arguments: Any) -> IssuedApiKey:
    where: dict[str, Any] = {"principal": lorebase.owner, "organization_id": lorebase.owner.organization_id}
    with lorebase.database.transaction() as tx:
        bot = create_member(tx, **where, kind=PrincipalKind.AGENT, name="Bot")
        role = WorkspaceRole.EDITOR
        set_role(tx, principal=lorebase.owner, workspace_id=lorebase.workspace_id, member_id=bot.id, role=role)
    return issue(lorebase, member_id=bot.id, **arguments)


def test_both_work_until_the_overlap_is_over(lorebase: Lorebase) -> None:
    old = agent_key(lorebase, scopes=(KeyScope.READ, KeyScope.WRITE), workspace_ids=[lorebase.workspace_id])
    new = rotate(lorebase, old, overlap=timedelta(hours=1))
    before, after = sign_in(lorebase, old), sign_in(lorebase, new)
    assert (before.id, before.scopes, before.roles_by_workspace) == (after.id, after.scopes, after.roles_by_workspace)
    assert (new.api_key.name, new.api_key.expires_at, new.token == old.token) == ("k", None, False)
    lorebase.clock.move(minutes=59)
    assert (works(lorebase, old), works(lorebase, new)) == (True, True)
    lorebase.clock.move(minutes=1)
    assert (works(lorebase, old), works(lorebase, new)) == (False, True)


def test_each_names_the_other(lorebase: Lorebase) -> None:
    old = issue(lorebase)
    new = rotate(lorebase, old)
    with lorebase.database.transaction() as tx:
        keys = list_api_keys(
            tx, principal=lorebase.owner, organization_id=lorebase.owner.organization_id, after=None, limit=10
        )
    links = {key.id: (key.rotated_from, key.rotated_to) for key in keys}
    assert links[old.api_key.id] == (None, new.api_key.id)
    assert links[new.api_key.id] == (old.api_key.id, None)


def test_without_overlap_the_old_one_ends_at_once(lorebase: Lorebase) -> None:
    old = issue(lorebase)
    new = rotate(lorebase, old, overlap=timedelta())
    assert (works(lorebase, old), works(lorebase, new)) == (False, True)
    lorebase.clock.move(seconds=-5)
    assert not works(lorebase, old), "nor for a machine whose clock is behind"


def test_the_old_one_never_outlives_its_own_end_and_the_new_one_lives_as_long_again(lorebase: Lorebase) -> None:
    end = lorebase.clock.now() + timedelta(days=10)
    old = issue(lorebase, expires_at=end)
    lifetime = end - old.api_key.created_at
    lorebase.clock.move(days=9, hours=23)
    new = rotate(lorebase, old, overlap=timedelta(days=30))
    assert new.api_key.expires_at == lorebase.clock.now() + lifetime
    lorebase.clock.move(hours=1)
    assert (works(lorebase, old), works(lorebase, new)) == (False, True)


def test_a_key_that_lives_to_the_end_of_time_is_rotated_too(lorebase: Lorebase) -> None:
    end = datetime(9999, 12, 31, tzinfo=UTC)
    assert rotate(lorebase, issue(lorebase, expires_at=end)).api_key.expires_at == end


@pytest.mark.parametrize("overlap", [timedelta(seconds=-1), timedelta(days=30, seconds=1)])
def test_an_overlap_that_cannot_be_is_refused(lorebase: Lorebase, overlap: timedelta) -> None:
    old = issue(lorebase)
    with pytest.raises(InvalidIdentity):
        rotate(lorebase, old, overlap=overlap)
    assert works(lorebase, old)


def test_a_key_that_is_over_or_was_rotated_is_not_rotated(lorebase: Lorebase) -> None:
    expired = issue(lorebase, expires_at=lorebase.clock.now() + timedelta(hours=1))
    revoked, rotated = issue(lorebase), issue(lorebase)
    rotate(lorebase, rotated)
    with lorebase.database.transaction() as tx:
        revoke_api_key(
            tx,
            principal=lorebase.owner,
            organization_id=lorebase.owner.organization_id,
            api_key_id=revoked.api_key.id,
            now=lorebase.clock.now(),
        )
    lorebase.clock.move(hours=1)
    for key in (expired, revoked, rotated):
        with pytest.raises(ApiKeyOver):
            rotate(lorebase, key)


def test_of_those_who_rotate_at_once_one_does(lorebase: Lorebase) -> None:
    old = issue(lorebase)
    outcomes: list[str] = []
    start = threading.Barrier(4)

    def race() -> None:
        start.wait()
        try:
            rotate(lorebase, old)
            outcomes.append("rotated")
        except ApiKeyOver:
            outcomes.append("over")

    threads = [threading.Thread(target=race) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["over", "over", "over", "rotated"]


def test_who_waited_for_a_key_sees_that_it_was_rotated_meanwhile(lorebase: Lorebase, conninfo: str) -> None:
    old = issue(lorebase)
    with ThreadPoolExecutor(1) as threads, psycopg.connect(conninfo, autocommit=True) as watcher:
        waiting: list[Future[IssuedApiKey]] = []

        def begin_and_wait() -> None:
            waiting.append(threads.submit(rotate, lorebase, old))
            while not watcher.execute(_WAITS).fetchone():
                assert not waiting[0].done()

        rotate(lorebase, old, meanwhile=begin_and_wait)
        with pytest.raises(ApiKeyOver):
            waiting[0].result()


def test_rotating_takes_the_rights_to_make_such_a_key(lorebase: Lorebase) -> None:
    old = issue(lorebase)
    reader = sign_in(lorebase, issue(lorebase, scopes=[KeyScope.READ]))
    no_writer = sign_in(lorebase, issue(lorebase, scopes=[KeyScope.READ, KeyScope.ADMIN]))
    limited = sign_in(lorebase, issue(lorebase, workspace_ids=[lorebase.workspace_id]))
    for asker in (reader, no_writer, limited):
        with pytest.raises(ActionForbidden):
            rotate(lorebase, old, principal=asker)
    within = issue(lorebase, workspace_ids=[lorebase.workspace_id])
    assert rotate(lorebase, within, principal=limited).api_key.workspace_ids == (lorebase.workspace_id,)


def test_a_member_rotates_its_own_keys_and_others_are_not_there(lorebase: Lorebase) -> None:
    own, foreign = agent_key(lorebase), issue(lorebase)
    bot, stranger = sign_in(lorebase, own), lorebase.found("Other").owner
    assert rotate(lorebase, own, principal=bot).api_key.principal_id == bot.id
    for asker in (bot, stranger):
        for api_key_id in (foreign.api_key.id, ApiKeyId(new_id())):
            with pytest.raises(ApiKeyNotFound):
                rotate(lorebase, own, principal=asker, organization_id=asker.organization_id, api_key_id=api_key_id)
