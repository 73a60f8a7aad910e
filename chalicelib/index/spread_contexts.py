"""Brings a workspace's items to what it wants, described or no longer so: the handler of the job `spread_contexts`."""

from collections.abc import Sequence
from datetime import timedelta
from uuid import UUID

from chalicelib.database.transaction import Transaction
from chalicelib.identity.model import WorkspaceId
from chalicelib.index import contexts_store
from chalicelib.index.contexts import promise_description, promise_spreading
from chalicelib.index.describe_item import Describer
from chalicelib.index.promise_indexing import promise_indexing
from chalicelib.items.model import ItemId
from chalicelib.jobs.lease import LeasedJob
from chalicelib.jobs.queue import JobQueue

BATCH = 16
"""Items that work is promised for at once. The rest is promised behind it, and behind uploads that come meanwhile."""

_MOST_OPEN = 2 * BATCH
_LOOKS_AGAIN = timedelta(seconds=10)
"""How long it waits while the language model has enough to do, or is out of reach."""

_FIRST = UUID(int=0)


def spread_contexts(job: LeasedJob, *, describer: Describer) -> None:
    """Promise descriptions of what has none; or, switched off, forget them and promise to index without them.

    A batch at a time, by what the workspace wants then; the rest is left to another such job.
    """
    if job.workspace_id is None:
        raise LookupError(f"job {job.id} names no workspace")
    workspace_id, jobs = WorkspaceId(job.workspace_id), describer.jobs
    after = ItemId(UUID(str(job.payload.get("after", _FIRST))))
    with job.finish() as tx:
        if contexts_store.find_setting(tx, workspace_id, share=True) is None:
            items = contexts_store.take_contexts(tx, workspace_id, limit=BATCH)
            promise_indexing(tx, workspace_id, items, jobs=jobs)
            after = ItemId(_FIRST)
        elif describer.model is None:
            return
        elif contexts_store.count_open(tx, workspace_id) >= _MOST_OPEN:
            promise_spreading(tx, workspace_id, jobs=jobs, behind=after, wait=_LOOKS_AGAIN)
            return
        else:
            items = _promised(tx, workspace_id, after, jobs=jobs)
            after = items[-1] if items else after
        if len(items) == BATCH:
            promise_spreading(tx, workspace_id, jobs=jobs, behind=after)


def _promised(tx: Transaction, workspace_id: WorkspaceId, after: ItemId, *, jobs: JobQueue) -> Sequence[ItemId]:
    items = contexts_store.list_undescribed(tx, workspace_id, after=after, limit=BATCH)
    for item_id in items:
        promise_description(tx, workspace_id, item_id, jobs=jobs)
    return items
