"""Reads one job of a workspace."""

from chalicelib.database.transaction import Transaction
from chalicelib.identity.model import Principal, WorkspaceId
from chalicelib.identity.rights import Action, authorize
from chalicelib.jobs import store
from chalicelib.jobs.errors import JobNotFound
from chalicelib.jobs.model import Job, JobId


def read_job(tx: Transaction, *, principal: Principal, workspace_id: WorkspaceId, job_id: JobId) -> Job:
    """Return the job. Raises JobNotFound, for a job of another workspace as well."""
    authorize(principal, workspace_id, Action.OPERATE)
    job = store.find_workspace_job(tx, job_id, workspace_id=workspace_id)
    if job is None:
        raise JobNotFound("There is no such job in this workspace.")
    return job
