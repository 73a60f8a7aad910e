"""Members of an organization: users, agents and services."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from pydantic import Field

from chalicelib.http.cursors import Page, cut_page, read_id_position
from chalicelib.http.errors import InvalidCursor
from chalicelib.http.routing import Answer, Body, Call, NoBody, NoQuery, Resource, Routes
from chalicelib.identity.errors import EmailTaken, InvalidIdentity, LastAdmin, MemberNotFound, OrganizationNotFound
from chalicelib.identity.manage_members import create_member, list_members, read_member, update_member
from chalicelib.identity.model import Member, OrganizationRole, PrincipalId, PrincipalKind, WorkspaceRole
from chalicelib.identity.rights import Action, ActionForbidden, authorize_organization
from chalicelib.identity.store import UNCHANGED
from chalicelib.index.swap import remove_items_from_index
from chalicelib.sharing.remove_member import remove_member

routes = Routes("members")

_MEMBERS = "/v1/organizations/{organization_id}/members"
_MEMBER = "/v1/organizations/{organization_id}/members/{member_id}"


class MemberResource(Resource):
    """A user, agent or service, with its roles by workspace. `environment` is an agent's, null the default one."""

    id: UUID
    kind: PrincipalKind
    name: str
    email: str | None
    organization_role: OrganizationRole
    roles: Mapping[UUID, WorkspaceRole]
    created_at: datetime
    disabled_at: datetime | None
    environment: str | None


class MemberList(Resource):
    """A page of members, in the order they were added."""

    members: Sequence[MemberResource]
    next_cursor: str | None


class NewMember(Body):
    """Whom to add. Only users have an email address."""

    kind: PrincipalKind
    name: str
    email: str | None = None
    organization_role: OrganizationRole = OrganizationRole.MEMBER
    environment: str | None = Field(None, description="For agents: whose knowledge they see; by default the default.")


class MemberChanges(Body):
    """What to change; what is absent stays. A disabled member's keys stop working at once."""

    name: str | None = None
    organization_role: OrganizationRole | None = None
    disabled: bool | None = None
    environment: str | None = Field(None, description="For agents; null is the default one.")


def member_resource(member: Member) -> MemberResource:
    """Return a member as the API shows it."""
    return MemberResource(
        id=member.id,
        kind=member.kind,
        name=member.name,
        email=member.email,
        organization_role=member.organization_role,
        roles=member.roles_by_workspace,
        created_at=member.created_at,
        disabled_at=member.disabled_at,
        environment=member.environment,
    )


@routes.on(
    "GET",
    _MEMBERS,
    query=Page,
    body=NoBody,
    answers={200: MemberList},
    problems=(OrganizationNotFound, ActionForbidden, InvalidCursor),
)
def list_organization_members(call: Call[Page, NoBody]) -> Answer:
    """List the members of the organization."""
    members = list_members(
        call.tx,
        principal=call.principal,
        organization_id=call.organization_id,
        after=read_id_position(call),
        limit=call.query.limit + 1,
    )
    shown, next_cursor = cut_page(call, members, position_of=lambda member: [str(member.id)])
    return Answer(body=MemberList(members=[member_resource(member) for member in shown], next_cursor=next_cursor))


def show_member_again(call: Call[Any, Any], member_id: UUID) -> Answer:
    """Show a member to an admin who repeats a request about it."""
    authorize_organization(call.principal, call.organization_id, Action.ADMINISTER)
    member = read_member(
        call.tx,
        principal=call.principal,
        organization_id=call.organization_id,
        member_id=PrincipalId(member_id),
    )
    return Answer(body=member_resource(member))


@routes.on(
    "POST",
    _MEMBERS,
    query=NoQuery,
    body=NewMember,
    answers={201: MemberResource},
    problems=(OrganizationNotFound, ActionForbidden, EmailTaken, InvalidIdentity),
    show_again=show_member_again,
)
def add_member(call: Call[NoQuery, NewMember]) -> Answer:
    """Add a user, agent or service to the organization."""
    if call.body.email is not None and call.body.kind is not PrincipalKind.USER:
        raise InvalidIdentity("Only users have an email address.")
    member = create_member(
        call.tx,
        principal=call.principal,
        organization_id=call.organization_id,
        kind=call.body.kind,
        name=call.body.name,
        email=call.body.email,
        organization_role=call.body.organization_role,
        environment=call.body.environment,
    )
    location = f"/v1/organizations/{call.organization_id}/members/{member.id}"
    return Answer(201, member_resource(member), headers={"Location": location}, about=member.id)


@routes.on(
    "GET",
    _MEMBER,
    query=NoQuery,
    body=NoBody,
    answers={200: MemberResource},
    problems=(OrganizationNotFound, MemberNotFound, ActionForbidden),
)
def show_member(call: Call[NoQuery, NoBody]) -> Answer:
    """Show a member: oneself, or anyone for an admin."""
    member = read_member(
        call.tx, principal=call.principal, organization_id=call.organization_id, member_id=_member_id(call.ids)
    )
    return Answer(body=member_resource(member))


@routes.on(
    "PATCH",
    _MEMBER,
    query=NoQuery,
    body=MemberChanges,
    answers={200: MemberResource},
    problems=(OrganizationNotFound, MemberNotFound, ActionForbidden, LastAdmin, InvalidIdentity),
)
def change_member(call: Call[NoQuery, MemberChanges]) -> Answer:
    """Rename, promote, demote, disable or enable a member, or give an agent another environment."""
    member = update_member(
        call.tx,
        principal=call.principal,
        organization_id=call.organization_id,
        member_id=_member_id(call.ids),
        name=call.body.name,
        organization_role=call.body.organization_role,
        disabled=call.body.disabled,
        environment=call.body.environment if "environment" in call.body.model_fields_set else UNCHANGED,
    )
    return Answer(body=member_resource(member))


@routes.on(
    "DELETE",
    _MEMBER,
    query=NoQuery,
    body=NoBody,
    answers={204: None},
    problems=(OrganizationNotFound, MemberNotFound, ActionForbidden, LastAdmin),
)
def remove_organization_member(call: Call[NoQuery, NoBody]) -> Answer:
    """Remove a member with its keys, roles and grants; what it made stays, but what it kept to itself."""
    remove_member(
        call.tx,
        principal=call.principal,
        organization_id=call.organization_id,
        member_id=_member_id(call.ids),
        rules=call.application.item_rules,
        remove_from_index=remove_items_from_index,
    )
    return Answer(204)


def _member_id(ids: Mapping[str, UUID]) -> PrincipalId:
    return PrincipalId(ids["member_id"])
