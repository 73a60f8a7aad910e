"""Reads and writes environments in the database."""

from collections.abc import Sequence
from uuid import UUID

from chalicelib.database.statements import load_statements
from chalicelib.database.transaction import Transaction
from chalicelib.identity.model import Environment, EnvironmentId, OrganizationId

_SQL = load_statements(__package__, "environments.sql")


def insert_environment(
    tx: Transaction, organization_id: OrganizationId, *, environment_id: UUID, slug: str
) -> Environment | None:
    """Add an environment; None where the organization has it already."""
    row = tx.fetch_one(_SQL["insert_environment"], organization_id=organization_id, id=environment_id, slug=slug)
    return Environment(**row) if row else None


def list_environments(tx: Transaction, organization_id: OrganizationId) -> Sequence[Environment]:
    """Read an organization's environments, in order of their slugs."""
    return [Environment(**row) for row in tx.fetch_all(_SQL["list_environments"], organization_id=organization_id)]


def hold_environment(tx: Transaction, organization_id: OrganizationId, slug: str) -> bool:
    """Tell whether an environment exists, and keep it until the transaction ends.

    Whoever is about to write its slug into a row calls this before.
    """
    return tx.fetch_one(_SQL["hold_environment"], organization_id=organization_id, slug=slug) is not None


def lock_environment(
    tx: Transaction, organization_id: OrganizationId, environment_id: EnvironmentId
) -> Environment | None:
    """Read an environment and keep others from using it until the transaction ends."""
    row = tx.fetch_one(_SQL["lock_environment"], organization_id=organization_id, environment_id=environment_id)
    return Environment(**row) if row else None


def count_uses(tx: Transaction, organization_id: OrganizationId, slug: str) -> tuple[int, int]:
    """Count the agents, and the folders and items, that are in an environment."""
    row = tx.fetch_one(_SQL["count_uses"], organization_id=organization_id, slug=slug)
    return (row["agents"], row["settings"]) if row else (0, 0)


def delete_environment(tx: Transaction, organization_id: OrganizationId, environment_id: EnvironmentId) -> None:
    """Remove an environment that nothing uses."""
    tx.execute(_SQL["delete_environment"], organization_id=organization_id, environment_id=environment_id)
