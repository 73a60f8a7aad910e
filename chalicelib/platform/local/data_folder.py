"""The data folder of a local Lorebase, and the lock that lets one server at a time have it."""

import fcntl
import json
import os
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from chalicelib.errors import Conflict

_LOCK = "server.lock"


class DataFolderInUse(Conflict):
    """Another server has the data folder."""


class DataFolderClosed(Conflict):
    """The data folder belongs to somebody else, or cannot be made."""


@dataclass(frozen=True, slots=True)
class DataFolder:
    """Where everything of a local Lorebase lies. Only its owner may enter it (mode 0700)."""

    root: Path

    @property
    def postgres(self) -> Path:
        """The embedded PostgreSQL: cluster, locks and log."""
        return self.root / "postgres"

    @property
    def originals(self) -> Path:
        """The original store."""
        return self.root / "originals"

    @property
    def secrets(self) -> Path:
        """What the secret store and the CLI's local key are kept in."""
        return self.root / "secrets"

    @property
    def owner_key(self) -> Path:
        """The key that the first start gives the owner, for the CLI on this machine."""
        return self.root / "owner-key"

    def server_url(self) -> str | None:
        """Return where the server that has, or had, the folder answers; None where it ended in good order."""
        try:
            descriptor = os.open(self.root / _LOCK, os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            return None
        try:
            url = _read_occupant(descriptor).get("url")
        finally:
            os.close(descriptor)
        return url if isinstance(url, str) else None

    def create(self) -> None:
        """Make what is missing of the layout. Raises DataFolderClosed where that cannot be."""
        try:
            for folder in (self.root, self.postgres, self.originals, self.secrets):
                folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self.root.chmod(0o700)
        except PermissionError as error:
            raise DataFolderClosed(
                f"The data folder {self.root} is not yours to write to; start Lorebase as its owner, or set"
                " LOREBASE_HOME to another folder.",
                folder=str(self.root),
            ) from error
        except OSError as error:
            raise DataFolderClosed(
                f"The data folder {self.root} cannot be made: {error.strerror}. Set LOREBASE_HOME to another folder.",
                folder=str(self.root),
            ) from error

    def occupy(self, url: str) -> "Occupied":
        """Have the folder for one server, which will answer at `url`, until the result is released.

        Raises DataFolderInUse with `pid` and `url` of the server that has it. The kernel gives the lock back
        however that server ends.
        """
        return Occupied(self.root, url)


class Occupied:
    """The lock on a data folder; `release` it, or use it in a `with` block."""

    def __init__(self, root: Path, url: str) -> None:
        self._descriptor = os.open(root / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            occupant = _read_occupant(self._descriptor)
            os.close(self._descriptor)
            raise DataFolderInUse(
                f"Lorebase already runs on {root}: process {occupant.get('pid', 'unknown')} at"
                f" {occupant.get('url', 'an unknown address')}. Use that one, or stop it first.",
                folder=str(root),
                **occupant,
            ) from error
        self.announce(url)

    def announce(self, url: str) -> None:
        """Say where the server answers, once it knows."""
        self._write({"pid": os.getpid(), "url": url})

    def release(self) -> None:
        """Give the folder back, once."""
        if self._descriptor >= 0:
            self._write({})
            os.close(self._descriptor)
            self._descriptor = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()

    def _write(self, occupant: dict[str, object]) -> None:
        os.ftruncate(self._descriptor, 0)
        os.pwrite(self._descriptor, json.dumps(occupant).encode(), 0)


def _read_occupant(descriptor: int) -> dict[str, object]:
    """Return what the holder wrote; nothing in the moment between its locking and its writing."""
    try:
        said = json.loads(os.pread(descriptor, 4096, 0))
    except ValueError:
        return {}
    return {name: said[name] for name in ("pid", "url") if name in said} if isinstance(said, dict) else {}
