"""Where use cases promise work."""

import random
from collections.abc import Mapping
from datetime import datetime, timedelta
from uuid import UUID

from pydantic import JsonValue

from chalicelib.database.ids import new_id
from chalicelib.database.transaction import Transaction
from chalicelib.jobs import store
from chalicelib.jobs.model import JobId, JobPolicy
from chalicelib.platform.ports import Clock, Doorbell, Ring
from chalicelib.telemetry.correlation import current_correlation_id


class JobQueue:
    """Promises jobs in the caller's transaction and rings once that has committed."""

    def __init__(self, doorbell: Doorbell, clock: Clock, policy: JobPolicy) -> None:
        self.doorbell = doorbell
        self.clock = clock
        self.policy = policy

    def enqueue(
        self,
        tx: Transaction,
        *,
        kind: str,
        key: str,
        payload: Mapping[str, JsonValue],
        workspace_id: UUID | None,
        serial_key: str | None = None,
        not_before: datetime | None = None,
        correlation_id: str | None = None,
        created_by: UUID | None = None,
    ) -> JobId:
        """Promise a job and return its id.

        `kind` and `key` name the work: while a job of both waits that no worker has touched, the same call
        joins it (the later payload and the earlier time win) and returns its id; such a job cannot start
        before this transaction ends. Dead letters of both, and such a job that is put off, are given up.

        Jobs of one `serial_key` run one at a time in the order of their
        creation. `payload` holds ids, never secrets. `correlation_id` is by default that of the present request.
        """
        now = self.clock.now()
        due = not_before or now
        correlation_id = correlation_id or current_correlation_id()
        job_id = store.insert_job(
            tx,
            job_id=new_id(),
            kind=kind,
            key=key,
            payload=payload,
            workspace_id=workspace_id,
            serial_key=serial_key,
            not_before=due,
            correlation_id=correlation_id,
            created_by=created_by,
            now=now,
        )
        store.supersede(tx, kind=kind, key=key, now=now)
        tx.before_commit(self.doorbell.announce)
        if due <= now:
            self.ring_after_commit(tx, Ring(job_id, kind, correlation_id))
        return job_id

    def cancel_key(self, tx: Transaction, *, key: str, workspace_id: UUID) -> int:
        """Cancel what waits, runs or is dead for `key`, since what it is about is gone; return how many jobs that were.

        A job that another transaction has in its hands is left: its handler finds its subject gone.
        """
        return store.cancel_key(tx, key=key, workspace_id=workspace_id, now=self.clock.now())

    def ring_after_commit(self, tx: Transaction, ring: Ring) -> None:
        """Wake a worker for a job once the transaction has committed, and have the sweep look whether one woke."""
        tx.before_commit(self.doorbell.announce)
        tx.after_commit(lambda: self.doorbell.ring([ring]))

    def wake(self, tx: Transaction, *, organization_id: UUID, waiting_for: str) -> None:
        """Let an organization's jobs be done now that wait because of a problem (by its type), once this has committed.

        What they wait for must have been changed before in this transaction, or be locked by it.
        """
        rings = store.wake_waiting(tx, organization_id=organization_id, problem_type=waiting_for, now=self.clock.now())
        if rings:
            tx.before_commit(self.doorbell.announce)
            tx.after_commit(lambda: self.doorbell.ring(rings))

    def ring_successor(self, tx: Transaction, serial_key: str | None) -> None:
        """Wake a worker for the job whose turn it is now that another of its serial key gives way."""
        if serial_key is not None:
            successor = store.next_of_serial_key(tx, serial_key, now=self.clock.now())
            if successor is not None:
                self.ring_after_commit(tx, successor)

    def next_attempt_at(self, attempts: int) -> datetime:
        """Return when to try again after so many attempts: doubling waits, between half and all of each by chance.

        "Equal jitter" of https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/.
        """
        wait = min(self.policy.backoff * 2.0 ** min(attempts - 1, 32), self.policy.backoff_limit)
        return self.clock.now() + timedelta(seconds=wait.total_seconds() * random.uniform(0.5, 1.0))  # noqa: S311  no secret
