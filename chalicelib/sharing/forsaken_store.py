"""Finds the workspaces of an organization, and locks what some audiences have in one."""

from collections.abc import Sequence

from chalicelib.access.model import Audiences
from chalicelib.database.statements import load_statements
from chalicelib.database.transaction import Transaction
from chalicelib.identity.model import OrganizationId, WorkspaceId
from chalicelib.items.model import ItemId

_SQL = load_statements(__package__, "forsaken.sql")


def list_workspaces_of(tx: Transaction, organization_id: OrganizationId) -> Sequence[WorkspaceId]:
    """Read the workspaces of an organization in order of their ids."""
    rows = tx.fetch_all(_SQL["list_workspaces_of"], organization_id=organization_id)
    return [WorkspaceId(row["id"]) for row in rows]


def lock_items_of(tx: Transaction, workspace_id: WorkspaceId, *, audiences: Audiences) -> Sequence[ItemId]:
    """Lock the living items that have one of these audiences."""
    rows = tx.fetch_all(_SQL["lock_items_of"], workspace_id=workspace_id, audiences=audiences)
    return [ItemId(row["id"]) for row in rows]
