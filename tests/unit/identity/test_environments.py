"""Environments: agents alone are in one, and none goes while something is in it."""

import threading
from typing import Any

import pytest

from chalicelib.database.ids import new_id
from chalicelib.database.statements import Statement
from chalicelib.identity.environment_store import hold_environment
from chalicelib.identity.errors import EnvironmentInUse, EnvironmentNotFound, EnvironmentTaken, InvalidIdentity
from chalicelib.identity.manage_environments import create_environment, delete_environment, list_environments
from chalicelib.identity.manage_members import create_member, update_member
from chalicelib.identity.model import Environment, EnvironmentId, PrincipalKind, WorkspaceRole
from chalicelib.identity.rights import ActionForbidden
from chalicelib.identity.store import find_principal
from tests.fixtures.lorebases import Lorebase

AGENT: dict[str, Any] = {"kind": PrincipalKind.AGENT, "name": "Bot"}
SET = Statement(
    "set",
    "Put an item into an environment.",
    b"insert into access_settings (subject_id, workspace_id, item_id, environment)"
    b" values (%(item_id)s, %(workspace_id)s, %(item_id)s, %(environment)s)",
)


def where(lorebase: Lorebase) -> dict[str, Any]:
    return {"principal": lorebase.owner, "organization_id": lorebase.owner.organization_id}


@pytest.fixture
def staging(lorebase: Lorebase) -> Environment:
    with lorebase.database.transaction() as tx:
        return create_environment(tx, **where(lorebase), slug="staging")


def test_an_agent_is_put_into_an_environment_and_back(lorebase: Lorebase, staging: Environment) -> None:
    with lorebase.database.transaction() as tx:
        bot = create_member(tx, **where(lorebase), **AGENT, environment=staging.slug)
        principal = find_principal(tx, lorebase.owner.organization_id, bot.id)
        assert principal is not None
        assert (bot.environment, principal.environment) == ("staging", "staging")
        assert update_member(tx, **where(lorebase), member_id=bot.id, name="B").environment == "staging"
        assert update_member(tx, **where(lorebase), member_id=bot.id, environment=None).environment is None
        assert update_member(tx, **where(lorebase), member_id=bot.id, environment="staging").environment == "staging"


@pytest.mark.parametrize("slug", ["production", "default", "", "STAGING", "a b", "x" * 10_000])
def test_an_environment_that_is_none_is_refused(lorebase: Lorebase, staging: Environment, slug: str) -> None:
    with lorebase.database.transaction() as tx:
        bot = create_member(tx, **where(lorebase), **AGENT)
        with pytest.raises(InvalidIdentity):
            create_member(tx, **where(lorebase), **AGENT, environment=slug)
        with pytest.raises(InvalidIdentity):
            update_member(tx, **where(lorebase), member_id=bot.id, environment=slug)
    assert staging.slug == "staging"


def test_another_organization_s_environment_is_none(lorebase: Lorebase, staging: Environment) -> None:
    stranger = lorebase.found("Other").owner
    theirs: dict[str, Any] = {"principal": stranger, "organization_id": stranger.organization_id}
    with lorebase.database.transaction() as tx:
        with pytest.raises(InvalidIdentity):
            create_member(tx, **theirs, **AGENT, environment="staging")
        for environment_id in (staging.id, EnvironmentId(new_id())):
            with pytest.raises(EnvironmentNotFound):
                delete_environment(tx, **theirs, environment_id=environment_id)
        assert list_environments(tx, **theirs) == []


@pytest.mark.parametrize("kind", [PrincipalKind.USER, PrincipalKind.SERVICE])
def test_only_agents_are_in_environments(lorebase: Lorebase, staging: Environment, kind: PrincipalKind) -> None:
    with lorebase.database.transaction() as tx:
        with pytest.raises(InvalidIdentity):
            create_member(tx, **where(lorebase), kind=kind, name="x", environment=staging.slug)
        member = create_member(tx, **where(lorebase), kind=kind, name="x")
        with pytest.raises(InvalidIdentity):
            update_member(tx, **where(lorebase), member_id=member.id, environment=staging.slug)


def test_an_environment_stays_while_an_agent_or_an_item_is_in_it(lorebase: Lorebase, staging: Environment) -> None:
    item = lorebase.add_item("a.md")
    with lorebase.database.transaction() as tx:
        bot = create_member(tx, **where(lorebase), **AGENT, environment=staging.slug)
        tx.execute(SET, item_id=item.id, workspace_id=lorebase.workspace_id, environment=staging.slug)
    for agents, settings in ((1, 1), (0, 1)):
        with lorebase.database.transaction() as tx, pytest.raises(EnvironmentInUse) as raised:
            delete_environment(tx, **where(lorebase), environment_id=staging.id)
        assert raised.value.members == {"agents": agents, "settings": settings}
        with lorebase.database.transaction() as tx:
            update_member(tx, **where(lorebase), member_id=bot.id, environment=None)
    clear = Statement("clear", "Forget all settings.", b"delete from access_settings")
    with lorebase.database.transaction() as tx:
        tx.execute(clear)
        delete_environment(tx, **where(lorebase), environment_id=staging.id)
        assert list_environments(tx, **where(lorebase)) == []


def wait_for_a_waiter(lorebase: Lorebase) -> None:
    """Return once somebody waits for a row that another transaction holds."""
    waiting = Statement("waiting", "Tell whether somebody waits.", b"select 1 as one from pg_locks where not granted")
    while True:
        with lorebase.database.transaction() as tx:
            if tx.fetch_one(waiting):
                return


def test_whoever_is_about_to_use_an_environment_is_waited_for(lorebase: Lorebase, staging: Environment) -> None:
    outcomes: list[object] = []

    def delete() -> None:
        try:
            with lorebase.database.transaction() as tx:
                delete_environment(tx, **where(lorebase), environment_id=staging.id)
            outcomes.append("deleted")
        except EnvironmentInUse:
            outcomes.append("in use")

    deleter = threading.Thread(target=delete)
    item = lorebase.add_item("a.md")
    with lorebase.database.transaction() as tx:
        assert hold_environment(tx, lorebase.owner.organization_id, "staging")
        deleter.start()
        wait_for_a_waiter(lorebase)
        tx.execute(SET, item_id=item.id, workspace_id=lorebase.workspace_id, environment="staging")
    deleter.join()
    assert outcomes == ["in use"]


def test_an_environment_is_made_once_by_admins_and_listed_for_all(lorebase: Lorebase, staging: Environment) -> None:
    viewer = lorebase.member(WorkspaceRole.VIEWER)
    asked: dict[str, Any] = {"principal": viewer, "organization_id": viewer.organization_id}
    with lorebase.database.transaction() as tx:
        assert list_environments(tx, **asked) == [staging]
        with pytest.raises(ActionForbidden):
            create_environment(tx, **asked, slug="mine")
        with pytest.raises(ActionForbidden):
            delete_environment(tx, **asked, environment_id=staging.id)
        with pytest.raises(EnvironmentTaken):
            create_environment(tx, **where(lorebase), slug="staging")
        for slug in ("default", "", "No!", "a" * 64):
            with pytest.raises(InvalidIdentity):
                create_environment(tx, **where(lorebase), slug=slug)
