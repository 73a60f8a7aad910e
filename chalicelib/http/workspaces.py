"""Workspaces, and who has which role in them."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from pydantic import Field

from chalicelib.http.members import MemberResource, member_resource
from chalicelib.http.routing import Answer, Body, Call, NoBody, NoQuery, Resource, Routes
from chalicelib.identity.errors import (
    InvalidIdentity,
    MemberNotFound,
    OrganizationNotFound,
    SlugTaken,
    WorkspaceNotFound,
)
from chalicelib.identity.manage_members import set_role
from chalicelib.identity.manage_workspaces import create_workspace, list_workspaces, read_workspace, update_workspace
from chalicelib.identity.model import PrincipalId, WorkspaceId, WorkspaceRole
from chalicelib.identity.rights import Action, ActionForbidden, authorize_organization

routes = Routes("workspaces")

GivenRole = Literal[WorkspaceRole.VIEWER, WorkspaceRole.EDITOR, WorkspaceRole.OWNER]

_ORGANIZATION_WORKSPACES = "/v1/organizations/{organization_id}/workspaces"
_WORKSPACE = "/v1/workspaces/{workspace_id}"
_ROLE = "/v1/workspaces/{workspace_id}/members/{member_id}"


class WorkspaceResource(Resource):
    """Where knowledge lives. `quotas` names the limits that differ from the deployment's.

    `record_reads` says that reading its items and searching it is recorded as activity.
    """

    id: UUID
    organization_id: UUID
    slug: str
    name: str
    quotas: Mapping[str, int]
    record_reads: bool
    created_at: datetime


class WorkspaceList(Resource):
    """Workspaces in order of their slugs. They are few, so they come in one page."""

    workspaces: Sequence[WorkspaceResource]
    next_cursor: None = None


class NewWorkspace(Body):
    """What a workspace is made of."""

    slug: str = Field(description="1 to 63 of a-z, 0-9 and -; unique in the organization.")
    name: str | None = Field(None, description="By default the slug.")


class WorkspaceChanges(Body):
    """What to change; what is absent stays."""

    slug: str | None = None
    name: str | None = None
    quotas: Mapping[str, int] | None = Field(None, description="Limits by name; for admins of the organization.")
    record_reads: bool | None = Field(None, description="Whether reads and searches are recorded as activity.")


class RoleChange(Body):
    """The role to give. Nobody is made a guest."""

    role: GivenRole


def _list_of(call: Call[NoQuery, NoBody]) -> Answer:
    workspaces = list_workspaces(call.tx, principal=call.principal)
    return Answer(body=WorkspaceList(workspaces=[WorkspaceResource.model_validate(entry) for entry in workspaces]))


@routes.on("GET", "/v1/workspaces", query=NoQuery, body=NoBody, answers={200: WorkspaceList})
def list_my_workspaces(call: Call[NoQuery, NoBody]) -> Answer:
    """List the workspaces that the caller can reach, the oldest first."""
    return _list_of(call)


@routes.on(
    "GET",
    _ORGANIZATION_WORKSPACES,
    query=NoQuery,
    body=NoBody,
    answers={200: WorkspaceList},
    problems=(OrganizationNotFound, ActionForbidden),
)
def list_organization_workspaces(call: Call[NoQuery, NoBody]) -> Answer:
    """List the organization's workspaces that the caller can reach; all of them for an admin."""
    authorize_organization(call.principal, call.organization_id, Action.READ)
    return _list_of(call)


def show_workspace_again(call: Call[Any, Any], workspace_id: UUID) -> Answer:
    """Show a workspace to who repeats a request about it."""
    workspace = read_workspace(call.tx, principal=call.principal, workspace_id=WorkspaceId(workspace_id))
    return Answer(body=WorkspaceResource.model_validate(workspace))


@routes.on(
    "POST",
    _ORGANIZATION_WORKSPACES,
    query=NoQuery,
    body=NewWorkspace,
    answers={201: WorkspaceResource},
    problems=(OrganizationNotFound, WorkspaceNotFound, ActionForbidden, SlugTaken, InvalidIdentity),
    show_again=show_workspace_again,
)
def add_workspace(call: Call[NoQuery, NewWorkspace]) -> Answer:
    """Add a workspace to the organization."""
    workspace = create_workspace(
        call.tx,
        principal=call.principal,
        organization_id=call.organization_id,
        slug=call.body.slug,
        name=call.body.name,
    )
    return Answer(
        201,
        WorkspaceResource.model_validate(workspace),
        headers={"Location": f"/v1/workspaces/{workspace.id}"},
        about=workspace.id,
    )


@routes.on(
    "GET",
    _WORKSPACE,
    query=NoQuery,
    body=NoBody,
    answers={200: WorkspaceResource},
    problems=(WorkspaceNotFound, ActionForbidden),
)
def show_workspace(call: Call[NoQuery, NoBody]) -> Answer:
    """Show a workspace."""
    workspace = read_workspace(call.tx, principal=call.principal, workspace_id=call.workspace_id)
    return Answer(body=WorkspaceResource.model_validate(workspace))


@routes.on(
    "PATCH",
    _WORKSPACE,
    query=NoQuery,
    body=WorkspaceChanges,
    answers={200: WorkspaceResource},
    problems=(WorkspaceNotFound, ActionForbidden, SlugTaken, InvalidIdentity),
)
def change_workspace(call: Call[NoQuery, WorkspaceChanges]) -> Answer:
    """Change a workspace's slug, name or quotas, or whether its reads are recorded."""
    workspace = update_workspace(
        call.tx,
        principal=call.principal,
        workspace_id=call.workspace_id,
        slug=call.body.slug,
        name=call.body.name,
        quotas=call.body.quotas,
        record_reads=call.body.record_reads,
    )
    return Answer(body=WorkspaceResource.model_validate(workspace))


@routes.on(
    "PUT",
    _ROLE,
    query=NoQuery,
    body=RoleChange,
    answers={200: MemberResource},
    problems=(WorkspaceNotFound, MemberNotFound, ActionForbidden, InvalidIdentity),
)
def give_role(call: Call[NoQuery, RoleChange]) -> Answer:
    """Give a member of the organization a role in the workspace."""
    return Answer(body=_with_role(call, call.body.role))


@routes.on(
    "DELETE",
    _ROLE,
    query=NoQuery,
    body=NoBody,
    answers={204: None},
    problems=(WorkspaceNotFound, MemberNotFound, ActionForbidden),
)
def take_role(call: Call[NoQuery, NoBody]) -> Answer:
    """Take a member's role in the workspace away."""
    _with_role(call, None)
    return Answer(204)


def _with_role(call: Call[NoQuery, RoleChange] | Call[NoQuery, NoBody], role: WorkspaceRole | None) -> MemberResource:
    member = set_role(
        call.tx,
        principal=call.principal,
        workspace_id=call.workspace_id,
        member_id=PrincipalId(call.ids["member_id"]),
        role=role,
    )
    return member_resource(member)
