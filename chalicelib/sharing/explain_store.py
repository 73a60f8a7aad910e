"""Reads who is in an audience, and the names and grants that explanations show, in the database."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from psycopg.types.json import Jsonb

from chalicelib.access.model import Audience, GrantAction, GrantId
from chalicelib.database.statements import filled, load_statements
from chalicelib.database.transaction import Row, Transaction
from chalicelib.identity.model import (
    OrganizationId,
    OrganizationRole,
    Principal,
    PrincipalId,
    PrincipalKind,
    WorkspaceId,
    WorkspaceRole,
)
from chalicelib.sharing.explain_model import Named

_LOADED = load_statements(__package__, "explain.sql")
_SQL = filled(_LOADED, {"readers": _LOADED["readers"]})


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenGrant:
    """A grant with the access token of its grantee and the name of who gave it."""

    id: GrantId
    subject_id: UUID
    action: GrantAction
    token: str
    granted_by: PrincipalId | None
    granted_by_name: str | None
    granted_at: datetime


def list_readers(
    tx: Transaction,
    organization_id: OrganizationId,
    workspace_id: WorkspaceId,
    audience: Audience,
    *,
    after: UUID | None,
    limit: int,
) -> Sequence[Principal]:
    """Read the living principals of the organization that are in an audience, in order of their ids.

    They know their role in this workspace alone, and have no scopes.
    """
    rows = tx.fetch_all(
        _SQL["list_readers"], **_asked(organization_id, workspace_id, audience), after=after, limit=limit
    )
    return [_principal(row, organization_id, workspace_id) for row in rows]


def count_readers(
    tx: Transaction, organization_id: OrganizationId, workspace_id: WorkspaceId, audience: Audience
) -> Mapping[PrincipalKind, int]:
    """Count by kind the living principals of the organization that are in an audience."""
    rows = tx.fetch_all(_SQL["count_readers"], **_asked(organization_id, workspace_id, audience))
    return dict.fromkeys(PrincipalKind, 0) | {PrincipalKind(row["kind"]): row["count"] for row in rows}


def list_grants_to(
    tx: Transaction, workspace_id: WorkspaceId, *, subject_ids: Collection[UUID], tokens: Collection[str]
) -> Sequence[GivenGrant]:
    """Read the grants on some folders and items to whoever these access tokens stand for."""
    rows = tx.fetch_all(
        _SQL["list_grants_to"], workspace_id=workspace_id, subject_ids=list(subject_ids), tokens=list(tokens)
    )
    return [GivenGrant(**{**row, "action": GrantAction(row["action"])}) for row in rows]


def list_names(tx: Transaction, organization_id: OrganizationId, ids: Collection[UUID]) -> Sequence[Named]:
    """Read what teams and members of the organization are called, in order of their names."""
    rows = tx.fetch_all(_SQL["list_names"], organization_id=organization_id, ids=list(ids))
    return [Named(row["kind"], row["id"], row["name"]) for row in rows]


def _asked(organization_id: OrganizationId, workspace_id: WorkspaceId, audience: Audience) -> dict[str, object]:
    return {
        "organization_id": organization_id,
        "workspace_id": workspace_id,
        "clauses": Jsonb([list(clause) for clause in audience.texts()]),
        "environment": audience.environment,
    }


def _principal(row: Row, organization_id: OrganizationId, workspace_id: WorkspaceId) -> Principal:
    organization_role = OrganizationRole(row["organization_role"])
    role = WorkspaceRole(row["role"] or WorkspaceRole.GUEST)
    return Principal(
        id=row["id"],
        organization_id=organization_id,
        kind=PrincipalKind(row["kind"]),
        name=row["name"],
        organization_role=organization_role,
        roles_by_workspace={workspace_id: WorkspaceRole.OWNER if organization_role is OrganizationRole.ADMIN else role},
        scopes=frozenset(),
        team_ids=frozenset(row["team_ids"]),
        environment=row["environment"],
    )
