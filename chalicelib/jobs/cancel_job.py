"""Cancels a job, whether it waits or runs."""

from chalicelib.audit.model import ActivityAction, SubjectKind
from chalicelib.audit.record_activity import record
from chalicelib.database.transaction import Transaction
from chalicelib.identity.model import Principal, WorkspaceId
from chalicelib.identity.rights import Action, authorize
from chalicelib.jobs import store
from chalicelib.jobs.errors import JobCancelled, JobIsOver, JobNotFound
from chalicelib.jobs.handlers import Handlers
from chalicelib.jobs.model import Job, JobId, JobState
from chalicelib.jobs.problem import Problem
from chalicelib.jobs.queue import JobQueue

_OVER = frozenset({JobState.DONE, JobState.CANCELLED})


def cancel_job(
    tx: Transaction,
    *,
    principal: Principal,
    workspace_id: WorkspaceId,
    job_id: JobId,
    queue: JobQueue,
    handlers: Handlers,
) -> Job:
    """Cancel the job and return it; a running one keeps its worker busy but has no effect any more.

    A dead one is given up for good. What it was about is told by the kind's `on_dead` hook, so that
    nothing goes on showing "indexing". Raises JobNotFound, and JobIsOver where it is done or cancelled.
    """
    authorize(principal, workspace_id, Action.OPERATE)
    job = store.lock_workspace_job(tx, job_id, workspace_id=workspace_id)
    if job is None:
        raise JobNotFound("There is no such job in this workspace.")
    if job.state in _OVER:
        raise JobIsOver(f"The job is {job.state} already.", state=str(job.state))
    problem = Problem(JobCancelled.problem_type(), JobCancelled.title(), "Somebody cancelled the work. Retry to do it.")
    now = queue.clock.now()
    recorded = problem.recorded(attempt=job.attempts, at=now)
    store.finish_job(tx, job.id, state=JobState.CANCELLED, last_error=recorded, now=now)
    if job.state is not JobState.DEAD and job.kind in handlers:
        handlers[job.kind].on_dead(tx, job, problem)
    queue.ring_successor(tx, job.serial_key)
    record(
        tx,
        principal=principal,
        workspace_id=workspace_id,
        action=ActivityAction.JOB_CANCELLED,
        subject_kind=SubjectKind.JOB,
        subject_id=job.id,
        before={"kind": job.kind, "state": job.state},
        after={"state": JobState.CANCELLED},
    )
    cancelled = store.find_workspace_job(tx, job_id, workspace_id=workspace_id)
    return cancelled or job
