"""Turns a bearer token into the principal that asks."""

import hmac
from dataclasses import replace
from datetime import datetime, timedelta

from chalicelib.database.transaction import Row, Transaction
from chalicelib.identity import key_store, store
from chalicelib.identity.credentials import hash_credential, parse_credential
from chalicelib.identity.errors import Unauthenticated
from chalicelib.identity.model import ApiKeyId, KeyScope, OrganizationRole, Principal

REFUSAL = "The API key is missing, unknown, expired or revoked."
"""Said for every reason and to tokens of issuers too, so that nobody learns which of them it was."""
_LAST_USE_PRECISION = timedelta(minutes=1)


def authenticate(tx: Transaction, token: str, *, pepper: bytes, now: datetime) -> Principal:
    """Return who holds this API key. Raises Unauthenticated, in the same words for every reason.

    Roles are read on every request, so that a change of them or a revocation works on the next one.
    """
    credential = parse_credential(token)
    row = key_store.find_credential(tx, credential.prefix) if credential else None
    if credential is None or row is None or not _is_valid(row, hash_credential(credential, pepper=pepper), now):
        raise Unauthenticated(REFUSAL)
    last_used_at = row["last_used_at"]
    if last_used_at is None or now - last_used_at > _LAST_USE_PRECISION:
        key_store.touch_api_key(tx, ApiKeyId(row["api_key_id"]), now=now)
    # A key that reaches some workspaces alone has no say over the whole organization.
    role = OrganizationRole.MEMBER if row["is_limited"] else OrganizationRole(row["organization_role"])
    scopes = frozenset(KeyScope(scope) for scope in row["scopes"])
    return replace(
        store.principal_of(row),
        organization_role=role,
        scopes=scopes,
        is_limited=row["is_limited"],
        api_key_id=ApiKeyId(row["api_key_id"]),
    )


def _is_valid(row: Row, secret_hash: bytes, now: datetime) -> bool:
    return (
        hmac.compare_digest(bytes(row["secret_hash"]), secret_hash)
        and row["revoked_at"] is None
        and row["disabled_at"] is None
        and (row["expires_at"] is None or row["expires_at"] > now)
    )
