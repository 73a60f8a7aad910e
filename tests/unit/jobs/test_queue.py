"""Promising work."""

from datetime import timedelta

import pytest

from chalicelib.database.database import Database
from chalicelib.errors import Rejected
from chalicelib.jobs.handlers import Registration
from chalicelib.jobs.lease import LeasedJob
from chalicelib.jobs.model import JobState
from chalicelib.jobs.perform_job import perform_job
from chalicelib.platform.ports import Ring
from tests.fixtures.jobs import JobRoom, count


@pytest.fixture
def room(database: Database) -> JobRoom:
    return JobRoom(database)


def test_a_job_waits_and_the_bell_rings_after_commit_not_before(room: JobRoom) -> None:
    with room.database.transaction() as tx:
        job_id = room.queue.enqueue(tx, kind="count", key="a", payload={"n": 1}, workspace_id=None)
        assert room.bell.rings == []
    assert room.bell.rings == [Ring(job_id, "count")]
    job = room.read(job_id)
    assert (job.state, job.attempts, job.payload) == (JobState.WAITING, 0, {"n": 1})


def test_a_transaction_that_fails_promises_nothing_and_rings_nobody(room: JobRoom) -> None:
    with pytest.raises(ZeroDivisionError), room.database.transaction() as tx:
        room.queue.enqueue(tx, kind="count", key="a", payload={}, workspace_id=None)
        raise ZeroDivisionError
    assert room.bell.rings == []
    room.enqueue("b")
    assert len(room.bell.rings) == 1


def test_promises_are_announced_once_a_transaction_before_anyone_can_see_them(room: JobRoom) -> None:
    seen: list[int] = []
    room.bell.on_announcement = lambda: seen.append(room.count_jobs())
    later = room.clock.now() + timedelta(hours=1)
    with room.database.transaction() as tx:
        for key in ("a", "b"):
            room.queue.enqueue(tx, kind="count", key=key, payload={}, workspace_id=None, not_before=later)
        assert seen == []
    assert seen == [0]
    assert room.count_jobs() == 2
    with pytest.raises(ZeroDivisionError), room.database.transaction() as tx:
        room.queue.enqueue(tx, kind="count", key="c", payload={}, workspace_id=None)
        raise ZeroDivisionError
    assert seen == [0]


def test_a_second_promise_of_untouched_work_joins_the_first_and_brings_it_up_to_date(room: JobRoom) -> None:
    with room.database.transaction() as tx:
        later = room.clock.now() + timedelta(hours=1)
        first = room.queue.enqueue(tx, kind="count", key="a", payload={"n": 1}, workspace_id=None, not_before=later)
    assert room.bell.rings == []
    with room.database.transaction() as tx:
        second = room.queue.enqueue(tx, kind="count", key="a", payload={"n": 2}, workspace_id=None)
        other_kind = room.queue.enqueue(tx, kind="other", key="a", payload={}, workspace_id=None)
    assert second == first
    assert other_kind != first
    assert (room.read(first).payload, room.read(first).not_before) == ({"n": 2}, room.clock.now())


def test_a_promise_made_while_the_same_work_runs_is_a_job_of_its_own(room: JobRoom) -> None:
    seen = []
    worker = room.worker({"count": Registration(lambda _job: seen.append(room.enqueue("a")))})
    first = room.enqueue("a")
    perform_job(worker, first)
    assert seen
    assert seen != [first]
    assert room.read(seen[0]).state is JobState.WAITING


def test_a_job_that_is_joined_cannot_start_before_the_joining_transaction_ends(room: JobRoom) -> None:
    worker = room.worker({"count": Registration(count)})
    job_id = room.enqueue("a")
    with room.database.transaction() as tx:
        room.queue.enqueue(tx, kind="count", key="a", payload={"n": 2}, workspace_id=None)
        assert perform_job(worker, job_id) == "nothing-to-do"
    assert perform_job(worker, job_id) == "done"
    assert room.effects() == {"a": 1}


def test_waits_double_with_jitter_up_to_a_limit(room: JobRoom) -> None:
    for attempts, longest in [(1, 2.0), (2, 4.0), (3, 8.0), (50, 900.0)]:
        wait = (room.queue.next_attempt_at(attempts) - room.clock.now()).total_seconds()
        assert longest / 2 <= wait <= longest


def test_work_promised_anew_takes_the_place_of_its_dead_letter(room: JobRoom) -> None:
    first = room.enqueue("a")
    other = room.enqueue("b")

    def refuse(_job: LeasedJob) -> None:
        raise Rejected("It cannot be.")

    worker = room.worker({"count": Registration(refuse)})
    for job_id in (first, other):
        perform_job(worker, job_id)
    again = room.enqueue("a")
    assert [room.read(job_id).state for job_id in (first, other, again)] == [
        JobState.CANCELLED,
        JobState.DEAD,
        JobState.WAITING,
    ]
