"""Listing, reading, cancelling and redriving the jobs of a workspace."""

from dataclasses import replace

import psycopg
import pytest

from chalicelib.database.database import Database
from chalicelib.database.ids import new_id
from chalicelib.errors import Rejected
from chalicelib.identity.errors import WorkspaceNotFound
from chalicelib.identity.model import (
    KeyScope,
    OrganizationRole,
    Principal,
    PrincipalId,
    PrincipalKind,
    Workspace,
    WorkspaceRole,
)
from chalicelib.identity.rights import ActionForbidden
from chalicelib.jobs.cancel_job import cancel_job
from chalicelib.jobs.errors import JobIsNotDead, JobIsOver, JobNotFound
from chalicelib.jobs.handlers import Registration
from chalicelib.jobs.lease import LeasedJob
from chalicelib.jobs.list_jobs import list_jobs
from chalicelib.jobs.model import Job, JobId, JobState
from chalicelib.jobs.perform_job import perform_job
from chalicelib.jobs.read_job import read_job
from chalicelib.jobs.redrive_job import redrive_job
from tests.fixtures.jobs import JobRoom, add_workspaces, count


@pytest.fixture
def room(database: Database) -> JobRoom:
    return JobRoom(database)


@pytest.fixture
def workspaces(database: Database) -> tuple[Workspace, Workspace]:
    first, second = add_workspaces(database, 2)
    return first, second


@pytest.fixture
def owner(workspaces: tuple[Workspace, Workspace]) -> Principal:
    return Principal(
        id=PrincipalId(new_id()),
        organization_id=workspaces[0].organization_id,
        kind=PrincipalKind.USER,
        name="Ada",
        organization_role=OrganizationRole.MEMBER,
        roles_by_workspace={workspaces[0].id: WorkspaceRole.OWNER},
        scopes=frozenset(KeyScope),
    )


def _reject(_job: LeasedJob) -> None:
    raise Rejected("No.")


def _cancel(room: JobRoom, owner: Principal, workspace: Workspace, job_id: JobId, told: list[str]) -> Job:
    handlers = {"count": Registration(count, lambda _tx, _job, problem: told.append(problem.type))}
    with room.database.transaction() as tx:
        return cancel_job(
            tx, principal=owner, workspace_id=workspace.id, job_id=job_id, queue=room.queue, handlers=handlers
        )


def test_jobs_are_listed_newest_first_by_page_state_and_kind_in_one_workspace(
    room: JobRoom, owner: Principal, workspaces: tuple[Workspace, Workspace]
) -> None:
    ids = []
    for n in range(5):
        ids.append(room.enqueue(str(n), workspace_id=workspaces[0].id))
        room.clock.move(seconds=1)
    room.enqueue("foreign", workspace_id=workspaces[1].id)
    perform_job(room.worker({"count": Registration(count)}), ids[0])
    with room.database.transaction() as tx:
        first = list_jobs(tx, principal=owner, workspace_id=workspaces[0].id, limit=3)
        after = (first[-1].created_at, first[-1].id)
        second = list_jobs(tx, principal=owner, workspace_id=workspaces[0].id, after=after, limit=3)
        done = list_jobs(tx, principal=owner, workspace_id=workspaces[0].id, states=[JobState.DONE])
        assert list_jobs(tx, principal=owner, workspace_id=workspaces[0].id, kind="other") == []
    assert [job.id for job in [*first, *second]] == ids[::-1]
    assert [job.id for job in done] == ids[:1]


def test_a_job_of_another_workspace_is_not_there(
    room: JobRoom, owner: Principal, workspaces: tuple[Workspace, Workspace]
) -> None:
    foreign = room.enqueue("a", workspace_id=workspaces[1].id)
    with room.database.transaction() as tx:
        with pytest.raises(JobNotFound):
            read_job(tx, principal=owner, workspace_id=workspaces[0].id, job_id=foreign)
        with pytest.raises(WorkspaceNotFound):
            read_job(tx, principal=owner, workspace_id=workspaces[1].id, job_id=foreign)
        viewer = replace(owner, roles_by_workspace={workspaces[0].id: WorkspaceRole.VIEWER})
        with pytest.raises(ActionForbidden):
            list_jobs(tx, principal=viewer, workspace_id=workspaces[0].id)


def test_a_cancelled_job_never_has_an_effect_and_says_so_where_the_user_looks(
    room: JobRoom, owner: Principal, workspaces: tuple[Workspace, Workspace]
) -> None:
    told: list[str] = []
    waiting = room.enqueue("waiting", workspace_id=workspaces[0].id)
    running = room.enqueue("running", workspace_id=workspaces[0].id)
    assert _cancel(room, owner, workspaces[0], waiting, told).state is JobState.CANCELLED

    def handle(job: LeasedJob) -> None:
        _cancel(room, owner, workspaces[0], job.id, told)
        count(job)

    assert perform_job(room.worker({"count": Registration(handle)}), running) == "lost"
    assert room.effects() == {}
    assert told == ["job-cancelled", "job-cancelled"]
    with pytest.raises(JobIsOver):
        _cancel(room, owner, workspaces[0], running, told)


def test_a_redriven_job_has_all_its_attempts_again_and_keeps_the_reason_in_its_history(
    room: JobRoom, owner: Principal, workspaces: tuple[Workspace, Workspace]
) -> None:
    job_id = room.enqueue("a", workspace_id=workspaces[0].id)
    for lives in range(1, 13):
        perform_job(room.worker({"count": Registration(_reject)}), job_id)
        with room.database.transaction() as tx:
            job = redrive_job(tx, principal=owner, workspace_id=workspaces[0].id, job_id=job_id, queue=room.queue)
        assert (job.state, job.attempts, job.last_error) == (JobState.WAITING, 0, None)
        assert len(job.history) == min(lives, 10)
    room.enqueue("a", workspace_id=workspaces[0].id)
    assert perform_job(room.worker({"count": Registration(count)}), job_id) == "done"
    with room.database.transaction() as tx, pytest.raises(JobIsNotDead):
        redrive_job(tx, principal=owner, workspace_id=workspaces[0].id, job_id=job_id, queue=room.queue)


def test_deleting_what_a_job_is_about_cancels_it_in_that_workspace_alone(
    room: JobRoom, workspaces: tuple[Workspace, Workspace]
) -> None:
    mine = room.enqueue("a", workspace_id=workspaces[0].id)
    foreign = room.enqueue("a", kind="other", workspace_id=workspaces[1].id)
    with room.database.transaction() as tx:
        assert room.queue.cancel_key(tx, key="a", workspace_id=workspaces[0].id) == 1
    assert (room.read(mine).state, room.read(foreign).state) == (JobState.CANCELLED, JobState.WAITING)


def test_steering_is_recorded(room: JobRoom, owner: Principal, workspaces: tuple[Workspace, Workspace]) -> None:
    job_id = room.enqueue("a", workspace_id=workspaces[0].id)
    perform_job(room.worker({"count": Registration(_reject)}), job_id)
    with room.database.transaction() as tx:
        redrive_job(tx, principal=owner, workspace_id=workspaces[0].id, job_id=job_id, queue=room.queue)
    _cancel(room, owner, workspaces[0], job_id, [])
    with psycopg.connect(room.database.conninfo) as session:
        entries = session.execute("select action, subject_id, before, after from activity order by id").fetchall()
    assert entries == [
        ("job.redriven", job_id, {"kind": "count", "state": "dead"}, {"state": "waiting"}),
        ("job.cancelled", job_id, {"kind": "count", "state": "waiting"}, {"state": "cancelled"}),
    ]
