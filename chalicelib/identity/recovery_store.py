"""Reads from the database what whoever operates a deployment needs to get in again."""

from collections.abc import Sequence

from chalicelib.database.statements import load_statements
from chalicelib.database.transaction import Transaction
from chalicelib.identity.model import Organization, OrganizationId, PrincipalId

_SQL = load_statements(__package__, "recovery.sql")


def list_organizations(tx: Transaction, organization_id: OrganizationId | None) -> Sequence[Organization]:
    """Read one organization, or the oldest 20."""
    rows = tx.fetch_all(_SQL["list_organizations"], organization_id=organization_id)
    return [Organization(**row) for row in rows]


def find_admin(tx: Transaction, organization_id: OrganizationId) -> tuple[PrincipalId, str] | None:
    """Read the id and name of the living user who has been an admin for longest; None where there is none."""
    row = tx.fetch_one(_SQL["find_admin"], organization_id=organization_id)
    return (PrincipalId(row["id"]), row["name"]) if row else None
