"""Locks what lies in a folder, and puts it into the trash."""

from collections.abc import Sequence

from chalicelib.access.model import Audiences
from chalicelib.database.statements import load_statements
from chalicelib.database.transaction import Transaction
from chalicelib.identity.model import PrincipalId, WorkspaceId
from chalicelib.items.model import ItemId

_SQL = load_statements(__package__, "folder_deletion.sql")


def lock_folder_items(
    tx: Transaction, workspace_id: WorkspaceId, folder: str, *, audiences: Audiences
) -> Sequence[ItemId]:
    """Lock the readable living items in a folder."""
    rows = tx.fetch_all(_SQL["lock_folder_items"], workspace_id=workspace_id, folder=folder, audiences=audiences)
    return [ItemId(row["id"]) for row in rows]


def bury_items(
    tx: Transaction, workspace_id: WorkspaceId, item_ids: Sequence[ItemId], *, principal_id: PrincipalId
) -> None:
    """Leave tombstones where items lived that this transaction has locked."""
    tx.execute(_SQL["bury_items"], workspace_id=workspace_id, item_ids=list(item_ids), principal_id=principal_id)
