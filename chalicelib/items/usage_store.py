"""Reads and writes what workspaces have used up."""

from collections.abc import Mapping

from chalicelib.database.statements import load_statements
from chalicelib.database.transaction import Row, Transaction
from chalicelib.identity.model import WorkspaceId

_SQL = load_statements(__package__, "usage.sql")


def add_usage(
    tx: Transaction, workspace_id: WorkspaceId, deltas: Mapping[str, int]
) -> tuple[Mapping[str, int], Mapping[str, int]]:
    """Count deltas; return use and the workspace's own limits, by name."""
    names = ("items", "uploads", "original_bytes", "body_bytes", "chunks", "citations")
    row = tx.fetch_one(_SQL["add_usage"], workspace_id=workspace_id, **{name: deltas.get(name, 0) for name in names})
    return _usage(row)


def find_usage(tx: Transaction, workspace_id: WorkspaceId) -> tuple[Mapping[str, int], Mapping[str, int]]:
    """Return use and the workspace's own limits, by name."""
    return _usage(tx.fetch_one(_SQL["find_usage"], workspace_id=workspace_id))


def _usage(row: Row | None) -> tuple[Mapping[str, int], Mapping[str, int]]:
    if row is None:
        raise LookupError("a workspace without a row has no usage")
    usage = dict(row)
    return usage, usage.pop("quotas")
