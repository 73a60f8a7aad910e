"""Brings a workspace's items to what it wants, described or no longer so: the handler of the job `spread_contexts`."""

from uuid import UUID

from chalicelib.database.transaction import Transaction
from chalicelib.identity.model import WorkspaceId
from chalicelib.index import contexts_store
from chalicelib.index.contexts import promise_description
from chalicelib.index.describe_item import Describer
from chalicelib.index.promise_indexing import promise_indexing
from chalicelib.items.model import ItemId
from chalicelib.jobs.lease import LeasedJob
from chalicelib.jobs.queue import JobQueue

_BATCH = 200
_FIRST = ItemId(UUID(int=0))


def spread_contexts(job: LeasedJob, *, describer: Describer) -> None:
    """Promise descriptions of what has none; or, switched off, forget them and promise to index without them.

    In batches, each by what the workspace wants then. What a worker that died has not come to, the next one does.
    """
    if job.workspace_id is None:
        raise LookupError(f"job {job.id} names no workspace")
    workspace_id, after, is_over = WorkspaceId(job.workspace_id), _FIRST, False
    while not is_over:
        with job.fenced() as tx:
            if contexts_store.find_setting(tx, workspace_id, share=True) is None:
                is_over = _forget(tx, workspace_id, jobs=describer.jobs)
            elif describer.model is None:
                is_over = True
            else:
                items = contexts_store.list_undescribed(tx, workspace_id, after=after, limit=_BATCH)
                for item_id in items:
                    promise_description(tx, workspace_id, item_id, jobs=describer.jobs)
                after, is_over = items[-1] if items else after, len(items) < _BATCH


def _forget(tx: Transaction, workspace_id: WorkspaceId, *, jobs: JobQueue) -> bool:
    items = contexts_store.take_contexts(tx, workspace_id, limit=_BATCH)
    promise_indexing(tx, workspace_id, items, jobs=jobs)
    return len(items) < _BATCH
