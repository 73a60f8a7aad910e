"""What each role may do, as one table, and the checks that every use case begins with.

docs/access.md shows the same table, and a test holds it to this one. What a principal may *see* of a
workspace's items is not decided here but by audiences (chalicelib/access).
"""

from collections.abc import Mapping
from enum import StrEnum

from chalicelib.errors import Forbidden
from chalicelib.identity.errors import OrganizationNotFound, WorkspaceNotFound
from chalicelib.identity.model import (
    KeyScope,
    OrganizationId,
    OrganizationRole,
    Principal,
    WorkspaceId,
    WorkspaceRole,
)


class ActionForbidden(Forbidden):
    """Your role or your API key does not allow this."""


class Action(StrEnum):
    """What can be asked for."""

    READ = "read"
    """Find, list and read what one's audience allows."""
    CITE = "cite"
    """Keep which passages were used, and answers made of them."""
    WRITE = "write"
    """Create, change and delete items and uploads; retry failures."""
    OPERATE = "operate"
    """See and steer the jobs of a workspace."""
    GRANT = "grant"
    """Say who may read folders, items and knowledge bases, and grant access to them."""
    MANAGE = "manage"
    """Change the workspace itself and its members' roles; delete for good."""
    ADMINISTER = "administer"
    """Change the organization, its members, workspaces and all API keys."""


WORKSPACE_RIGHTS: Mapping[WorkspaceRole, frozenset[Action]] = {
    WorkspaceRole.GUEST: frozenset({Action.READ}),
    WorkspaceRole.VIEWER: frozenset({Action.READ, Action.CITE}),
    WorkspaceRole.EDITOR: frozenset({Action.READ, Action.CITE, Action.WRITE}),
    WorkspaceRole.OWNER: frozenset(
        {Action.READ, Action.CITE, Action.WRITE, Action.OPERATE, Action.GRANT, Action.MANAGE}
    ),
}
"""Rights inside one workspace."""

ORGANIZATION_RIGHTS: Mapping[OrganizationRole, frozenset[Action]] = {
    OrganizationRole.MEMBER: frozenset({Action.READ}),
    OrganizationRole.ADMIN: frozenset({Action.READ, Action.ADMINISTER}),
}
"""Rights over the organization; an admin is owner of each of its workspaces besides."""

SCOPE_OF_ACTION: Mapping[Action, KeyScope] = {
    Action.READ: KeyScope.READ,
    Action.CITE: KeyScope.WRITE,
    Action.WRITE: KeyScope.WRITE,
    Action.OPERATE: KeyScope.WRITE,
    Action.GRANT: KeyScope.ADMIN,
    Action.MANAGE: KeyScope.ADMIN,
    Action.ADMINISTER: KeyScope.ADMIN,
}
"""The scope that an API key needs for each action."""


def authorize(principal: Principal, workspace_id: WorkspaceId, action: Action) -> None:
    """Let the principal pass, or raise.

    Raises WorkspaceNotFound where it has no role, whether or not the workspace exists, and
    ActionForbidden where its role or the scopes of its key are too small.
    """
    role = principal.roles_by_workspace.get(workspace_id)
    if role is None:
        raise WorkspaceNotFound("There is no such workspace.")
    _require(action in WORKSPACE_RIGHTS[role], f"The role {role} does not allow to {action}.", action)
    _require_scope(principal, action)


def is_allowed(principal: Principal, workspace_id: WorkspaceId, action: Action) -> bool:
    """Tell whether `authorize` would let the principal pass."""
    role = principal.roles_by_workspace.get(workspace_id)
    return role is not None and action in WORKSPACE_RIGHTS[role] and has_scope(principal, action)


def lesser_role(first: WorkspaceRole, second: WorkspaceRole) -> WorkspaceRole:
    """Return the one of two roles that the other includes."""
    return min(first, second, key=list(WorkspaceRole).index)


def lesser_organization_role(first: OrganizationRole, second: OrganizationRole) -> OrganizationRole:
    """Return the one of two roles that the other includes."""
    return min(first, second, key=list(OrganizationRole).index)


def has_scope(principal: Principal, action: Action) -> bool:
    """Tell whether the principal's credential may be used for an action, whatever its role."""
    return SCOPE_OF_ACTION[action] in principal.scopes


def authorize_organization(principal: Principal, organization_id: OrganizationId, action: Action) -> None:
    """Let the principal pass, or raise OrganizationNotFound (not its own) or ActionForbidden."""
    if principal.organization_id != organization_id:
        raise OrganizationNotFound("There is no such organization.")
    role = principal.organization_role
    _require(role_allows(role, action), f"The role {role} does not allow to {action}.", action)
    _require_scope(principal, action)


def is_allowed_organization(principal: Principal, organization_id: OrganizationId, action: Action) -> bool:
    """Tell whether `authorize_organization` would let the principal pass."""
    is_own = principal.organization_id == organization_id
    return is_own and role_allows(principal.organization_role, action) and has_scope(principal, action)


def held_role_allows(principal: Principal, workspace_id: WorkspaceId, action: Action) -> bool:
    """Tell whether the principal's own role in a workspace allows an action, whomever it acts for."""
    role = principal.held_roles.get(workspace_id)
    return role is not None and action in WORKSPACE_RIGHTS[role]


def role_allows(role: OrganizationRole, action: Action) -> bool:
    """Tell whether a role in an organization allows an action, whatever the key."""
    return action in ORGANIZATION_RIGHTS[role]


def _require_scope(principal: Principal, action: Action) -> None:
    scope = SCOPE_OF_ACTION[action]
    _require(scope in principal.scopes, f"The API key lacks the scope {scope}.", action)


def _require(allowed: bool, detail: str, action: Action) -> None:  # noqa: FBT001  a condition, named by its place
    if not allowed:
        raise ActionForbidden(detail, action=str(action))
