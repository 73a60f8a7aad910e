"""Folders for the bytes of one job, and an end to those of processes that were cut off."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock

_PREFIX = "lorebase"
_lock = Lock()
_cleared_by: list[int] = []


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """Give a folder that is gone afterwards; the process's first call clears away what others left.

    Lambda keeps /tmp when it ends a process at its time limit and begins another in the same environment
    (docs.aws.amazon.com/lambda/latest/dg/lambda-runtime-environment.html), so that a few large uploads that were cut
    off would fill it.
    """
    _clear_once()
    with tempfile.TemporaryDirectory(prefix=f"{_PREFIX}-{os.getpid()}-") as folder:
        yield Path(folder)


def _clear_once() -> None:
    with _lock:
        if _cleared_by != [os.getpid()]:
            _cleared_by[:] = [os.getpid()]
            for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}-*-*"):
                if not _is_in_use(folder):
                    shutil.rmtree(folder, ignore_errors=True)


def _is_in_use(folder: Path) -> bool:
    """Tell whether another process is there that may need it; one of our own number is gone, since we just began."""
    owner = folder.name.split("-")[1]
    if not owner.isdecimal():
        return True
    if int(owner) == os.getpid():
        return False
    try:
        os.kill(int(owner), 0)
    except ProcessLookupError:
        return False
    except (OverflowError, OSError):
        return True
    return True
