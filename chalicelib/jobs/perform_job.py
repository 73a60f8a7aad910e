"""Does one job: claims it, runs its handler under a heartbeat, and settles what came of it."""

import logging
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from chalicelib.database.database import Database
from chalicelib.database.transaction import Transaction
from chalicelib.errors import NotFound, Rejected, Unavailable
from chalicelib.jobs import store
from chalicelib.jobs.errors import LeaseLost, WorkerDied
from chalicelib.jobs.handlers import Handlers, Registration
from chalicelib.jobs.heartbeat import heartbeat
from chalicelib.jobs.lease import LeasedJob
from chalicelib.jobs.model import Job, JobId, JobState
from chalicelib.jobs.problem import Problem, problem_of
from chalicelib.jobs.queue import JobQueue
from chalicelib.platform.ports import Ring
from chalicelib.telemetry.correlation import correlated

_LOGGER = logging.getLogger(__name__)


class Performance(StrEnum):
    """What came of one delivery."""

    DONE = "done"
    NOTHING_TO_DO = "nothing-to-do"
    """Over, not due, or held by another: whoever holds it or the sweep sees to it."""
    RETRIED = "retried"
    REFUSED = "refused"
    """Over without a result, since what it is about cannot be taken; whom it concerns is shown why."""
    DIED = "died"
    DEAD = "dead"
    """It had used up its attempts before; what is left to do is a person's."""
    LOST = "lost"


@dataclass(frozen=True, slots=True)
class Worker:
    """What it takes to do jobs. `name` says who holds a lease; it is unique to the process."""

    database: Database
    queue: JobQueue
    handlers: Handlers
    name: str


def perform_job(worker: Worker, job_id: JobId) -> Performance:
    """Do the job if it is due and free. Any number of deliveries of one job have one effect.

    Raises Unavailable where the database cannot be reached: the job is then as safe as before.
    """
    job = _claim(worker, job_id)
    if job is None:
        return _unclaimed(worker, job_id)
    leased = LeasedJob(job, database=worker.database, queue=worker.queue)
    with correlated(leased.correlation_id):
        return _perform(worker, leased)


def _perform(worker: Worker, leased: LeasedJob) -> Performance:
    try:
        with heartbeat(leased, every_seconds=worker.queue.policy.lease.total_seconds() / 3):
            _handle(worker, leased)
    except LeaseLost:
        _LOGGER.info("Job %s (%s) was taken from its worker.", leased.id, leased.kind)
        return Performance.LOST
    except (Rejected, NotFound) as error:
        return _settle(worker, leased, error, is_final=True)
    except Unavailable as error:
        return _settle(worker, leased, error, is_final=False)
    except Exception as error:  # the edge of a queue record: whatever a handler raises is one attempt of one job
        _LOGGER.exception("Job %s (%s) failed.", leased.id, leased.kind)
        return _settle(worker, leased, error, is_final=False)
    return Performance.REFUSED if leased.is_refused else Performance.DONE


def _unclaimed(worker: Worker, job_id: JobId) -> Performance:
    if bury_exhausted(worker, job_id):
        return Performance.DIED
    with worker.database.transaction() as tx:
        job = store.find_job(tx, job_id)
    is_dead = job is not None and job.state is JobState.DEAD and job.attempts >= worker.queue.policy.attempts
    return Performance.DEAD if is_dead else Performance.NOTHING_TO_DO


def bury_exhausted(worker: Worker, job_id: JobId) -> bool:
    """Let a job die that has used up its attempts by workers that died; False where it is not so."""
    queue = worker.queue
    with worker.database.transaction() as tx:
        job = store.lock_exhausted_job(tx, job_id, max_attempts=queue.policy.attempts, now=queue.clock.now())
        if job is None:
            return False
        detail = f"The work was cut off {job.attempts} times without a result. Retry, or use a smaller document."
        _bury(tx, worker, job, Problem(WorkerDied.problem_type(), WorkerDied.title(), detail))
    return True


def _claim(worker: Worker, job_id: JobId) -> Job | None:
    policy, now = worker.queue.policy, worker.queue.clock.now()
    with worker.database.transaction() as tx:
        return store.claim_job(
            tx,
            job_id,
            worker=worker.name,
            max_attempts=policy.attempts,
            lease_expires_at=now + policy.lease,
            now=now,
        )


def _handle(worker: Worker, leased: LeasedJob) -> None:
    registration = worker.handlers.get(leased.kind)
    if registration is None:
        raise LookupError(f"no handler is registered for jobs of kind {leased.kind}")
    registration.handle(leased)
    if not leased.is_finished:
        with leased.finish():
            pass


def _settle(worker: Worker, leased: LeasedJob, error: Exception, *, is_final: bool) -> Performance:
    """Record what went wrong, and give the job back or let it die."""
    if leased.is_finished:
        return Performance.DONE
    problem = problem_of(error, correlation_id=leased.correlation_id)
    queue = worker.queue
    limit = queue.policy.attempts
    waits = isinstance(error, Unavailable) and error.is_waited_out
    try:
        with leased.fenced() as tx:
            if is_final or (leased.attempt >= limit and not waits):
                _bury(tx, worker, leased.job, problem)
                return Performance.REFUSED if is_final else Performance.DIED
            now = queue.clock.now()
            due, attempts = _next_attempt(queue, leased.attempt, error, waits=waits)
            due = store.return_job(
                tx,
                leased.id,
                attempts=attempts,
                not_before=due,
                is_put_off=_put_off_until(error) is not None,
                last_error=problem.recorded(attempt=leased.attempt, at=now),
                now=now,
            )
            if _put_off_until(error) is not None:
                queue.ring_successor(tx, leased.job.serial_key)
            # What lies further ahead than a ring can be held back is found by the sweep.
            if due - now <= queue.policy.backoff_limit:
                queue.ring_after_commit(tx, Ring(leased.id, leased.kind, leased.correlation_id, after=due - now))
            _LOGGER.info("Job %s (%s) is tried again: %s: %s", leased.id, leased.kind, problem.type, problem.detail)
            return Performance.RETRIED
    except LeaseLost:
        return Performance.LOST


def _next_attempt(queue: JobQueue, attempt: int, error: Exception, *, waits: bool) -> tuple[datetime, int]:
    """Return when to try again after an attempt, and how many attempts are used up then."""
    now, limit = queue.clock.now(), queue.policy.attempts
    until = _put_off_until(error)
    if until is not None:
        return max(until, now), attempt - 1
    due = queue.next_attempt_at(attempt) if attempt < limit else now + queue.policy.waited_out
    return due, min(attempt, limit - 1) if waits else attempt


def _put_off_until(error: Exception) -> datetime | None:
    return error.waits_until if isinstance(error, Unavailable) else None


def _bury(tx: Transaction, worker: Worker, job: Job, problem: Problem) -> None:
    now = worker.queue.clock.now()
    store.finish_job(
        tx, job.id, state=JobState.DEAD, last_error=problem.recorded(attempt=job.attempts, at=now), now=now
    )
    registration: Registration | None = worker.handlers.get(job.kind)
    if registration is not None:
        registration.on_dead(tx, job, problem)
    worker.queue.ring_successor(tx, job.serial_key)
    _LOGGER.warning("Job %s (%s) is dead: %s: %s", job.id, job.kind, problem.type, problem.detail)
