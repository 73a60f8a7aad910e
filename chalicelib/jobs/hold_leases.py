"""What a process does with leases when it comes and when it goes."""

from chalicelib.jobs import store
from chalicelib.jobs.perform_job import Worker


def give_back_leases(worker: Worker) -> int:
    """Return what this worker holds to the waiting jobs, the attempts uncounted, since it stops in good order."""
    with worker.database.transaction() as tx:
        return store.release_leases(tx, worker=worker.name, now=worker.queue.clock.now())


def end_leases_of_the_dead(worker: Worker, *, prefix: str) -> int:
    """End the leases of all other workers whose names begin with `prefix`, so that nobody waits for them.

    Right only for who knows that it is the sole living process of those names: the local server, which
    holds its data folder. The attempts that were cut off count. What was out of reach of the dead may be within
    ours, so that jobs between two attempts are due at once.
    """
    with worker.database.transaction() as tx:
        store.wake_returned(tx, now=worker.queue.clock.now())
        return store.expire_leases(tx, prefix=prefix, worker=worker.name, now=worker.queue.clock.now())
