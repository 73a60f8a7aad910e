"""Gives an API key a successor, and lets the old one go on for a while, so that nothing stands still."""

from datetime import datetime, timedelta

from chalicelib.audit.model import ActivityAction, SubjectKind
from chalicelib.audit.record_activity import record
from chalicelib.database.ids import new_id
from chalicelib.database.transaction import Transaction
from chalicelib.identity import key_store
from chalicelib.identity.credentials import hash_credential, new_credential
from chalicelib.identity.errors import ApiKeyNotFound, ApiKeyOver, InvalidIdentity
from chalicelib.identity.manage_api_keys import IssuedApiKey, authorize_keys, whose_keys
from chalicelib.identity.model import ApiKey, ApiKeyId, OrganizationId, Principal
from chalicelib.identity.rights import Action, ActionForbidden, authorize_organization

LONGEST_OVERLAP = timedelta(days=30)
DEFAULT_OVERLAP = timedelta(hours=24)


def rotate_api_key(
    tx: Transaction,
    *,
    principal: Principal,
    organization_id: OrganizationId,
    api_key_id: ApiKeyId,
    overlap: timedelta = DEFAULT_OVERLAP,
    pepper: bytes,
    now: datetime,
) -> IssuedApiKey:
    """Make a key of the same name, member, scopes, workspaces and length of life; the old one ends after `overlap`.

    It ends no later than it would have anyway. Whoever rotates needs the rights to make such a key.
    Raises ActionForbidden, ApiKeyNotFound, ApiKeyOver, InvalidIdentity.
    """
    authorize_organization(principal, organization_id, Action.READ)
    authorize_keys(principal)
    if not timedelta() <= overlap <= LONGEST_OVERLAP:
        raise InvalidIdentity("The old key may go on for 0 seconds to 30 days.")
    old = key_store.lock_api_key(tx, organization_id, api_key_id, principal_id=whose_keys(principal))
    if old is None:
        raise ApiKeyNotFound("There is no such API key.")
    _check_reach(principal, old)
    if old.rotated_to is not None or old.revoked_at is not None or (old.expires_at and old.expires_at <= now):
        raise ApiKeyOver("The key has expired, been revoked or been rotated; make a new one, or rotate its successor.")
    credential = new_credential()
    successor = key_store.insert_api_key(
        tx,
        api_key_id=new_id(),
        organization_id=organization_id,
        principal_id=old.principal_id,
        name=old.name,
        prefix=credential.prefix,
        secret_hash=hash_credential(credential, pepper=pepper),
        scopes=old.scopes,
        workspace_ids=old.workspace_ids,
        created_by=principal.id,
        expires_at=_end_of_successor(old, now=now),
        rotated_from=old.id,
    )
    key_store.end_api_key(tx, old.id, ends_at=now + overlap, now=now)
    record(
        tx,
        principal=principal,
        workspace_id=None,
        action=ActivityAction.API_KEY_ROTATED,
        subject_kind=SubjectKind.API_KEY,
        subject_id=old.id,
        before={"member_id": old.principal_id, "expires_at": old.expires_at},
        after={"rotated_to": successor.id, "ends_at": now + overlap},
    )
    return IssuedApiKey(successor, credential.token)


def _check_reach(principal: Principal, old: ApiKey) -> None:
    if not old.scopes <= principal.scopes:
        raise ActionForbidden("A key cannot be given scopes that the key in use lacks.")
    if principal.is_limited and not (
        old.workspace_ids is not None and frozenset(old.workspace_ids) <= frozenset(principal.roles_by_workspace)
    ):
        raise ActionForbidden("A key cannot be given workspaces that the key in use does not reach.")


def _end_of_successor(old: ApiKey, *, now: datetime) -> datetime | None:
    if old.expires_at is None:
        return None
    try:
        return now + (old.expires_at - old.created_at)
    except OverflowError:
        return old.expires_at
