"""Doing work once, whatever happens."""

from collections.abc import Callable

import pytest

from chalicelib.database.database import Database
from chalicelib.database.transaction import Transaction
from chalicelib.errors import Rejected, Unavailable
from chalicelib.jobs import store
from chalicelib.jobs.errors import LeaseLost
from chalicelib.jobs.handlers import Registration
from chalicelib.jobs.hold_leases import end_leases_of_the_dead, give_back_leases
from chalicelib.jobs.lease import LeasedJob
from chalicelib.jobs.model import Job, JobId, JobState
from chalicelib.jobs.perform_job import Performance, Worker, perform_job
from chalicelib.jobs.problem import Problem
from chalicelib.jobs.sweep_jobs import sweep_jobs
from chalicelib.platform.errors import EmbedderUnavailable
from tests.fixtures.jobs import EFFECTS, JobRoom, add_workspaces, count


class Killed(BaseException):
    """The process is gone: nothing below it gets to clean up."""


@pytest.fixture
def room(database: Database) -> JobRoom:
    return JobRoom(database)


def _raising(error: BaseException) -> Callable[[LeasedJob], None]:
    def handle(_job: LeasedJob) -> None:
        raise error

    return handle


def _claim(room: JobRoom, job_id: JobId) -> LeasedJob:
    now = room.clock.now()
    with room.database.transaction() as tx:
        job = store.claim_job(
            tx, job_id, worker="test/1", max_attempts=3, lease_expires_at=now + room.queue.policy.lease, now=now
        )
    assert job is not None
    return LeasedJob(job, database=room.database, queue=room.queue)


def _kill(worker: Worker, job_id: JobId) -> None:
    with pytest.raises(Killed):
        perform_job(worker, job_id)


def test_a_job_is_done_once_however_often_it_is_delivered(room: JobRoom) -> None:
    worker = room.worker({"count": Registration(count)})
    job_id = room.enqueue("a")
    assert [perform_job(worker, job_id) for _ in range(3)] == ["done", "nothing-to-do", "nothing-to-do"]
    assert room.effects() == {"a": 1}
    assert room.read(job_id).state is JobState.DONE


def test_a_handler_that_writes_nothing_is_done_when_it_returns(room: JobRoom) -> None:
    job_id = room.enqueue("a")
    assert perform_job(room.worker({"count": Registration(lambda _job: None)}), job_id) is Performance.DONE
    assert room.read(job_id).state is JobState.DONE


def test_what_is_out_of_reach_is_tried_again_later_with_the_reason_kept(room: JobRoom) -> None:
    job_id = room.enqueue("a")
    failing = room.worker({"count": Registration(_raising(Unavailable("The embedder is away.")))})
    assert perform_job(failing, job_id) is Performance.RETRIED
    job = room.read(job_id)
    assert job.state is JobState.WAITING
    assert job.last_error is not None
    assert (job.last_error["type"], job.last_error["detail"]) == ("unavailable", "The embedder is away.")
    assert perform_job(failing, job_id) is Performance.NOTHING_TO_DO
    room.clock.move(seconds=2)
    assert perform_job(room.worker({"count": Registration(count)}), job_id) is Performance.DONE
    assert room.read(job_id).attempts == 2


def test_what_waits_for_the_embedder_waits_on_beyond_its_attempts_and_a_new_start_wakes_it(room: JobRoom) -> None:
    waiting = room.worker({"count": Registration(_raising(EmbedderUnavailable("Not there.")))})
    job_id = room.enqueue("a")
    for _ in range(10):
        assert perform_job(waiting, job_id) is Performance.RETRIED
        assert perform_job(waiting, job_id) is Performance.NOTHING_TO_DO
        room.clock.move(hours=1)
    assert perform_job(waiting, job_id) is Performance.RETRIED
    job = room.read(job_id)
    assert (job.state, "embedder-unavailable" in str(job.last_error)) == (JobState.WAITING, True)
    fresh = room.worker({"count": Registration(count)}, "test/2")
    assert perform_job(fresh, job_id) is Performance.NOTHING_TO_DO
    end_leases_of_the_dead(fresh, prefix="test/")
    assert perform_job(fresh, job_id) is Performance.DONE


