"""Promises 1 to 3 under random kills, deliveries and clocks, on a real database."""

import random
import threading
from collections import Counter

import psycopg
import pytest

from chalicelib.database.database import Database
from chalicelib.errors import LorebaseError, Unavailable
from chalicelib.jobs.handlers import Registration
from chalicelib.jobs.lease import LeasedJob
from chalicelib.jobs.model import JobId, JobPolicy, JobState
from chalicelib.jobs.perform_job import Worker, perform_job
from chalicelib.jobs.sweep_jobs import sweep_jobs
from tests.fixtures.jobs import EFFECTS, JobRoom

_JOBS = 40
_KILL_CONNECTIONS = (
    "select pg_terminate_backend(pid) from pg_stat_activity"
    " where datname = current_database() and pid <> pg_backend_pid()"
)


class Killed(BaseException):
    """The process is gone."""


class Chaos:
    """Handlers that fail at random places, and a record of who ran when."""

    def __init__(self, room: JobRoom, chance: random.Random, conninfo: str) -> None:
        self.room = room
        self.chance = chance
        self.conninfo = conninfo
        self.running: Counter[str] = Counter()
        self.overlaps: list[str] = []
        self.fences: dict[JobId, list[int]] = {}
        self.lock = threading.Lock()

    def stumble(self) -> None:
        """Perhaps die, fail, or lose the connections."""
        roll = self.chance.random()
        if roll < 0.08:
            raise Killed
        if roll < 0.14:
            raise Unavailable("Away for the moment.")
        if roll < 0.18:
            raise ZeroDivisionError
        if roll < 0.20:
            with psycopg.connect(self.conninfo, autocommit=True) as connection:
                connection.execute(_KILL_CONNECTIONS)

    def handle(self, job: LeasedJob) -> None:
        """Write one effect, stumbling before, within and after."""
        serial_key = job.job.serial_key
        with self.lock:
            self.fences.setdefault(job.id, []).append(job.job.fence)
            if serial_key is not None:
                self.running[serial_key] += 1
                if self.running[serial_key] > 1:
                    self.overlaps.append(serial_key)
        try:
            self.stumble()
            with job.finish() as tx:
                tx.execute(EFFECTS["insert_effect"], key=job.job.key, fence=job.job.fence)
                self.stumble()
            self.stumble()
        finally:
            if serial_key is not None:
                with self.lock:
                    self.running[serial_key] -= 1

    def deliver(self, worker: Worker, job_id: JobId) -> None:
        """Perform once, as a process that may end in the middle of it."""
        try:
            perform_job(worker, job_id)
        except (Killed, LorebaseError):
            return


def _enqueue_all(room: JobRoom, chance: random.Random) -> list[JobId]:
    return [room.enqueue(f"job-{n}", serial_key=chance.choice([None, "s1", "s2", "s3"])) for n in range(_JOBS)]


def _settle(chaos: Chaos, worker: Worker, ids: list[JobId]) -> None:
    """Let time pass and the sweep ring until all is over; fails where that takes longer than it may."""
    room = chaos.room
    for _ in range(room.queue.policy.attempts * _JOBS):
        states = {room.read(job_id).state for job_id in ids}
        if states <= {JobState.DONE, JobState.DEAD}:
            return
        room.clock.move(hours=1)
        room.bell.rings.clear()
        try:
            sweep_jobs(worker)
        except LorebaseError:
            continue
        for ring in room.bell.rings:
            chaos.deliver(worker, JobId(ring.job_id))
    pytest.fail(f"jobs are stuck: {states}")


def _assert_promises(chaos: Chaos, ids: list[JobId]) -> None:
    effects = chaos.room.effects()
    for job_id in ids:
        job = chaos.room.read(job_id)
        assert job.state in {JobState.DONE, JobState.DEAD}
        assert effects.get(job.key, 0) == (1 if job.state is JobState.DONE else 0)
        assert job.attempts <= chaos.room.queue.policy.attempts
        fences = chaos.fences.get(job_id, [])
        assert len(set(fences)) == len(fences)
        assert all(fence < job.fence for fence in fences)
    assert chaos.overlaps == []


@pytest.mark.parametrize("seed", range(4))
def test_each_effect_happens_once_and_nothing_is_stuck_in_any_order_of_events(
    database: Database, conninfo: str, seed: int
) -> None:
    chance = random.Random(seed)
    room = JobRoom(database, policy=JobPolicy(attempts=6))
    chaos = Chaos(room, chance, conninfo)
    workers = [room.worker({"count": Registration(chaos.handle)}, f"test/{n}") for n in range(3)]
    ids = _enqueue_all(room, chance)
    for _ in range(250):
        step = chance.random()
        if step < 0.80:
            for _delivery in range(chance.choice([1, 1, 2])):
                chaos.deliver(chance.choice(workers), chance.choice(ids))
        elif step < 0.95:
            room.clock.move(seconds=chance.choice([-5, 1, 30, 120]))
        else:
            chaos.deliver(workers[0], JobId(chance.choice(ids)))
    _settle(chaos, workers[0], ids)
    _assert_promises(chaos, ids)
    assert Counter(room.read(job_id).state for job_id in ids)[JobState.DONE] > 0


def test_concurrent_workers_never_double_an_effect_nor_overlap_a_serial_key(database: Database, conninfo: str) -> None:
    chance = random.Random(7)
    room = JobRoom(database, policy=JobPolicy(attempts=8))
    chaos = Chaos(room, chance, conninfo)
    worker = room.worker({"count": Registration(chaos.handle)})
    ids = _enqueue_all(room, chance)

    def work(seed: int) -> None:
        own = random.Random(seed)
        for _ in range(120):
            chaos.deliver(worker, own.choice(ids))

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    _settle(chaos, worker, ids)
    _assert_promises(chaos, ids)
