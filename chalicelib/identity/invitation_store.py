"""Reads and writes invitations in the database."""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from uuid import UUID

from chalicelib.database.statements import load_statements
from chalicelib.database.transaction import Row, Transaction
from chalicelib.identity.model import (
    Invitation,
    InvitationId,
    OrganizationId,
    OrganizationRole,
    PrincipalId,
    WorkspaceId,
    WorkspaceRole,
)
from chalicelib.identity.store import parse_roles

_SQL = load_statements(__package__, "invitations.sql")


def insert_invitation(
    tx: Transaction,
    organization_id: OrganizationId,
    *,
    invitation_id: UUID,
    email: str,
    organization_role: OrganizationRole,
    roles_by_workspace: Mapping[WorkspaceId, WorkspaceRole],
    prefix: str,
    secret_hash: bytes,
    invited_by: PrincipalId,
    now: datetime,
    expires_at: datetime,
) -> Invitation:
    """Add an invitation."""
    row = tx.fetch_one(
        _SQL["insert_invitation"],
        organization_id=organization_id,
        id=invitation_id,
        email=email,
        organization_role=organization_role,
        roles=json.dumps({str(workspace_id): role for workspace_id, role in roles_by_workspace.items()}),
        prefix=prefix,
        secret_hash=secret_hash,
        invited_by=invited_by,
        now=now,
        expires_at=expires_at,
    )
    if row is None:
        raise LookupError("a statement that returns its row returned none")
    return _invitation(row)


def list_invitations(
    tx: Transaction,
    organization_id: OrganizationId,
    *,
    invitation_id: InvitationId | None = None,
    after: UUID | None = None,
    limit: int = 1,
) -> Sequence[Invitation]:
    """Read invitations in order of their ids."""
    rows = tx.fetch_all(
        _SQL["list_invitations"],
        organization_id=organization_id,
        invitation_id=invitation_id,
        after=after,
        limit=limit,
    )
    return [_invitation(row) for row in rows]


def revoke_invitation(
    tx: Transaction, organization_id: OrganizationId, invitation_id: InvitationId, *, now: datetime
) -> Invitation | None:
    """End an invitation; None where there is none that nobody has accepted."""
    row = tx.fetch_one(_SQL["revoke_invitation"], organization_id=organization_id, invitation_id=invitation_id, now=now)
    return _invitation(row) if row else None


def lock_invitation(tx: Transaction, prefix: str, *, now: datetime) -> tuple[Invitation, bytes] | None:
    """Read and hold an open invitation with the hash of its token; None where there is none."""
    row = tx.fetch_one(_SQL["lock_invitation"], prefix=prefix, now=now)
    if row is None:
        return None
    values = dict(row)
    secret_hash = bytes(values.pop("secret_hash"))
    return _invitation(values), secret_hash


def hold_inviter(tx: Transaction, principal_id: PrincipalId) -> bool:
    """Keep a principal from being changed until the transaction ends; False where there is none."""
    return tx.fetch_one(_SQL["hold_inviter"], principal_id=principal_id) is not None


def accept_invitation(tx: Transaction, invitation_id: InvitationId, *, accepted_by: PrincipalId, now: datetime) -> None:
    """Note who accepted an invitation that is held."""
    tx.execute(_SQL["accept_invitation"], invitation_id=invitation_id, accepted_by=accepted_by, now=now)


def is_email_taken(tx: Transaction, organization_id: OrganizationId, email: str) -> bool:
    """Tell whether a user of the organization has this email address."""
    return tx.fetch_one(_SQL["find_email"], organization_id=organization_id, email=email) is not None


def _invitation(row: Row) -> Invitation:
    values = dict(row)
    return Invitation(
        organization_role=OrganizationRole(values.pop("organization_role")),
        roles_by_workspace=parse_roles(values.pop("roles")),
        **values,
    )
