"""Roles and scopes both have to allow an action, and docs/access.md shows the very table."""

import itertools
import re
from collections.abc import Callable
from pathlib import Path
from uuid import UUID

import pytest

from chalicelib.identity.errors import OrganizationNotFound, WorkspaceNotFound
from chalicelib.identity.model import (
    KeyScope,
    OrganizationId,
    OrganizationRole,
    Principal,
    PrincipalId,
    PrincipalKind,
    WorkspaceId,
    WorkspaceRole,
)
from chalicelib.identity.rights import (
    ORGANIZATION_RIGHTS,
    SCOPE_OF_ACTION,
    WORKSPACE_RIGHTS,
    Action,
    ActionForbidden,
    authorize,
    authorize_organization,
)

PAGE = Path(__file__).resolve().parents[3] / "docs" / "access.md"
MODULE = Path(__file__).resolve().parents[3] / "chalicelib" / "identity" / "rights.py"

ORGANIZATION = OrganizationId(UUID(int=1))
WORKSPACE = WorkspaceId(UUID(int=2))
ALL_SCOPES = frozenset(KeyScope)


def principal(
    *,
    role: WorkspaceRole | None = None,
    organization_role: OrganizationRole = OrganizationRole.MEMBER,
    scopes: frozenset[KeyScope] = ALL_SCOPES,
) -> Principal:
    return Principal(
        id=PrincipalId(UUID(int=3)),
        organization_id=ORGANIZATION,
        kind=PrincipalKind.USER,
        name="Ada",
        organization_role=organization_role,
        roles_by_workspace={} if role is None else {WORKSPACE: role},
        scopes=scopes,
    )


@pytest.mark.parametrize(("role", "action"), list(itertools.product(WorkspaceRole, Action)))
def test_a_role_allows_what_the_page_says_and_nothing_else(role: WorkspaceRole, action: Action) -> None:
    allowed = action in rights_on_page()[f"`{role}` of a workspace"]
    assert passes(lambda: authorize(principal(role=role), WORKSPACE, action)) == allowed


@pytest.mark.parametrize(("role", "action"), list(itertools.product(OrganizationRole, Action)))
def test_a_role_in_the_organization_allows_what_the_page_says(role: OrganizationRole, action: Action) -> None:
    allowed = action in rights_on_page()[f"`{role}` of an organization"]
    asker = principal(organization_role=role)
    assert passes(lambda: authorize_organization(asker, ORGANIZATION, action)) == allowed


@pytest.mark.parametrize(
    ("scope", "action"), list(itertools.product(KeyScope, sorted(WORKSPACE_RIGHTS[WorkspaceRole.OWNER])))
)
def test_a_key_allows_only_what_its_scope_is_for(scope: KeyScope, action: Action) -> None:
    owner = principal(role=WorkspaceRole.OWNER, scopes=frozenset({scope}))
    assert passes(lambda: authorize(owner, WORKSPACE, action)) == (scope is SCOPE_OF_ACTION[action])


@pytest.mark.parametrize("action", list(Action))
def test_without_a_role_the_workspace_is_not_there(action: Action) -> None:
    with pytest.raises(WorkspaceNotFound):
        authorize(principal(organization_role=OrganizationRole.MEMBER), WORKSPACE, action)


@pytest.mark.parametrize("action", list(Action))
def test_another_organization_is_not_there(action: Action) -> None:
    with pytest.raises(OrganizationNotFound):
        authorize_organization(principal(), OrganizationId(UUID(int=9)), action)


def test_the_page_names_every_role_and_every_right() -> None:
    expected = {f"`{role}` of a workspace": rights for role, rights in WORKSPACE_RIGHTS.items()}
    expected |= {f"`{role}` of an organization": rights for role, rights in ORGANIZATION_RIGHTS.items()}
    assert rights_on_page() == expected
    assert set(WORKSPACE_RIGHTS) == set(WorkspaceRole)
    assert set(ORGANIZATION_RIGHTS) == set(OrganizationRole)


def test_the_page_names_every_action_with_its_scope_and_meaning() -> None:
    meanings = dict(re.findall(r'^    [A-Z]+ = "(\w+)"\n    """(.+)"""$', MODULE.read_text("utf-8"), re.MULTILINE))
    expected = [(f"`{action}`", f"`{SCOPE_OF_ACTION[action]}`", meanings[action]) for action in Action]
    assert rows_after("| Action |") == expected


def passes(check: Callable[[], None]) -> bool:
    try:
        check()
    except ActionForbidden:
        return False
    return True


def rights_on_page() -> dict[str, frozenset[Action]]:
    return {role: frozenset(map(Action, re.findall(r"`(\w+)`", may))) for role, may in rows_after("| Role |")}


def rows_after(header: str) -> list[tuple[str, ...]]:
    """Return the rows of the table that begins so."""
    lines = PAGE.read_text("utf-8").splitlines()
    start = next(number for number, line in enumerate(lines) if line.startswith(header))
    table = itertools.takewhile(lambda line: line.startswith("|"), lines[start + 2 :])
    return [tuple(cell.strip() for cell in line.strip("|").split("|")) for line in table]
