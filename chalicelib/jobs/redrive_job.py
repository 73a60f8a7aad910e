"""Gives a dead job another life."""

from chalicelib.audit.model import ActivityAction, SubjectKind
from chalicelib.audit.record_activity import record
from chalicelib.database.transaction import Transaction
from chalicelib.identity.model import Principal, WorkspaceId
from chalicelib.identity.rights import Action, authorize
from chalicelib.jobs import store
from chalicelib.jobs.errors import JobIsNotDead, JobNotFound
from chalicelib.jobs.model import Job, JobId, JobState
from chalicelib.jobs.queue import JobQueue
from chalicelib.platform.ports import Ring


def redrive_job(
    tx: Transaction, *, principal: Principal, workspace_id: WorkspaceId, job_id: JobId, queue: JobQueue
) -> Job:
    """Let the job wait again with all its attempts; why it died stays in its history.

    Raises JobNotFound, and JobIsNotDead where it is in any other state.
    """
    authorize(principal, workspace_id, Action.OPERATE)
    job = store.lock_workspace_job(tx, job_id, workspace_id=workspace_id)
    if job is None:
        raise JobNotFound("There is no such job in this workspace.")
    if job.state is not JobState.DEAD:
        raise JobIsNotDead(f"The job is {job.state}.", state=str(job.state))
    store.redrive_job(tx, job_id, now=queue.clock.now())
    record(
        tx,
        principal=principal,
        workspace_id=workspace_id,
        action=ActivityAction.JOB_REDRIVEN,
        subject_kind=SubjectKind.JOB,
        subject_id=job.id,
        before={"kind": job.kind, "state": job.state},
        after={"state": JobState.WAITING},
    )
    queue.ring_after_commit(tx, Ring(job.id, job.kind))
    redriven = store.find_workspace_job(tx, job_id, workspace_id=workspace_id)
    return redriven or job
