"""Makes, lists and revokes API keys: one's own, or anyone's in the organization for an admin."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from uuid import UUID

from chalicelib.audit.model import ActivityAction, SubjectKind
from chalicelib.audit.record_activity import record
from chalicelib.database.ids import new_id
from chalicelib.database.transaction import Transaction
from chalicelib.identity import key_store, store
from chalicelib.identity.credentials import hash_credential, new_credential
from chalicelib.identity.errors import ApiKeyNotFound, InvalidIdentity, MemberNotFound, WorkspaceNotFound
from chalicelib.identity.model import (
    ApiKey,
    ApiKeyId,
    KeyScope,
    OrganizationId,
    Principal,
    PrincipalId,
    WorkspaceId,
)
from chalicelib.identity.names import checked_name
from chalicelib.identity.rights import Action, ActionForbidden, authorize_organization, is_allowed_organization


@dataclass(frozen=True, slots=True)
class IssuedApiKey:
    """A new key with its token, which is shown this once."""

    api_key: ApiKey
    token: str


def create_api_key(
    tx: Transaction,
    *,
    principal: Principal,
    organization_id: OrganizationId,
    member_id: PrincipalId,
    name: str,
    scopes: Collection[KeyScope],
    workspace_ids: Sequence[WorkspaceId] | None,
    expires_at: datetime | None,
    pepper: bytes,
    now: datetime,
) -> IssuedApiKey:
    """Make a key for oneself (within the scopes and workspaces of the key in use) or, as an admin, for any member.

    Raises ActionForbidden, MemberNotFound, WorkspaceNotFound, InvalidIdentity.
    """
    _authorize_for(principal, organization_id, member_id)
    authorize_keys(principal)
    if not frozenset(scopes) <= principal.scopes:
        raise ActionForbidden("A key cannot be given scopes that the key in use lacks.")
    if expires_at is not None:
        _check_expiry(expires_at, now=now)
    if workspace_ids is None and principal.is_limited:
        workspace_ids = list(principal.roles_by_workspace)
    if not scopes or workspace_ids == []:
        raise InvalidIdentity("A key needs at least one scope, and one workspace that you reach or null for all.")
    if not frozenset(workspace_ids or ()) <= frozenset(principal.roles_by_workspace):
        raise WorkspaceNotFound("There is no such workspace.")
    if not store.list_members(tx, organization_id, principal_id=member_id):
        raise MemberNotFound("There is no such member.")
    credential = new_credential()
    api_key = key_store.insert_api_key(
        tx,
        api_key_id=new_id(),
        organization_id=organization_id,
        principal_id=member_id,
        name=checked_name(name),
        prefix=credential.prefix,
        secret_hash=hash_credential(credential, pepper=pepper),
        scopes=scopes,
        workspace_ids=workspace_ids,
        created_by=principal.id,
        expires_at=expires_at,
    )
    _record(tx, principal, ActivityAction.API_KEY_CREATED, api_key)
    return IssuedApiKey(api_key, credential.token)


def list_api_keys(
    tx: Transaction, *, principal: Principal, organization_id: OrganizationId, after: UUID | None, limit: int
) -> Sequence[ApiKey]:
    """Return all keys of the organization for an admin, else one's own, in order of their ids."""
    authorize_organization(principal, organization_id, Action.READ)
    return key_store.list_api_keys(tx, organization_id, principal_id=whose_keys(principal), after=after, limit=limit)


def revoke_api_key(
    tx: Transaction,
    *,
    principal: Principal,
    organization_id: OrganizationId,
    api_key_id: ApiKeyId,
    now: datetime,
) -> ApiKey:
    """End a key at once; ending it again changes nothing. Raises ActionForbidden, ApiKeyNotFound."""
    authorize_organization(principal, organization_id, Action.READ)
    authorize_keys(principal)
    api_key = key_store.revoke_api_key(tx, organization_id, api_key_id, principal_id=whose_keys(principal), now=now)
    if api_key is None:
        raise ApiKeyNotFound("There is no such API key.")
    if api_key.revoked_at == now:
        _record(tx, principal, ActivityAction.API_KEY_REVOKED, api_key)
    return api_key


def _record(tx: Transaction, principal: Principal, action: ActivityAction, api_key: ApiKey) -> None:
    record(
        tx,
        principal=principal,
        workspace_id=None,
        action=action,
        subject_kind=SubjectKind.API_KEY,
        subject_id=api_key.id,
        after={
            "member_id": api_key.principal_id,
            "name": api_key.name,
            "scopes": api_key.scopes,
            "workspace_ids": api_key.workspace_ids,
            "expires_at": api_key.expires_at,
        },
    )


def _check_expiry(expires_at: datetime, *, now: datetime) -> None:
    if expires_at <= now:
        raise InvalidIdentity("The time of expiry lies in the past.")
    try:
        expires_at.astimezone(UTC)
    except OverflowError as error:
        raise InvalidIdentity(
            "The time of expiry lies beyond the year 9999; leave it out for a key without end."
        ) from error


def authorize_keys(principal: Principal) -> None:
    """Let who may make, rotate or revoke keys at all pass, or raise ActionForbidden.

    Even for one's own it takes the scope admin, so that a leaked key for reading locks nobody out; and a key made on
    behalf of another would outlast that.
    """
    if KeyScope.ADMIN not in principal.scopes:
        raise ActionForbidden("Making, rotating and revoking API keys needs a key with the scope admin.")
    if principal.on_behalf_of is not None:
        raise ActionForbidden("API keys are not made, rotated or revoked on behalf of others.")


def whose_keys(principal: Principal) -> PrincipalId | None:
    """Return whose keys the principal sees and ends: None where it is everybody's, for an admin."""
    sees_all = is_allowed_organization(principal, principal.organization_id, Action.ADMINISTER)
    return None if sees_all else principal.id


def _authorize_for(principal: Principal, organization_id: OrganizationId, member_id: PrincipalId) -> None:
    action = Action.READ if member_id == principal.id else Action.ADMINISTER
    authorize_organization(principal, organization_id, action)
