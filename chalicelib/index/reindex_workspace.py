"""Indexes again what was indexed by another analysis, chunker or chunk size; searches see what is there until then."""

from datetime import timedelta

from chalicelib.audit.model import ActivityAction, SubjectKind
from chalicelib.audit.record_activity import record
from chalicelib.database.transaction import Transaction
from chalicelib.identity.model import Principal, WorkspaceId
from chalicelib.identity.rights import Action, authorize
from chalicelib.index import reindex_store
from chalicelib.index.promise_indexing import promise_indexing
from chalicelib.index.reindex_store import Reindexing
from chalicelib.jobs.lease import LeasedJob
from chalicelib.jobs.queue import JobQueue
from chalicelib.platform.ports import Ring

REINDEX_WORKSPACE = "reindex_workspace"
"""The kind of the job that has stale items indexed again, few at a time."""

_AT_ONCE = 20
"""Index jobs that are open at most, so that an upload waits for these and no more."""

_FIRST_WAIT = timedelta(seconds=1)
_LONGEST_WAIT = timedelta(minutes=10)
"""Where nothing moves (the embedder is away, a budget is spent) it looks ever more seldom."""


def start_reindexing(
    tx: Transaction, *, principal: Principal, workspace_id: WorkspaceId, makes: str, jobs: JobQueue
) -> Reindexing:
    """Promise that what is stale is indexed again; chunks that come out the same are neither embedded nor written.

    Idempotent: where it is under way, or nothing is stale, nothing more happens.
    """
    authorize(principal, workspace_id, Action.OPERATE)
    present = reindex_store.read_reindexing(tx, workspace_id, makes=makes)
    if present.stale and not present.is_running:
        _enqueue(tx, workspace_id, jobs=jobs, wait=timedelta(0))
        record(
            tx,
            principal=principal,
            workspace_id=workspace_id,
            action=ActivityAction.WORKSPACE_REINDEXED,
            subject_kind=SubjectKind.WORKSPACE,
            subject_id=workspace_id,
            after={"stale": present.stale},
        )
    return reindex_store.read_reindexing(tx, workspace_id, makes=makes)


def read_reindexing(tx: Transaction, *, principal: Principal, workspace_id: WorkspaceId, makes: str) -> Reindexing:
    """Return how much is stale. Raises WorkspaceNotFound, ActionForbidden."""
    authorize(principal, workspace_id, Action.OPERATE)
    return reindex_store.read_reindexing(tx, workspace_id, makes=makes)


def reindex_workspace(job: LeasedJob, *, makes: str, jobs: JobQueue) -> None:
    """Promise the indexing of some stale items, and itself again until none is left. Raises LeaseLost."""
    if job.workspace_id is None:
        raise LookupError(f"job {job.id} names no workspace")
    workspace_id = WorkspaceId(job.workspace_id)
    with job.finish() as tx:
        room = max(0, _AT_ONCE - reindex_store.count_indexing(tx, workspace_id))
        stale = reindex_store.list_stale(tx, workspace_id, makes=makes, limit=room) if room else []
        promise_indexing(tx, workspace_id, stale, jobs=jobs)
        if stale or reindex_store.read_reindexing(tx, workspace_id, makes=makes).stale:
            waited = timedelta(seconds=float(str(job.payload.get("waited", 0.0))))
            wait = _FIRST_WAIT if stale else min(max(_FIRST_WAIT, waited * 2), _LONGEST_WAIT)
            _enqueue(tx, workspace_id, jobs=jobs, wait=wait)


def _enqueue(tx: Transaction, workspace_id: WorkspaceId, *, jobs: JobQueue, wait: timedelta) -> None:
    job_id = jobs.enqueue(
        tx,
        kind=REINDEX_WORKSPACE,
        key=str(workspace_id),
        payload={"waited": wait.total_seconds()},
        workspace_id=workspace_id,
        not_before=jobs.clock.now() + wait if wait else None,
    )
    if wait:
        jobs.ring_after_commit(tx, Ring(job_id, REINDEX_WORKSPACE, after=wait))
