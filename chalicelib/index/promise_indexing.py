"""Promises that items which are in search are indexed again, as they are."""

from collections.abc import Iterable

from chalicelib.database.transaction import Transaction
from chalicelib.identity.model import WorkspaceId
from chalicelib.items.model import ItemId
from chalicelib.items.write_item import INDEX_ITEM
from chalicelib.jobs.queue import JobQueue


def promise_indexing(tx: Transaction, workspace_id: WorkspaceId, item_ids: Iterable[ItemId], *, jobs: JobQueue) -> None:
    """Promise it, joining what waits already. Until it is done searches see what is there."""
    for item_id in item_ids:
        jobs.enqueue(
            tx,
            kind=INDEX_ITEM,
            key=str(item_id),
            payload={"item_id": str(item_id)},
            workspace_id=workspace_id,
            serial_key=f"item:{item_id}",
        )
