"""Says what stands in somebody's way, and what would have to change."""

from collections.abc import Iterator, Mapping

from chalicelib.access.model import DEFAULT_ENVIRONMENT, ClauseReason, GrantAction, TracedAudience
from chalicelib.identity.model import Principal, PrincipalKind, WorkspaceId
from chalicelib.identity.rights import SCOPE_OF_ACTION, WORKSPACE_RIGHTS, Action
from chalicelib.sharing.explain_model import ExplainedClause, Obstacle, ObstacleReason

_REMEDIES: Mapping[ClauseReason, str] = {
    ClauseReason.WORKSPACE: "Those with a role in the workspace read here. Give it a role, or grant it `read` here.",
    ClauseReason.AUDIENCE: "The audience said at {place} does not name it. Name it or a team of its there, or grant it "
    "`read` at that place or nearer.",
    ClauseReason.ONLY_ME: "Somebody keeps {place} to themselves. Only they can open it.",
    ClauseReason.RESTRICTION: "{place} is restricted to owners and who made it. Grant it `read` at that place or "
    "nearer, or end the restriction.",
    ClauseReason.BREAK: "{place} inherits nothing and names nobody, so that owners are left. Say an audience there, "
    "or grant it `read` at that place or nearer.",
}


def obstacles_to_reading(
    principal: Principal, workspace_id: WorkspaceId, trace: TracedAudience, clauses: list[ExplainedClause]
) -> Iterator[Obstacle]:
    """Yield what keeps a living principal from reading; nothing where it can."""
    if workspace_id not in principal.roles_by_workspace:
        yield _obstacle(
            ObstacleReason.ROLE, None, "It has no role in the workspace, and nothing there is open to it. Give it one."
        )
    for clause in clauses:
        if not clause.is_met:
            yield _obstacle(
                ObstacleReason(clause.reason), clause.path, _REMEDIES[clause.reason].format(place=clause.path or "here")
            )
    environment = trace.audience.environment
    if principal.kind is PrincipalKind.AGENT and principal.environment != environment:
        said_at = trace.environment_at
        yield _obstacle(
            ObstacleReason.ENVIRONMENT,
            None if said_at is None else said_at.path,
            f"The agent is in the environment {principal.environment or DEFAULT_ENVIRONMENT}, and this is for "
            f"{environment or DEFAULT_ENVIRONMENT}. Move the agent to that environment, or say another one here.",
        )


def obstacles_to_writing(
    principal: Principal, workspace_id: WorkspaceId, *, has_grant: bool, is_own: bool
) -> Iterator[Obstacle]:
    """Yield what keeps a principal from writing besides what keeps it from reading."""
    role = principal.roles_by_workspace.get(workspace_id)
    if not has_grant and (role is None or Action.WRITE not in WORKSPACE_RIGHTS[role]):
        yield _obstacle(
            ObstacleReason.ROLE,
            None,
            "Its role does not let it write, and no grant does. Make it an editor, or grant it `write` here.",
            action=GrantAction.WRITE,
        )
    if is_own and SCOPE_OF_ACTION[Action.WRITE] not in principal.scopes:
        yield _obstacle(
            ObstacleReason.KEY_SCOPE,
            None,
            "What you ask with lacks the scope write. Ask with another key.",
            action=GrantAction.WRITE,
        )


def disabled() -> Obstacle:
    """Return what keeps a disabled member from everything."""
    return _obstacle(ObstacleReason.DISABLED, None, "The member is disabled. An admin can enable it again.")


def _obstacle(
    reason: ObstacleReason, path: str | None, detail: str, *, action: GrantAction = GrantAction.READ
) -> Obstacle:
    return Obstacle(reason=reason, action=action, path=path, detail=detail)
