"""Access tokens: what clauses of audiences are made of, and what a principal holds.

They are computed for each request from what the principal is now, so that leaving a team or losing a role works on
the next read without rewriting a row.
"""

from collections.abc import Iterator
from uuid import UUID

from chalicelib.identity.model import OrganizationId, Principal, PrincipalKind, TeamId, WorkspaceId, WorkspaceRole


def workspace_token(workspace_id: WorkspaceId) -> str:
    """Return what whoever has a role in the workspace holds; a guest has none."""
    return f"workspace:{workspace_id}"


def owner_token(workspace_id: WorkspaceId) -> str:
    """Return what the workspace's owners hold, and the organization's admins."""
    return f"owner:{workspace_id}"


def organization_token(organization_id: OrganizationId) -> str:
    """Return what every principal of the organization holds."""
    return f"org:{organization_id}"


def team_token(team_id: TeamId) -> str:
    """Return what the members of a team hold."""
    return f"team:{team_id}"


def principal_token(kind: PrincipalKind, principal_id: UUID) -> str:
    """Return what one principal alone holds."""
    return f"{kind}:{principal_id}"


def tokens_of(principal: Principal, workspace_id: WorkspaceId) -> frozenset[str]:
    """Return the tokens that a principal holds in a workspace, apart from whom it acts on behalf of."""
    return frozenset(_tokens_of(principal, workspace_id))


def tokens_of_drop(workspace_id: WorkspaceId) -> frozenset[str]:
    """Return what a drop holds: whoever may write into the store's drop folder runs the deployment."""
    return frozenset({workspace_token(workspace_id), owner_token(workspace_id)})


def _tokens_of(principal: Principal, workspace_id: WorkspaceId) -> Iterator[str]:
    yield principal_token(principal.kind, principal.id)
    yield organization_token(principal.organization_id)
    yield from map(team_token, principal.team_ids)
    role = principal.held_roles.get(workspace_id)
    if role not in {None, WorkspaceRole.GUEST}:
        yield workspace_token(workspace_id)
    if role is WorkspaceRole.OWNER:
        yield owner_token(workspace_id)
