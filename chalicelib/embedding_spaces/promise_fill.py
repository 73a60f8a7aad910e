"""Promises that workspaces are filled in a space, or rid of it; one of them at a time in each workspace."""

from chalicelib.database.transaction import Transaction
from chalicelib.embedding_spaces import fills_store, store
from chalicelib.embedding_spaces.model import FILL_SPACE, FORGET_SPACE, FillState
from chalicelib.identity.model import OrganizationId, WorkspaceId
from chalicelib.jobs.queue import JobQueue


def promise_fill(tx: Transaction, workspace_id: WorkspaceId, space: str, *, jobs: JobQueue) -> None:
    """Promise vectors for what has none in the space; what was counted of an earlier fill goes on."""
    fills_store.reopen_fill(tx, workspace_id, space)
    _enqueue(tx, workspace_id, space, kind=FILL_SPACE, jobs=jobs)


def promise_fills(
    tx: Transaction, organization_id: OrganizationId, space: str, *, jobs: JobQueue, anew: bool = False
) -> None:
    """Promise the same for all workspaces. `anew` counts from the beginning, and tries again what failed before."""
    for workspace_id in store.list_workspaces(tx, organization_id, space=space):
        if anew:
            fills_store.forget_failures(tx, workspace_id, space)
            fills_store.put_fill(tx, workspace_id, space, state=FillState.WAITING)
        promise_fill(tx, workspace_id, space, jobs=jobs)


def promise_forgetting(tx: Transaction, organization_id: OrganizationId, space: str, *, jobs: JobQueue) -> None:
    """Promise that no vector of the space is kept for an organization that has it no more."""
    for workspace_id in store.list_workspaces(tx, organization_id, space=space):
        fills_store.put_fill(tx, workspace_id, space, state=FillState.FORGETTING)
        _enqueue(tx, workspace_id, space, kind=FORGET_SPACE, jobs=jobs)


def _enqueue(tx: Transaction, workspace_id: WorkspaceId, space: str, *, kind: str, jobs: JobQueue) -> None:
    jobs.enqueue(
        tx,
        kind=kind,
        key=f"{workspace_id}:{space}",
        payload={"space": space},
        workspace_id=workspace_id,
        serial_key=f"vectors:{workspace_id}",
    )
