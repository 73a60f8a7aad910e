"""Organizations: founding one, showing and renaming one's own."""

from pydantic import Field

from chalicelib.http.api_keys import IssuedApiKeyResource, issued_api_key_resource
from chalicelib.http.me import OrganizationResource
from chalicelib.http.routing import Answer, Body, Call, NoBody, NoQuery, Resource, Routes
from chalicelib.http.workspaces import WorkspaceResource
from chalicelib.identity.errors import InvalidIdentity, OrganizationNotFound
from chalicelib.identity.found_organization import found_organization
from chalicelib.identity.manage_organization import read_organization, rename_organization
from chalicelib.identity.rights import Action, ActionForbidden, authorize_organization

routes = Routes("organizations")

_ORGANIZATION = "/v1/organizations/{organization_id}"


class NewOrganization(Body):
    """What a new organization begins with."""

    name: str
    workspace_slug: str = Field("main", description="The slug of its first workspace.")
    owner_name: str = Field("Owner", description="The name of its first admin.")
    owner_email: str | None = None


class OrganizationChanges(Body):
    """What to change."""

    name: str


class FoundedOrganization(Resource):
    """A new organization with its first workspace and its owner's key."""

    organization: OrganizationResource
    workspace: WorkspaceResource
    api_key: IssuedApiKeyResource


@routes.on(
    "POST",
    "/v1/organizations",
    query=NoQuery,
    body=NewOrganization,
    answers={201: FoundedOrganization},
    problems=(ActionForbidden, InvalidIdentity),
)
def add_organization(call: Call[NoQuery, NewOrganization]) -> Answer:
    """Found an organization, as an admin of another. Its owner's token is in this answer and never again."""
    authorize_organization(call.principal, call.principal.organization_id, Action.ADMINISTER)
    foundation = found_organization(
        call.tx,
        name=call.body.name,
        workspace_slug=call.body.workspace_slug,
        owner_name=call.body.owner_name,
        owner_email=call.body.owner_email,
        pepper=call.application.pepper,
        founder=call.principal,
    )
    return Answer(
        201,
        FoundedOrganization(
            organization=OrganizationResource.model_validate(foundation.organization),
            workspace=WorkspaceResource.model_validate(foundation.workspace),
            api_key=issued_api_key_resource(foundation.api_key, foundation.token),
        ),
        headers={"Location": f"/v1/organizations/{foundation.organization.id}"},
    )


@routes.on(
    "GET",
    _ORGANIZATION,
    query=NoQuery,
    body=NoBody,
    answers={200: OrganizationResource},
    problems=(OrganizationNotFound, ActionForbidden),
)
def show_organization(call: Call[NoQuery, NoBody]) -> Answer:
    """Show the caller's own organization."""
    organization = read_organization(call.tx, principal=call.principal, organization_id=call.organization_id)
    return Answer(body=OrganizationResource.model_validate(organization))


@routes.on(
    "PATCH",
    _ORGANIZATION,
    query=NoQuery,
    body=OrganizationChanges,
    answers={200: OrganizationResource},
    problems=(OrganizationNotFound, ActionForbidden, InvalidIdentity),
)
def change_organization(call: Call[NoQuery, OrganizationChanges]) -> Answer:
    """Rename the caller's own organization."""
    organization = rename_organization(
        call.tx, principal=call.principal, organization_id=call.organization_id, name=call.body.name
    )
    return Answer(body=OrganizationResource.model_validate(organization))
