"""Sees to whatever was forgotten: rings again, buries, tidies up."""

from dataclasses import dataclass
from datetime import timedelta

from chalicelib.jobs import store
from chalicelib.jobs.perform_job import Worker, bury_exhausted

_RINGS = 1000
_BURIALS = 100
_DELETIONS = 5000
_SOON = timedelta(hours=1)
"""What waits for longer keeps nothing awake."""


@dataclass(frozen=True, slots=True)
class SweepReport:
    """How many jobs were rung again, buried and forgotten; how many are open; and for how long one is due by now.

    `open_for_now` of the open ones run, or fall due within the hour.
    """

    rung: int
    buried: int
    deleted: int
    open: int
    oldest_seconds: int
    open_for_now: int


def sweep_jobs(worker: Worker, *, patience: timedelta = timedelta(0)) -> SweepReport:
    """Do one bounded round. `patience` is how long a due job may wait before it is rung again.

    Safe to run at any time, twice at once as well: a ring too many finds nothing to do.
    """
    queue = worker.queue
    now = queue.clock.now()
    with worker.database.transaction() as tx:
        exhausted = store.list_exhausted(tx, max_attempts=queue.policy.attempts, limit=_BURIALS, now=now)
    buried = sum(bury_exhausted(worker, job_id) for job_id in exhausted)
    with worker.database.transaction() as tx:
        deleted = store.delete_old_jobs(tx, before=now - queue.policy.kept, limit=_DELETIONS)
    with worker.database.transaction() as tx:
        rings = store.list_due(tx, now=now, due_before=now - patience, limit=_RINGS)
        backlog = store.read_backlog(tx, before=now + _SOON)
    if rings:
        queue.doorbell.ring(rings)
    overdue = now - min(backlog.due_since or now, now)
    return SweepReport(len(rings), buried, deleted, backlog.open, int(overdue.total_seconds()), backlog.open_for_now)
