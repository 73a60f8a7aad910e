"""Keeps a lease while its handler works."""

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import copy_context

from chalicelib.errors import Unavailable
from chalicelib.jobs.lease import LeasedJob

_LOGGER = logging.getLogger(__name__)


@contextmanager
def heartbeat(job: LeasedJob, *, every_seconds: float) -> Iterator[None]:
    """Renew the lease from a thread of its own until the block ends or the lease is lost.

    A thread, since handlers spend minutes inside C code and subprocesses; it dies with the process, which
    is what lets the lease run out.
    """
    stop = threading.Event()
    thread = threading.Thread(
        target=copy_context().run,  # so that its log lines bear the correlation id
        args=(_beat, job, stop, every_seconds),
        name=f"heartbeat-{job.id}",
        daemon=True,
    )
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


def _beat(job: LeasedJob, stop: threading.Event, every_seconds: float) -> None:
    while not stop.wait(every_seconds):
        try:
            if not job.renew():
                return
        except Unavailable:
            _LOGGER.warning("The lease of job %s could not be renewed; trying again.", job.id, exc_info=True)
