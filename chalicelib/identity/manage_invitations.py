"""Invites people by email address, and lists and revokes invitations. Sending the token is the inviter's."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from chalicelib.audit.model import ActivityAction, SubjectKind
from chalicelib.audit.record_activity import record
from chalicelib.database.ids import new_id
from chalicelib.database.transaction import Transaction
from chalicelib.identity import invitation_store
from chalicelib.identity.credentials import CredentialKind, hash_credential, new_credential
from chalicelib.identity.errors import EmailTaken, InvalidIdentity, InvitationAccepted, InvitationNotFound
from chalicelib.identity.manage_members import check_given
from chalicelib.identity.model import (
    Invitation,
    InvitationId,
    OrganizationId,
    OrganizationRole,
    Principal,
    WorkspaceId,
    WorkspaceRole,
)
from chalicelib.identity.names import checked_email
from chalicelib.identity.rights import Action, authorize, authorize_organization

LONGEST_VALIDITY = timedelta(days=30)
DEFAULT_VALIDITY = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class IssuedInvitation:
    """A new invitation with its token, which is shown this once."""

    invitation: Invitation
    token: str


def invite_member(
    tx: Transaction,
    *,
    principal: Principal,
    organization_id: OrganizationId,
    email: str,
    organization_role: OrganizationRole,
    roles_by_workspace: Mapping[WorkspaceId, WorkspaceRole],
    validity: timedelta = DEFAULT_VALIDITY,
    pepper: bytes,
    now: datetime,
) -> IssuedInvitation:
    """Promise whoever brings the token a membership with these roles.

    Raises ActionForbidden, WorkspaceNotFound, EmailTaken, InvalidIdentity.
    """
    authorize_giving(principal, organization_id, roles_by_workspace)
    for role in roles_by_workspace.values():
        check_given(role)
    if not timedelta() < validity <= LONGEST_VALIDITY:
        raise InvalidIdentity("An invitation is valid for 30 days at most.")
    checked = checked_email(email)
    if invitation_store.is_email_taken(tx, organization_id, checked):
        raise EmailTaken("A member has this email address already.", email=checked)
    credential = new_credential(CredentialKind.INVITATION)
    invitation = invitation_store.insert_invitation(
        tx,
        organization_id,
        invitation_id=new_id(),
        email=checked,
        organization_role=organization_role,
        roles_by_workspace=roles_by_workspace,
        prefix=credential.prefix,
        secret_hash=hash_credential(credential, pepper=pepper),
        invited_by=principal.id,
        now=now,
        expires_at=now + validity,
    )
    _record(tx, principal, ActivityAction.INVITATION_CREATED, invitation)
    return IssuedInvitation(invitation, credential.token)


def authorize_giving(
    principal: Principal, organization_id: OrganizationId, roles_by_workspace: Mapping[WorkspaceId, WorkspaceRole]
) -> None:
    """Let who may add a member with these roles pass, or raise ActionForbidden or WorkspaceNotFound.

    It is asked when an invitation is given and again, of the same principal, when it is accepted.
    """
    authorize_organization(principal, organization_id, Action.ADMINISTER)
    for workspace_id in roles_by_workspace:
        authorize(principal, workspace_id, Action.MANAGE)


def list_invitations(
    tx: Transaction, *, principal: Principal, organization_id: OrganizationId, after: UUID | None, limit: int
) -> Sequence[Invitation]:
    """Return the organization's invitations, open or over, in order of their ids. Raises ActionForbidden."""
    authorize_organization(principal, organization_id, Action.ADMINISTER)
    return invitation_store.list_invitations(tx, organization_id, after=after, limit=limit)


def revoke_invitation(
    tx: Transaction,
    *,
    principal: Principal,
    organization_id: OrganizationId,
    invitation_id: InvitationId,
    now: datetime,
) -> Invitation:
    """End an invitation at once; ending it again changes nothing.

    Raises ActionForbidden, InvitationNotFound, InvitationAccepted.
    """
    authorize_organization(principal, organization_id, Action.ADMINISTER)
    invitation = invitation_store.revoke_invitation(tx, organization_id, invitation_id, now=now)
    if invitation is not None:
        if invitation.revoked_at == now:
            _record(tx, principal, ActivityAction.INVITATION_REVOKED, invitation)
        return invitation
    if invitation_store.list_invitations(tx, organization_id, invitation_id=invitation_id):
        raise InvitationAccepted("The invitation has been accepted; remove or disable the member instead.")
    raise InvitationNotFound("There is no such invitation.")


def _record(tx: Transaction, principal: Principal, action: ActivityAction, invitation: Invitation) -> None:
    record(
        tx,
        principal=principal,
        workspace_id=None,
        action=action,
        subject_kind=SubjectKind.INVITATION,
        subject_id=invitation.id,
        after={
            "organization_role": invitation.organization_role,
            "roles": invitation.roles_by_workspace,
            "expires_at": invitation.expires_at,
        },
    )
