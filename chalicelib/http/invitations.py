"""Invitations: how people become members of an organization."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from uuid import UUID

from pydantic import Field

from chalicelib.http.api_keys import IssuedApiKeyResource, issued_api_key_resource
from chalicelib.http.cursors import Page, cut_page, read_id_position
from chalicelib.http.errors import InvalidCursor
from chalicelib.http.members import MemberResource, member_resource
from chalicelib.http.routing import AnonymousCall, Answer, Body, Call, NoBody, NoQuery, Resource, Routes
from chalicelib.http.workspaces import GivenRole
from chalicelib.identity.accept_invitation import accept_invitation
from chalicelib.identity.errors import (
    EmailTaken,
    InvalidIdentity,
    InvitationAccepted,
    InvitationNotFound,
    OrganizationNotFound,
    WorkspaceNotFound,
)
from chalicelib.identity.manage_invitations import invite_member, list_invitations, revoke_invitation
from chalicelib.identity.model import Invitation, InvitationId, OrganizationRole, WorkspaceId, WorkspaceRole
from chalicelib.identity.rights import ActionForbidden

routes = Routes("invitations")

_INVITATIONS = "/v1/organizations/{organization_id}/invitations"
_INVITATION = "/v1/organizations/{organization_id}/invitations/{invitation_id}"


class InvitationResource(Resource):
    """An invitation without its secret. It is void once whoever gave it has been removed, disabled or demoted."""

    id: UUID
    email: str
    organization_role: OrganizationRole
    roles: Mapping[UUID, WorkspaceRole]
    prefix: str
    invited_by: UUID | None
    created_at: datetime
    expires_at: datetime
    accepted_at: datetime | None
    accepted_by: UUID | None
    revoked_at: datetime | None


class IssuedInvitationResource(InvitationResource):
    """A new invitation with its token, which is shown this once."""

    token: str


class InvitationList(Resource):
    """A page of invitations, open or over, in the order they were given."""

    invitations: Sequence[InvitationResource]
    next_cursor: str | None


class NewInvitation(Body):
    """Whom to invite, and as what. The token is the inviter's to send."""

    email: str
    organization_role: OrganizationRole = OrganizationRole.MEMBER
    roles: Mapping[UUID, GivenRole] = Field(
        default_factory=dict, max_length=1000, description="Roles by workspace id, none by default."
    )
    valid_days: int = Field(7, ge=1, le=30)


class Acceptance(Body):
    """What the invited one brings, and how it wants to be called."""

    token: str
    name: str


class AcceptedInvitationResource(Resource):
    """The new member, with its first API key."""

    organization_id: UUID
    member: MemberResource
    api_key: IssuedApiKeyResource


def invitation_resource(invitation: Invitation) -> InvitationResource:
    """Return an invitation as the API shows it."""
    return InvitationResource(
        id=invitation.id,
        email=invitation.email,
        organization_role=invitation.organization_role,
        roles=invitation.roles_by_workspace,
        prefix=invitation.prefix,
        invited_by=invitation.invited_by,
        created_at=invitation.created_at,
        expires_at=invitation.expires_at,
        accepted_at=invitation.accepted_at,
        accepted_by=invitation.accepted_by,
        revoked_at=invitation.revoked_at,
    )


@routes.on(
    "GET",
    _INVITATIONS,
    query=Page,
    body=NoBody,
    answers={200: InvitationList},
    problems=(OrganizationNotFound, ActionForbidden, InvalidCursor),
)
def list_organization_invitations(call: Call[Page, NoBody]) -> Answer:
    """List the organization's invitations, open or over."""
    found = list_invitations(
        call.tx,
        principal=call.principal,
        organization_id=call.organization_id,
        after=read_id_position(call),
        limit=call.query.limit + 1,
    )
    shown, next_cursor = cut_page(call, found, position_of=lambda invitation: [str(invitation.id)])
    return Answer(
        body=InvitationList(invitations=[invitation_resource(entry) for entry in shown], next_cursor=next_cursor)
    )


@routes.on(
    "POST",
    _INVITATIONS,
    query=NoQuery,
    body=NewInvitation,
    answers={201: IssuedInvitationResource},
    problems=(OrganizationNotFound, WorkspaceNotFound, ActionForbidden, EmailTaken, InvalidIdentity),
)
def add_invitation(call: Call[NoQuery, NewInvitation]) -> Answer:
    """Invite somebody by email address. The token is in this answer and never again."""
    issued = invite_member(
        call.tx,
        principal=call.principal,
        organization_id=call.organization_id,
        email=call.body.email,
        organization_role=call.body.organization_role,
        roles_by_workspace={WorkspaceId(workspace_id): role for workspace_id, role in call.body.roles.items()},
        validity=timedelta(days=call.body.valid_days),
        pepper=call.application.pepper,
        now=call.application.clock.now(),
    )
    resource = IssuedInvitationResource(**invitation_resource(issued.invitation).model_dump(), token=issued.token)
    return Answer(201, resource)


@routes.on(
    "DELETE",
    _INVITATION,
    query=NoQuery,
    body=NoBody,
    answers={204: None},
    problems=(OrganizationNotFound, InvitationNotFound, InvitationAccepted, ActionForbidden),
)
def take_back_invitation(call: Call[NoQuery, NoBody]) -> Answer:
    """Revoke an invitation at once; revoking it again changes nothing."""
    revoke_invitation(
        call.tx,
        principal=call.principal,
        organization_id=call.organization_id,
        invitation_id=InvitationId(call.ids["invitation_id"]),
        now=call.application.clock.now(),
    )
    return Answer(204)


@routes.for_anyone(
    "POST",
    "/v1/invitations/accept",
    body=Acceptance,
    answers={201: AcceptedInvitationResource},
    problems=(InvitationNotFound, EmailTaken, InvalidIdentity),
)
def accept(call: AnonymousCall[Acceptance]) -> Answer:
    """Become a member with an invitation's token, once. The first API key is in this answer and never again."""
    accepted = accept_invitation(
        call.tx,
        token=call.body.token,
        name=call.body.name,
        pepper=call.application.pepper,
        now=call.application.clock.now(),
    )
    return Answer(
        201,
        AcceptedInvitationResource(
            organization_id=accepted.organization_id,
            member=member_resource(accepted.member),
            api_key=issued_api_key_resource(accepted.issued.api_key, accepted.issued.token),
        ),
        headers={"Location": f"/v1/organizations/{accepted.organization_id}/members/{accepted.member.id}"},
    )
