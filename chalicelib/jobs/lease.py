"""A job in the hands of a worker: its lease, and the fence that all its effects must pass."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from threading import Event
from uuid import UUID

from pydantic import JsonValue

from chalicelib.database.database import Database
from chalicelib.database.transaction import Transaction
from chalicelib.jobs import store
from chalicelib.jobs.errors import LeaseLost
from chalicelib.jobs.model import Job, JobId, JobState
from chalicelib.jobs.queue import JobQueue


class LeasedJob:
    """What a handler is given. All effects go through `finish` or `fenced`; what it does elsewhere may happen twice."""

    def __init__(self, job: Job, *, database: Database, queue: JobQueue) -> None:
        self.job = job
        self.deadline = queue.clock.now() + queue.policy.attempt_limit
        self.is_finished = False
        self.is_refused = False
        """A handler sets it where it finished by showing its people why nothing can come of the job."""
        self._database = database
        self._queue = queue
        self._lost = Event()

    @property
    def id(self) -> JobId:
        """The job's id."""
        return self.job.id

    @property
    def kind(self) -> str:
        """The job's kind."""
        return self.job.kind

    @property
    def payload(self) -> Mapping[str, JsonValue]:
        """What was promised."""
        return self.job.payload

    @property
    def workspace_id(self) -> UUID | None:
        """The workspace that the job belongs to."""
        return self.job.workspace_id

    @property
    def attempt(self) -> int:
        """The number of this attempt, from 1."""
        return self.job.attempts

    @property
    def correlation_id(self) -> str:
        """What log lines about this job are found by."""
        return self.job.correlation_id or str(self.job.id)

    @contextmanager
    def finish(self) -> Iterator[Transaction]:
        """Write the effects and "done" in one transaction, exactly once. Raises LeaseLost before the block runs."""
        with self.fenced() as tx:
            yield tx
            store.finish_job(tx, self.id, state=JobState.DONE, last_error=None, now=self._queue.clock.now())
            self._queue.ring_successor(tx, self.job.serial_key)
        self.is_finished = True

    @contextmanager
    def fenced(self) -> Iterator[Transaction]:
        """Write progress in a transaction that only the holder of the lease may commit. Raises LeaseLost."""
        with self._database.transaction() as tx:
            if store.lock_leased_job(tx, self.id, fence=self.job.fence) is None:
                self._lost.set()
                raise LeaseLost("The job was taken over, cancelled or deleted.", job_id=str(self.id))
            yield tx

    def is_mine(self) -> bool:
        """Tell, without asking the database, whether the last heartbeat still held the lease."""
        return not self._lost.is_set()

    def require_lease(self) -> None:
        """Stop long work between two steps where it has become vain. Raises LeaseLost."""
        if not self.is_mine():
            raise LeaseLost("The job was taken over, cancelled or deleted.", job_id=str(self.id))

    def renew(self) -> bool:
        """Extend the lease; False where it is lost, or where the attempt has gone on for longer than it may."""
        now = self._queue.clock.now()
        held = now < self.deadline
        if held:
            with self._database.transaction() as tx:
                held = store.extend_lease(
                    tx, self.id, fence=self.job.fence, lease_expires_at=now + self._queue.policy.lease
                )
        if not held:
            self._lost.set()
        return held
