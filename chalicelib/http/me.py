"""Who am I, and what can I reach."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from chalicelib.http.routing import Answer, Call, NoBody, NoQuery, Resource, Routes
from chalicelib.http.workspaces import WorkspaceResource
from chalicelib.identity.manage_organization import read_organization
from chalicelib.identity.manage_workspaces import list_workspaces
from chalicelib.identity.model import KeyScope, OrganizationRole, PrincipalKind, WorkspaceRole

routes = Routes("me")


class ActedFor(Resource):
    """On behalf of whom somebody acts: both have to be allowed what is asked."""

    id: UUID
    kind: PrincipalKind
    name: str


class PrincipalResource(Resource):
    """Whoever asks. For an admin who simulates a member it is that member, on behalf of the admin."""

    id: UUID
    kind: PrincipalKind
    name: str
    organization_role: OrganizationRole
    scopes: Sequence[KeyScope]
    environment: str | None
    on_behalf_of: ActedFor | None


class OrganizationResource(Resource):
    """A tenant."""

    id: UUID
    name: str
    created_at: datetime


class ReachableWorkspace(WorkspaceResource):
    """A workspace with the caller's role in it."""

    role: WorkspaceRole


class Me(Resource):
    """The caller and all that it can reach."""

    principal: PrincipalResource
    organization: OrganizationResource
    workspaces: Sequence[ReachableWorkspace]


@routes.on("GET", "/v1/me", query=NoQuery, body=NoBody, answers={200: Me})
def show_me(call: Call[NoQuery, NoBody]) -> Answer:
    """Show the caller, its organization and its workspaces."""
    principal = call.principal
    organization = read_organization(call.tx, principal=principal, organization_id=principal.organization_id)
    workspaces = [
        ReachableWorkspace(
            **WorkspaceResource.model_validate(workspace).model_dump(),
            role=principal.roles_by_workspace[workspace.id],
        )
        for workspace in list_workspaces(call.tx, principal=principal)
    ]
    return Answer(
        body=Me(
            principal=PrincipalResource(
                id=principal.id,
                kind=principal.kind,
                name=principal.name,
                organization_role=principal.organization_role,
                scopes=sorted(principal.scopes),
                environment=principal.environment,
                on_behalf_of=None
                if principal.on_behalf_of is None
                else ActedFor.model_validate(principal.on_behalf_of),
            ),
            organization=OrganizationResource.model_validate(organization),
            workspaces=workspaces,
        )
    )
