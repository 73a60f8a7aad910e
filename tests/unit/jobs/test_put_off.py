"""Jobs that are put off until a time that may be weeks ahead, and are woken when what they wait for has come."""

from datetime import datetime, timedelta
from uuid import UUID

import pytest

from chalicelib.database.database import Database
from chalicelib.errors import Unavailable
from chalicelib.jobs.handlers import Registration
from chalicelib.jobs.lease import LeasedJob
from chalicelib.jobs.model import JobState
from chalicelib.jobs.perform_job import perform_job
from chalicelib.jobs.sweep_jobs import sweep_jobs
from chalicelib.jobs.watch_due import list_due
from tests.fixtures.jobs import JobRoom, add_workspaces, count


class Closed(Unavailable):
    """Nothing is done before the time has come."""

    is_waited_out = True

    def __init__(self, until: datetime) -> None:
        super().__init__("Closed.")
        self.waits_until = until


class Room(JobRoom):
    """A worker whose work is closed for 20 days, until it is opened."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self.workspace = add_workspaces(database, 1)[0]
        self.opens = self.clock.now() + timedelta(days=20)
        self.is_open = False
        self.doer = self.worker({"count": Registration(self.handle)})

    def handle(self, job: LeasedJob) -> None:
        if not self.is_open and self.clock.now() < self.opens:
            raise Closed(self.opens)
        count(job)

    def wake(self, organization_id: UUID) -> None:
        with self.database.transaction() as tx:
            self.queue.wake(tx, organization_id=organization_id, waiting_for="closed")


@pytest.fixture
def room(database: Database) -> Room:
    return Room(database)


def test_waiting_for_a_time_uses_up_no_attempt_and_rings_for_nothing(room: Room) -> None:
    job_id = room.enqueue("a")
    room.bell.rings.clear()
    for _ in range(5):
        room.opens = room.clock.now() + timedelta(days=1)
        assert perform_job(room.doer, job_id) == "retried"
        room.clock.move(days=1)
    job = room.read(job_id)
    assert (job.state, job.attempts, job.not_before) == (JobState.WAITING, 0, room.opens)
    assert room.bell.rings == []
    assert job.last_error is not None
    assert job.last_error["type"] == "closed"
    assert perform_job(room.doer, job_id) == "done"


def test_a_wait_of_weeks_keeps_no_sweep_awake_until_it_comes_to_its_end(room: Room) -> None:
    perform_job(room.doer, room.enqueue("a"))
    assert (sweep_jobs(room.doer).open, sweep_jobs(room.doer).open_for_now) == (1, 0)
    room.clock.moment = room.opens - timedelta(minutes=30)
    assert sweep_jobs(room.doer).open_for_now == 1


def test_waking_concerns_those_of_the_organization_that_wait_for_it(room: Room) -> None:
    (foreign,) = add_workspaces(room.database, 1)
    ours = room.enqueue("ours", workspace_id=room.workspace.id)
    theirs = room.enqueue("theirs", workspace_id=foreign.id)
    nobodys = room.enqueue("nobody's")
    for job_id in (ours, theirs, nobodys):
        perform_job(room.doer, job_id)
    room.bell.rings.clear()
    room.is_open = True
    room.wake(room.workspace.organization_id)
    assert {ring.job_id for ring in room.bell.rings} == {ours, nobodys}
    assert [perform_job(room.doer, job_id) for job_id in (ours, theirs, nobodys)] == ["done", "nothing-to-do", "done"]


def test_what_is_woken_while_it_runs_is_done_again_at_once(room: Room) -> None:
    job_id = room.enqueue("a", workspace_id=room.workspace.id)

    def late(_job: LeasedJob) -> None:
        room.wake(room.workspace.organization_id)
        raise Closed(room.opens)

    room.bell.rings.clear()
    assert perform_job(room.worker({"count": Registration(late)}), job_id) == "retried"
    assert room.read(job_id).not_before == room.clock.now()
    assert [ring.job_id for ring in room.bell.rings] == [job_id]
    # The mark was for that lease alone.
    assert perform_job(room.doer, job_id) == "retried"
    assert room.read(job_id).not_before == room.opens


def test_those_behind_one_that_is_put_off_do_not_wait_for_it(room: Room) -> None:
    first = room.enqueue("a", serial_key="item")
    second = room.enqueue("b", serial_key="item")
    room.bell.rings.clear()
    perform_job(room.doer, first)
    assert [ring.job_id for ring in room.bell.rings] == [second]
    room.is_open = True
    assert perform_job(room.doer, second) == "done"


def test_what_is_promised_anew_takes_the_place_of_what_is_put_off(room: Room) -> None:
    first = room.enqueue("a")
    perform_job(room.doer, first)
    second = room.enqueue("a")
    assert second != first
    assert (room.read(first).state, room.read(second).state) == (JobState.CANCELLED, JobState.WAITING)


def test_what_was_put_off_comes_after_what_is_new_in_its_workspace(room: Room) -> None:
    (other,) = add_workspaces(room.database, 1)
    waited = [
        room.enqueue(name, workspace_id=workspace)
        for name, workspace in [("a", room.workspace.id), ("b", room.workspace.id), ("c", other.id)]
    ]
    for job_id in waited:
        perform_job(room.doer, job_id)
    room.clock.moment = room.opens + timedelta(hours=1)
    new = room.enqueue("new", workspace_id=room.workspace.id)
    rings = list_due(room.doer, limit=10, except_ids=frozenset())
    assert [ring.job_id for ring in rings] == [new, waited[2], waited[0], waited[1]]