def test_a_defect_dies_after_its_attempts_without_telling_its_message(room: JobRoom) -> None:
    told: list[tuple[JobId, Problem]] = []

    def on_dead(_tx: Transaction, job: Job, problem: Problem) -> None:
        told.append((job.id, problem))

    worker = room.worker({"count": Registration(_raising(ValueError("password=hunter2")), on_dead)})
    job_id = room.enqueue("a")
    outcomes = []
    for _ in range(3):
        outcomes.append(perform_job(worker, job_id))
        room.clock.move(hours=1)
    assert outcomes == ["retried", "retried", "died"]
    job = room.read(job_id)
    assert (job.state, job.attempts) == (JobState.DEAD, 3)
    assert "hunter2" not in str(job.last_error)
    assert "ValueError" in str(job.last_error)
    assert [job_id for job_id, _ in told] == [job_id]
    assert perform_job(worker, job_id) is Performance.DEAD


def test_what_is_rejected_is_not_tried_again(room: JobRoom) -> None:
    job_id = room.enqueue("a")
    assert perform_job(room.worker({"count": Registration(_raising(Rejected("x" * 9999)))}), job_id) == "refused"
    job = room.read(job_id)
    assert (job.state, job.attempts) == (JobState.DEAD, 1)
    assert job.last_error is not None
    assert len(str(job.last_error["detail"])) == 500


def test_a_kind_without_a_handler_does_not_stay_for_ever(room: JobRoom) -> None:
    job_id = room.enqueue("a", kind="unknown")
    for _ in range(3):
        perform_job(room.worker({}), job_id)
        room.clock.move(hours=1)
    assert room.read(job_id).state is JobState.DEAD


def test_effects_and_done_are_undone_together(room: JobRoom) -> None:
    def fail_late(job: LeasedJob) -> None:
        with job.finish() as tx:
            tx.execute(EFFECTS["insert_effect"], key="a", fence=job.job.fence)
            raise Unavailable("The connection is gone.")

    job_id = room.enqueue("a")
    assert perform_job(room.worker({"count": Registration(fail_late)}), job_id) is Performance.RETRIED
    assert room.effects() == {}


def test_a_worker_that_lost_its_lease_learns_so_and_has_no_effect(room: JobRoom) -> None:
    late = _claim(room, room.enqueue("a"))
    room.clock.move(minutes=2)
    assert perform_job(room.worker({"count": Registration(count)}, "test/2"), late.id) is Performance.DONE
    with pytest.raises(LeaseLost):
        count(late)
    assert not late.renew()
    with pytest.raises(LeaseLost):
        late.require_lease()
    assert room.effects() == {"a": 1}


def test_a_heartbeat_keeps_the_lease_but_not_for_ever(room: JobRoom) -> None:
    job = _claim(room, room.enqueue("a"))
    other = room.worker({"count": Registration(count)}, "test/2")
    for _ in range(14):
        room.clock.move(minutes=1)
        assert job.renew()
        assert perform_job(other, job.id) is Performance.NOTHING_TO_DO
    room.clock.move(minutes=1)
    assert not job.renew()
    assert perform_job(other, job.id) is Performance.DONE


def test_progress_is_fenced_without_finishing(room: JobRoom) -> None:
    def handle(job: LeasedJob) -> None:
        with job.fenced() as tx:
            tx.execute(EFFECTS["insert_effect"], key="progress", fence=job.job.fence)
        count(job)

    job_id = room.enqueue("a")
    assert perform_job(room.worker({"count": Registration(handle)}), job_id) is Performance.DONE
    assert room.effects() == {"a": 1, "progress": 1}


