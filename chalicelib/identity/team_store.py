"""Reads and writes teams in the database."""

from collections.abc import Sequence
from uuid import UUID

from psycopg import errors as pg

from chalicelib.database.statements import load_statements
from chalicelib.database.transaction import Transaction
from chalicelib.identity.errors import TeamNameTaken
from chalicelib.identity.model import OrganizationId, PrincipalId, PrincipalKind, Team, TeamId, TeamMember

_SQL = load_statements(__package__, "teams.sql")


def insert_team(tx: Transaction, organization_id: OrganizationId, *, team_id: UUID, name: str) -> Team:
    """Add a team. Raises TeamNameTaken."""
    row = tx.fetch_one(_SQL["insert_team"], organization_id=organization_id, id=team_id, name=name)
    if row is None:
        raise TeamNameTaken("Another team has this name.", name=name)
    return Team(**row)


def list_teams(
    tx: Transaction,
    organization_id: OrganizationId,
    *,
    team_id: TeamId | None = None,
    principal_id: PrincipalId | None,
    after: UUID | None = None,
    limit: int = 1,
) -> Sequence[Team]:
    """Read teams in order of their ids: all of the organization, or those that a principal is in."""
    rows = tx.fetch_all(
        _SQL["list_teams"],
        organization_id=organization_id,
        team_id=team_id,
        principal_id=principal_id,
        after=after,
        limit=limit,
    )
    return [Team(**row) for row in rows]


def rename_team(tx: Transaction, organization_id: OrganizationId, team_id: TeamId, *, name: str) -> Team | None:
    """Give a team another name; None where there is none. Raises TeamNameTaken."""
    try:
        row = tx.fetch_one(_SQL["rename_team"], organization_id=organization_id, team_id=team_id, name=name)
    except pg.UniqueViolation as error:
        raise TeamNameTaken("Another team has this name.", name=name) from error
    return Team(**row) if row else None


def delete_team(tx: Transaction, organization_id: OrganizationId, team_id: TeamId) -> bool:
    """Remove a team; False where there is none."""
    return bool(tx.execute(_SQL["delete_team"], organization_id=organization_id, team_id=team_id))


def list_team_members(
    tx: Transaction, organization_id: OrganizationId, team_id: TeamId, *, after: UUID | None, limit: int
) -> Sequence[TeamMember]:
    """Read who is in a team, in order of their ids."""
    rows = tx.fetch_all(
        _SQL["list_team_members"], organization_id=organization_id, team_id=team_id, after=after, limit=limit
    )
    return [TeamMember(**row) for row in rows]


def hold_team(tx: Transaction, organization_id: OrganizationId, team_id: TeamId) -> bool:
    """Tell whether a team exists, and keep it until the transaction ends."""
    return tx.fetch_one(_SQL["hold_team"], organization_id=organization_id, team_id=team_id) is not None


def find_kind(tx: Transaction, organization_id: OrganizationId, principal_id: PrincipalId) -> PrincipalKind | None:
    """Read what a principal is, and keep it until the transaction ends; None where there is none."""
    row = tx.fetch_one(_SQL["find_kind"], organization_id=organization_id, principal_id=principal_id)
    return PrincipalKind(row["kind"]) if row else None


def put_team_member(
    tx: Transaction, organization_id: OrganizationId, team_id: TeamId, principal_id: PrincipalId
) -> bool:
    """Put a principal that is held into a team that is held; False where it is in it."""
    return bool(
        tx.execute(_SQL["put_team_member"], organization_id=organization_id, team_id=team_id, principal_id=principal_id)
    )


def delete_team_member(
    tx: Transaction, organization_id: OrganizationId, team_id: TeamId, principal_id: PrincipalId
) -> bool:
    """Take a principal out of a team; False where it was not in it."""
    return bool(
        tx.execute(
            _SQL["delete_team_member"], organization_id=organization_id, team_id=team_id, principal_id=principal_id
        )
    )
