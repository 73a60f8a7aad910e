"""Finds what jobs are about: the paths of the items and uploads that their keys name."""

from collections.abc import Mapping, Sequence
from uuid import UUID

from chalicelib.access.readers import audiences_of
from chalicelib.database.transaction import Transaction
from chalicelib.identity.model import Principal, WorkspaceId
from chalicelib.identity.rights import Action, authorize
from chalicelib.intake import store
from chalicelib.jobs.model import Job, JobId


def subjects_of_jobs(
    tx: Transaction, *, principal: Principal, workspace_id: WorkspaceId, jobs: Sequence[Job]
) -> Mapping[JobId, str]:
    """Return the paths that jobs are about; one about something that the principal may not read is missing."""
    authorize(principal, workspace_id, Action.READ)
    ids_by_job = {job.id: UUID(job.key) for job in jobs if _is_id(job.key)}
    if not ids_by_job:
        return {}
    paths = store.list_subjects(
        tx, workspace_id, list(ids_by_job.values()), audiences=audiences_of(tx, principal, workspace_id)
    )
    return {job_id: paths[id_] for job_id, id_ in ids_by_job.items() if id_ in paths}


def _is_id(key: str) -> bool:
    try:
        UUID(key)
    except ValueError:
        return False
    return True
