"""The two locks of a data folder: `starting`, held alone to start or stop, and `using`, shared by all who use it.

flock belongs to the open file, so the kernel gives a lock back however its holder ends.
"""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from chalicelib.platform.local.postgres.errors import PostgresNotStarted

_POLL_SECONDS = 0.02


@contextmanager
def starting_lock(folder: Path, *, limit: float) -> Iterator[None]:
    """Be the only one who starts or stops the server of `folder`. Raises PostgresNotStarted after `limit` seconds."""
    descriptor = _open(folder / "starting.lock")
    try:
        deadline = time.monotonic() + limit
        while not _try_lock(descriptor, fcntl.LOCK_EX):
            if time.monotonic() > deadline:
                raise PostgresNotStarted(
                    f"Another process has been starting or stopping the database in {folder} for more than"
                    f" {limit:.0f} s; end it and start again.",
                    folder=str(folder),
                )
            time.sleep(_POLL_SECONDS)
        yield
    finally:
        os.close(descriptor)


class UsingLock:
    """A share in the use of the server; taken and given back while holding `starting_lock`."""

    def __init__(self, folder: Path) -> None:
        """Take the share; nobody can hold it alone meanwhile."""
        self._descriptor = _open(folder / "using.lock")
        fcntl.flock(self._descriptor, fcntl.LOCK_SH)

    def release(self) -> bool:
        """Give the share back and return whether it was the last one."""
        last = _try_lock(self._descriptor, fcntl.LOCK_EX)
        os.close(self._descriptor)
        return last


def _open(path: Path) -> int:
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)


def _try_lock(descriptor: int, kind: int) -> bool:
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
