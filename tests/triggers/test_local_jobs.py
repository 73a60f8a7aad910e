"""The local dispatcher on a real database, with the handlers that run on AWS."""

import threading
import time
from collections.abc import Callable
from datetime import timedelta

from chalicelib.database.database import Database
from chalicelib.errors import Unavailable
from chalicelib.jobs.handlers import Registration
from chalicelib.jobs.lease import LeasedJob
from chalicelib.jobs.model import JobPolicy, JobState
from chalicelib.platform.local.clock import SystemClock
from chalicelib.platform.local.dispatcher import Dispatcher
from chalicelib.platform.local.doorbell import LocalDoorbell
from chalicelib.triggers.local_jobs import local_dispatcher, local_worker_name
from tests.fixtures.jobs import JobRoom, count


def _room(database: Database, policy: JobPolicy | None = None) -> tuple[JobRoom, LocalDoorbell]:
    doorbell = LocalDoorbell()
    return JobRoom(database, clock=SystemClock(), doorbell=doorbell, policy=policy), doorbell


def _dispatcher(room: JobRoom, doorbell: LocalDoorbell, handle: Callable[[LeasedJob], None]) -> Dispatcher:
    worker = room.worker({"count": Registration(handle)}, local_worker_name())
    return local_dispatcher(worker, doorbell, workers=2, sweep_seconds=60)


def _wait_until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < deadline, "the condition did not come true"
        threading.Event().wait(0.02)


def test_a_ring_wakes_a_worker_and_each_job_is_done_once(database: Database) -> None:
    room, doorbell = _room(database)
    dispatcher = _dispatcher(room, doorbell, count)
    dispatcher.start()
    for n in range(30):
        room.enqueue(str(n), serial_key=None if n % 2 else "s")
    _wait_until(lambda: len(room.effects()) == 30)
    assert dispatcher.stop()
    assert set(room.effects().values()) == {1}


def test_a_failed_job_is_tried_again_when_its_wait_is_over_without_a_ring(database: Database) -> None:
    room, doorbell = _room(database, JobPolicy(backoff=timedelta(milliseconds=100)))

    def fail_once(job: LeasedJob) -> None:
        if job.attempt == 1:
            raise Unavailable("Away.")
        count(job)

    dispatcher = _dispatcher(room, doorbell, fail_once)
    dispatcher.start()
    job_id = room.enqueue("a")
    _wait_until(lambda: room.read(job_id).state is JobState.DONE)
    assert dispatcher.stop()
    assert room.read(job_id).attempts == 2


def test_a_stop_gives_back_what_does_not_finish_and_the_next_start_does_it(database: Database) -> None:
    room, doorbell = _room(database)
    began, release = threading.Event(), threading.Event()

    def hang(job: LeasedJob) -> None:
        began.set()
        release.wait(20)
        count(job)

    dispatcher = _dispatcher(room, doorbell, hang)
    dispatcher.start()
    job_id = room.enqueue("a")
    assert began.wait(20)
    assert not dispatcher.stop(grace_seconds=0.1)
    assert (room.read(job_id).state, room.read(job_id).attempts) == (JobState.WAITING, 0)
    release.set()
    successor = _dispatcher(room, doorbell, count)
    successor.start()
    _wait_until(lambda: room.read(job_id).state is JobState.DONE)
    assert successor.stop()
    assert room.effects() == {"a": 1}
