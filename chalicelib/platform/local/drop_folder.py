"""The drop folder: a file saved at `<workspace>/<path>` in it becomes an item at that path.

It does locally what a bucket and its events do: what comes to rest in the folder is put in the original store
under `drop/<workspace>/<path>`, and told of by the same event. The files themselves are left alone.
"""

import logging
import os
import stat
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from typing import Any

from chalicelib.errors import LorebaseError
from chalicelib.platform.keys import checked_key
from chalicelib.platform.local.drop_record import DropRecord
from chalicelib.platform.local.durable_files import make_private_folder
from chalicelib.platform.local.object_events import object_created
from chalicelib.platform.ports import Clock, Originals

_LOGGER = logging.getLogger(__name__)
_UNFINISHED = (".tmp", ".temp", ".part", ".partial", ".crdownload", ".download", ".swp", ".swx", ".filepart", "~")
_NOT_MEANT = {"thumbs.db", "desktop.ini"}


@dataclass(frozen=True, slots=True)
class _Look:
    """What one look at a file saw. `ctime_ns` grows with every write, rename and change of rights."""

    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int


class DropFolder:
    """Looks into `folder` again and again; a file that two looks find the same is taken, once."""

    def __init__(
        self,
        folder: Path,
        *,
        originals: Originals,
        record: DropRecord,
        clock: Clock,
        emit: Callable[[Mapping[str, Any]], None],
    ) -> None:
        """`emit` hands an SQS event with one S3 event to the trigger of originals, and raises what it cannot take."""
        self._folder = folder
        self._originals = originals
        self._record = record
        self._clock = clock
        self._emit = emit
        self._looks: dict[str, _Look] = {}
        self._complaints: set[str] = set()
        make_private_folder(folder)

    def watch(self, stop: Event, *, every_seconds: float) -> None:
        """Look every so often until `stop` is set."""
        while not stop.wait(every_seconds):
            self.look()

    def look(self) -> int:
        """Look once, and return how many files were taken. A file that cannot be taken is tried at every look."""
        looks = dict(_files(self._folder))
        settled = [path for path, look in looks.items() if self._looks.get(path) == look]
        self._looks = looks
        return sum(self._take(path, looks[path]) for path in settled)

    def _take(self, path: str, look: _Look) -> bool:
        sequencer = f"{look.ctime_ns:016X}"
        if self._record.find(path) == sequencer:
            return False
        if "/" not in path:
            self._complain(path, "it lies in no workspace's folder")
            return False
        try:
            return self._put(path, look, sequencer)
        except OSError as error:
            self._complain(path, str(error.strerror))
        except LorebaseError as error:
            self._complain(path, error.detail)
        return False

    def _put(self, path: str, look: _Look, sequencer: str) -> bool:
        key = checked_key(f"drop/{path}")
        with os.fdopen(os.open(self._folder / path, os.O_RDONLY | os.O_NOFOLLOW), "rb") as file:
            stored = self._originals.put(key, file)
            unchanged = _look(os.fstat(file.fileno())) == look
        if not unchanged:
            return False  # It was written to meanwhile; what was put is replaced once it has come to rest.
        self._emit(object_created(key, size=stored.size, sequencer=sequencer, now=self._clock.now()))
        self._record.keep(path, sequencer)
        return True

    def _complain(self, path: str, reason: str) -> None:
        """Log once a process and reason, since the file is met at every look."""
        complaint = f"The dropped file {path!r} is not taken: {reason}."
        if complaint not in self._complaints:
            self._complaints.add(complaint)
            _LOGGER.warning(complaint)


def _files(folder: Path) -> Iterator[tuple[str, _Look]]:
    """Yield the finished, visible, regular files below `folder` by their path in it; links are not followed."""
    for parent, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            path = Path(parent, name)
            if _is_meant(name) and (status := _status(path)) is not None:
                yield path.relative_to(folder).as_posix(), _look(status)


def _is_meant(name: str) -> bool:
    lower = name.lower()
    return not lower.startswith((".", "~$", "#")) and not lower.endswith(_UNFINISHED) and lower not in _NOT_MEANT


def _status(path: Path) -> os.stat_result | None:
    try:
        status = path.lstat()
    except OSError:
        return None  # It went away between the listing and the look.
    return status if stat.S_ISREG(status.st_mode) else None


def _look(status: os.stat_result) -> _Look:
    return _Look(status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)
