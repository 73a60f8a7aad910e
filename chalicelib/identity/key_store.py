"""Reads and writes API keys in the database."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from uuid import UUID

from chalicelib.database.statements import filled, load_statements
from chalicelib.database.transaction import Row, Transaction
from chalicelib.identity.model import ApiKey, ApiKeyId, KeyScope, OrganizationId, PrincipalId, WorkspaceId
from chalicelib.identity.store import WHOLE_PRINCIPAL

_LOADED = load_statements(__package__, "api_keys.sql")
_SQL = filled(_LOADED, {**WHOLE_PRINCIPAL, "key_columns": _LOADED["key_columns"]})


def insert_api_key(
    tx: Transaction,
    *,
    api_key_id: UUID,
    organization_id: OrganizationId,
    principal_id: PrincipalId,
    name: str,
    prefix: str,
    secret_hash: bytes,
    scopes: Iterable[KeyScope],
    workspace_ids: Sequence[WorkspaceId] | None,
    created_by: PrincipalId | None,
    expires_at: datetime | None,
    rotated_from: ApiKeyId | None = None,
) -> ApiKey:
    """Add a key to a principal of the organization."""
    row = tx.fetch_one(
        _SQL["insert_api_key"],
        id=api_key_id,
        organization_id=organization_id,
        principal_id=principal_id,
        name=name,
        prefix=prefix,
        secret_hash=secret_hash,
        scopes=sorted(scopes),
        workspace_ids=None if workspace_ids is None else list(workspace_ids),
        created_by=created_by,
        expires_at=expires_at,
        rotated_from=rotated_from,
    )
    if row is None:
        raise LookupError("a statement that returns its row returned none")
    return _api_key(row)


def list_api_keys(
    tx: Transaction,
    organization_id: OrganizationId,
    *,
    principal_id: PrincipalId | None,
    after: UUID | None,
    limit: int,
) -> Sequence[ApiKey]:
    """Read keys in order of their ids."""
    rows = tx.fetch_all(
        _SQL["list_api_keys"], organization_id=organization_id, principal_id=principal_id, after=after, limit=limit
    )
    return [_api_key(row) for row in rows]


def revoke_api_key(
    tx: Transaction,
    organization_id: OrganizationId,
    api_key_id: ApiKeyId,
    *,
    principal_id: PrincipalId | None,
    now: datetime,
) -> ApiKey | None:
    """End a key; None where the organization (or the principal, if given) has no such key."""
    row = tx.fetch_one(
        _SQL["revoke_api_key"],
        organization_id=organization_id,
        api_key_id=api_key_id,
        principal_id=principal_id,
        now=now,
    )
    return _api_key(row) if row else None


def lock_api_key(
    tx: Transaction, organization_id: OrganizationId, api_key_id: ApiKeyId, *, principal_id: PrincipalId | None
) -> ApiKey | None:
    """Read and hold a key; None where the organization (or the principal, if given) has no such key."""
    held = tx.fetch_one(
        _SQL["lock_api_key"], organization_id=organization_id, api_key_id=api_key_id, principal_id=principal_id
    )
    row = tx.fetch_one(_SQL["read_locked_api_key"], api_key_id=api_key_id) if held else None
    return _api_key(row) if row else None


def end_api_key(tx: Transaction, api_key_id: ApiKeyId, *, ends_at: datetime, now: datetime) -> None:
    """Let a key work until then at most."""
    tx.execute(_SQL["end_api_key"], api_key_id=api_key_id, ends_at=ends_at, now=now)


def find_credential(tx: Transaction, prefix: str) -> Row | None:
    """Read a key's hash and everything that its principal is, by the key's prefix."""
    return tx.fetch_one(_SQL["authenticate"], prefix=prefix)


def touch_api_key(tx: Transaction, api_key_id: ApiKeyId, *, now: datetime) -> None:
    """Note that a key was used."""
    tx.execute(_SQL["touch_api_key"], api_key_id=api_key_id, now=now)


def _api_key(row: Row) -> ApiKey:
    values = dict(row)
    workspace_ids = values.pop("workspace_ids")
    return ApiKey(
        scopes=frozenset(KeyScope(scope) for scope in values.pop("scopes")),
        workspace_ids=None if workspace_ids is None else tuple(WorkspaceId(entry) for entry in workspace_ids),
        **values,
    )
