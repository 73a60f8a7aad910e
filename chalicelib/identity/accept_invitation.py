"""Turns an invitation's token into a member with its first API key, once."""

import hmac
from dataclasses import dataclass
from datetime import datetime

from chalicelib.audit.model import ActivityAction, SubjectKind
from chalicelib.audit.record_activity import record
from chalicelib.database.ids import new_id
from chalicelib.database.transaction import Transaction
from chalicelib.errors import Forbidden, NotFound
from chalicelib.identity import invitation_store, key_store, store
from chalicelib.identity.credentials import CredentialKind, hash_credential, new_credential, parse_credential
from chalicelib.identity.errors import InvitationNotFound
from chalicelib.identity.manage_api_keys import IssuedApiKey
from chalicelib.identity.manage_invitations import authorize_giving
from chalicelib.identity.model import Invitation, KeyScope, Member, OrganizationId, PrincipalId, PrincipalKind
from chalicelib.identity.names import checked_name


@dataclass(frozen=True, slots=True)
class AcceptedInvitation:
    """The new member, and its first key with its token, which is shown this once."""

    organization_id: OrganizationId
    member: Member
    issued: IssuedApiKey


def accept_invitation(tx: Transaction, *, token: str, name: str, pepper: bytes, now: datetime) -> AcceptedInvitation:
    """Make the user whom the token promises a membership, with the roles that its inviter may still give.

    Nobody is authorized but by the token, 256 random bits that nobody guesses. A token that is unknown, used,
    revoked, expired or void, its inviter having been removed, disabled or demoted since, is refused in the same
    words. Raises InvitationNotFound, EmailTaken (the invitation stays open then), InvalidIdentity.
    """
    named = checked_name(name)
    invitation = _open_invitation(tx, token, pepper=pepper, now=now)
    member_id = PrincipalId(new_id())
    store.insert_principal(
        tx,
        principal_id=member_id,
        organization_id=invitation.organization_id,
        kind=PrincipalKind.USER,
        name=named,
        email=invitation.email,
        organization_role=invitation.organization_role,
    )
    for workspace_id, role in invitation.roles_by_workspace.items():
        store.put_membership(
            tx,
            organization_id=invitation.organization_id,
            workspace_id=workspace_id,
            principal_id=member_id,
            role=role,
        )
    invitation_store.accept_invitation(tx, invitation.id, accepted_by=member_id, now=now)
    record(
        tx,
        principal=None,
        organization_id=invitation.organization_id,
        workspace_id=None,
        action=ActivityAction.INVITATION_ACCEPTED,
        subject_kind=SubjectKind.INVITATION,
        subject_id=invitation.id,
        after={"member_id": member_id, "invited_by": invitation.invited_by},
    )
    [member] = store.list_members(tx, invitation.organization_id, principal_id=member_id)
    issued = _first_key(tx, invitation.organization_id, member_id, pepper=pepper)
    return AcceptedInvitation(invitation.organization_id, member, issued)


def _open_invitation(tx: Transaction, token: str, *, pepper: bytes, now: datetime) -> Invitation:
    """Return the invitation that the token opens, held until the transaction ends, its inviter held as well."""
    credential = parse_credential(token, CredentialKind.INVITATION)
    found = invitation_store.lock_invitation(tx, credential.prefix, now=now) if credential else None
    if credential is None or found is None:
        raise _absent()
    invitation, secret_hash = found
    is_right = hmac.compare_digest(secret_hash, hash_credential(credential, pepper=pepper))
    if not is_right or invitation.invited_by is None or not invitation_store.hold_inviter(tx, invitation.invited_by):
        raise _absent()
    inviter = store.find_principal(tx, invitation.organization_id, invitation.invited_by)
    if inviter is None:
        raise _absent()
    try:
        authorize_giving(inviter, invitation.organization_id, invitation.roles_by_workspace)
    except (Forbidden, NotFound) as error:
        raise _absent() from error
    return invitation


def _first_key(
    tx: Transaction, organization_id: OrganizationId, member_id: PrincipalId, *, pepper: bytes
) -> IssuedApiKey:
    credential = new_credential()
    api_key = key_store.insert_api_key(
        tx,
        api_key_id=new_id(),
        organization_id=organization_id,
        principal_id=member_id,
        name="first key",
        prefix=credential.prefix,
        secret_hash=hash_credential(credential, pepper=pepper),
        scopes=KeyScope,
        workspace_ids=None,
        created_by=member_id,
        expires_at=None,
    )
    return IssuedApiKey(api_key, credential.token)


def _absent() -> InvitationNotFound:
    return InvitationNotFound("The invitation is unknown, used, revoked, expired or void; ask for a new one.")
