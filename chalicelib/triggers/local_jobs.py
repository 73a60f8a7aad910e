"""The local process's way to do jobs: the dispatcher, given the same handlers as the functions on AWS."""

from collections.abc import Mapping
from types import MappingProxyType
from uuid import uuid4

from chalicelib.jobs.hold_leases import end_leases_of_the_dead, give_back_leases
from chalicelib.jobs.perform_job import Worker
from chalicelib.jobs.watch_due import list_due, seconds_to_next
from chalicelib.platform.local.dispatcher import Dispatcher, Duties
from chalicelib.platform.local.doorbell import LocalDoorbell
from chalicelib.triggers.jobs import perform_jobs
from chalicelib.triggers.sweep import Chore, sweep

_PREFIX = "local/"


def local_worker_name() -> str:
    """Return a name for this process that no earlier one had, so that its leases can be told from theirs."""
    return f"{_PREFIX}{uuid4()}"


def local_dispatcher(
    worker: Worker,
    doorbell: LocalDoorbell,
    *,
    workers: int,
    sweep_seconds: float,
    chores: Mapping[str, Chore] = MappingProxyType({}),
) -> Dispatcher:
    """Return a dispatcher, not yet started. Only for the sole process of a data folder: it ends others' leases."""
    duties = Duties(
        list_due=lambda limit, except_ids: list_due(worker, limit=limit, except_ids=except_ids),
        seconds_to_next=lambda: seconds_to_next(worker),
        handle=lambda event: perform_jobs(event, worker=worker),
        sweep=lambda: sweep({}, worker=worker, chores=chores),
        arrive=lambda: end_leases_of_the_dead(worker, prefix=_PREFIX),
        leave=lambda: give_back_leases(worker),
    )
    return Dispatcher(doorbell, duties, workers=workers, sweep_seconds=sweep_seconds)