def test_a_worker_that_dies_each_time_uses_up_the_attempts_within_the_bound(room: JobRoom) -> None:
    told = []
    killing = room.worker(
        {"count": Registration(_raising(Killed()), lambda _tx, _job, problem: told.append(problem.type))}
    )
    job_id = room.enqueue("a")
    start = room.clock.now()
    for _ in range(3):
        _kill(killing, job_id)
        assert perform_job(killing, job_id) is Performance.NOTHING_TO_DO
        room.clock.moment = room.clock.now() + room.queue.policy.lease
    assert sweep_jobs(killing).buried == 1
    assert room.read(job_id).state is JobState.DEAD
    assert told == ["worker-died"]
    assert room.clock.now() - start <= 3 * room.queue.policy.lease


def test_the_sweep_rings_what_waits_and_what_dead_workers_left_and_forgets_the_old(room: JobRoom) -> None:
    worker = room.worker({"count": Registration(count), "kill": Registration(_raising(Killed()))})
    old, waiting, left = room.enqueue("old"), room.enqueue("waiting"), room.enqueue("left", kind="kill")
    perform_job(worker, old)
    _kill(worker, left)
    room.clock.move(days=15)
    room.bell.rings.clear()
    report = sweep_jobs(worker)
    assert {ring.job_id for ring in room.bell.rings} == {waiting, left}
    assert (report.rung, report.buried, report.deleted) == (2, 0, 1)


def test_an_orderly_stop_gives_jobs_back_uncounted_and_a_new_start_takes_over_from_the_dead(room: JobRoom) -> None:
    job = _claim(room, room.enqueue("a"))
    assert give_back_leases(room.worker({}, "test/1")) == 1
    assert (room.read(job.id).state, room.read(job.id).attempts) == (JobState.WAITING, 0)
    with pytest.raises(LeaseLost):
        count(job)
    _claim(room, job.id)
    fresh = room.worker({"count": Registration(count)}, "test/2")
    assert perform_job(fresh, job.id) is Performance.NOTHING_TO_DO
    assert end_leases_of_the_dead(fresh, prefix="test/") == 1
    assert perform_job(fresh, job.id) is Performance.DONE


def test_jobs_of_one_serial_key_run_one_at_a_time_in_order_and_waiting_costs_no_attempt(room: JobRoom) -> None:
    first, second = room.enqueue("1", serial_key="s"), room.enqueue("2", serial_key="s")
    worker = room.worker({"count": Registration(count)})
    assert perform_job(worker, second) is Performance.NOTHING_TO_DO
    held = _claim(room, first)
    assert perform_job(worker, second) is Performance.NOTHING_TO_DO
    assert room.read(second).attempts == 0
    room.bell.rings.clear()
    count(held)
    assert [ring.job_id for ring in room.bell.rings] == [second]
    assert perform_job(worker, second) is Performance.DONE


def test_a_redriven_job_does_not_lock_out_a_later_one_of_its_serial_key_whose_worker_died(room: JobRoom) -> None:
    first, second = room.enqueue("1", serial_key="s"), room.enqueue("2", serial_key="s")
    perform_job(room.worker({"count": Registration(_raising(Rejected("No.")))}), first)
    _claim(room, second)
    with room.database.transaction() as tx:
        store.redrive_job(tx, first, now=room.clock.now())
    room.clock.move(minutes=2)
    worker = room.worker({"count": Registration(count)})
    assert perform_job(worker, first) is Performance.NOTHING_TO_DO
    assert [perform_job(worker, second), perform_job(worker, first)] == ["done", "done"]


def test_due_jobs_are_listed_in_turns_among_workspaces(room: JobRoom) -> None:
    large, small = add_workspaces(room.database, 2)
    for key in ("1", "2", "3"):
        room.enqueue(key, workspace_id=large.id)
    last = room.enqueue("4", workspace_id=small.id)
    with room.database.transaction() as tx:
        rings = store.list_due(tx, now=room.clock.now(), due_before=room.clock.now(), limit=2)
    assert last in [ring.job_id for ring in rings]
