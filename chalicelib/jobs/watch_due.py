"""What is due, for a dispatcher that reads the table instead of a queue."""

from collections.abc import Collection, Sequence
from uuid import UUID

from chalicelib.jobs import store
from chalicelib.jobs.perform_job import Worker
from chalicelib.platform.ports import Ring


def list_due(worker: Worker, *, limit: int, except_ids: Collection[UUID]) -> Sequence[Ring]:
    """Return at most `limit` jobs that can be claimed now, in turns among the workspaces."""
    now = worker.queue.clock.now()
    with worker.database.transaction() as tx:
        return store.list_due(tx, now=now, due_before=now, limit=limit, except_ids=except_ids)


def seconds_to_next(worker: Worker) -> float | None:
    """Return how long it takes until something falls due by itself; None where nothing will."""
    now = worker.queue.clock.now()
    with worker.database.transaction() as tx:
        moment = store.next_moment(tx, now=now)
    return None if moment is None else (moment - now).total_seconds()
