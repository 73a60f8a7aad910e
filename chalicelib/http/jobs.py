"""The jobs of a workspace: seen, cancelled and redriven by its owners."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from pydantic import Field

from chalicelib.http.cursors import Page, cut_page, read_position
from chalicelib.http.errors import InvalidCursor
from chalicelib.http.item_resources import ReasonResource, reason_resource
from chalicelib.http.routing import Answer, Call, NoBody, NoQuery, Resource, Routes
from chalicelib.identity.errors import WorkspaceNotFound
from chalicelib.identity.rights import ActionForbidden
from chalicelib.intake.subjects_of_jobs import subjects_of_jobs
from chalicelib.jobs.cancel_job import cancel_job
from chalicelib.jobs.errors import JobIsNotDead, JobIsOver, JobNotFound
from chalicelib.jobs.list_jobs import list_jobs
from chalicelib.jobs.model import Job, JobId, JobState
from chalicelib.jobs.read_job import read_job
from chalicelib.jobs.redrive_job import redrive_job

routes = Routes("jobs")

_JOBS = "/v1/workspaces/{workspace_id}/jobs"
_JOB = "/v1/workspaces/{workspace_id}/jobs/{job_id}"
_PROBLEMS = (WorkspaceNotFound, JobNotFound, ActionForbidden)


class JobResource(Resource):
    """Promised work. `key` is the id of what it is about, `reason` why its last attempt failed."""

    id: UUID
    kind: str
    key: str
    path: str | None = Field(description="Of the item or upload, unless that is gone or not for the caller to read.")
    state: JobState
    attempts: int
    not_before: datetime
    reason: ReasonResource | None
    correlation_id: str | None
    created_at: datetime
    created_by: UUID | None
    updated_at: datetime
    finished_at: datetime | None


class JobList(Resource):
    """A page of jobs, the newest first."""

    jobs: Sequence[JobResource]
    next_cursor: str | None


class JobListQuery(Page):
    """Which jobs to list."""

    state: Sequence[JobState] = ()
    kind: str | None = None


@routes.on(
    "GET",
    _JOBS,
    query=JobListQuery,
    body=NoBody,
    answers={200: JobList},
    problems=(WorkspaceNotFound, ActionForbidden, InvalidCursor),
)
def list_workspace_jobs(call: Call[JobListQuery, NoBody]) -> Answer:
    """List jobs, the newest first."""
    position = read_position(call)
    jobs = list_jobs(
        call.tx,
        principal=call.principal,
        workspace_id=call.workspace_id,
        states=call.query.state or None,
        kind=call.query.kind,
        after=None if position is None else (datetime.fromisoformat(position[0]), UUID(position[1])),
        limit=call.query.limit + 1,
    )
    shown, next_cursor = cut_page(call, jobs, position_of=lambda job: [job.created_at.isoformat(), str(job.id)])
    return Answer(body=JobList(jobs=_job_resources(call, shown), next_cursor=next_cursor))


@routes.on("GET", _JOB, query=NoQuery, body=NoBody, answers={200: JobResource}, problems=_PROBLEMS)
def show_job(call: Call[NoQuery, NoBody]) -> Answer:
    """Show a job."""
    job = read_job(call.tx, principal=call.principal, workspace_id=call.workspace_id, job_id=_job_id(call))
    return Answer(body=_job_resource(call, job))


def show_job_again(call: Call[Any, Any], job_id: UUID) -> Answer:
    """Show a job to who repeats a request about it."""
    job = read_job(call.tx, principal=call.principal, workspace_id=call.workspace_id, job_id=JobId(job_id))
    return Answer(body=_job_resource(call, job))


@routes.on(
    "POST",
    f"{_JOB}/cancel",
    query=NoQuery,
    body=NoBody,
    answers={200: JobResource},
    problems=(*_PROBLEMS, JobIsOver),
    show_again=show_job_again,
)
def cancel_job_at(call: Call[NoQuery, NoBody]) -> Answer:
    """Cancel a job, whether it waits or runs."""
    job = cancel_job(
        call.tx,
        principal=call.principal,
        workspace_id=call.workspace_id,
        job_id=_job_id(call),
        queue=call.application.jobs,
        handlers=call.application.handlers,
    )
    return Answer(body=_job_resource(call, job), about=job.id)


@routes.on(
    "POST",
    f"{_JOB}/redrive",
    query=NoQuery,
    body=NoBody,
    answers={202: JobResource},
    problems=(*_PROBLEMS, JobIsNotDead),
    show_again=show_job_again,
)
def redrive_job_at(call: Call[NoQuery, NoBody]) -> Answer:
    """Let a dead job try again."""
    job = redrive_job(
        call.tx,
        principal=call.principal,
        workspace_id=call.workspace_id,
        job_id=_job_id(call),
        queue=call.application.jobs,
    )
    return Answer(202, _job_resource(call, job), about=job.id)


def _job_resource(call: Call[Any, Any], job: Job) -> JobResource:
    return _job_resources(call, [job])[0]


def _job_resources(call: Call[Any, Any], jobs: Sequence[Job]) -> Sequence[JobResource]:
    paths = subjects_of_jobs(call.tx, principal=call.principal, workspace_id=call.workspace_id, jobs=jobs)
    return [_resource(job, paths.get(job.id)) for job in jobs]


def _resource(job: Job, path: str | None) -> JobResource:
    return JobResource(
        id=job.id,
        kind=job.kind,
        key=job.key,
        path=path,
        state=job.state,
        attempts=job.attempts,
        not_before=job.not_before,
        reason=reason_resource(job.last_error),
        correlation_id=job.correlation_id,
        created_at=job.created_at,
        created_by=job.created_by,
        updated_at=job.updated_at,
        finished_at=job.finished_at,
    )


def _job_id(call: Call[Any, Any]) -> JobId:
    return JobId(call.ids["job_id"])
