"""Reads which audiences nobody is in any more, because those whom they left it to are removed."""

from chalicelib.access.model import AudienceId, Audiences
from chalicelib.database.statements import load_statements
from chalicelib.database.transaction import Transaction
from chalicelib.identity.model import WorkspaceId

_SQL = load_statements(__package__, "forsaken.sql")


def list_forsaken(tx: Transaction, workspace_id: WorkspaceId) -> Audiences:
    """Read the audiences whose only readers are removed from the organization; the disabled are not."""
    return [AudienceId(row["id"]) for row in tx.fetch_all(_SQL["list_forsaken"], workspace_id=workspace_id)]
