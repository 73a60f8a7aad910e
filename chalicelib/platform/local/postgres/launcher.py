"""Starts the embedded PostgreSQL in a data folder, shares it between processes, and stops it with the last one."""

import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import IO, Self

from chalicelib.platform.local.postgres.account import choose_account
from chalicelib.platform.local.postgres.binaries import Binaries, embedded_binaries
from chalicelib.platform.local.postgres.cluster import Cluster
from chalicelib.platform.local.postgres.locks import UsingLock, starting_lock
from chalicelib.platform.local.postgres.server import (
    DATABASE,
    conninfo_at,
    find_running,
    is_listening,
    start,
    stop,
)

_START_SECONDS = 120.0
_STOP_SECONDS = 60.0
_LARGEST_LOG = 10_000_000
_NO_CHANGES: Mapping[str, str] = MappingProxyType({})


class RunningPostgres:
    """Our share in a running server. Leaving the `with` block, or `stop`, gives it back; the last one out stops it."""

    def __init__(
        self, cluster: Cluster, socket_folder: Path, using: UsingLock, settings: Mapping[str, str] = _NO_CHANGES
    ) -> None:
        self._cluster = cluster
        self._socket_folder = socket_folder
        self._settings = settings
        self._using: UsingLock | None = using

    @property
    def conninfo(self) -> str:
        """How to connect to the database `lorebase`, with psycopg or with PostgreSQL's own programs."""
        return conninfo_at(self._socket_folder, DATABASE)

    def is_listening(self) -> bool:
        """Tell, without asking it anything, whether the server is there."""
        return is_listening(self._socket_folder)

    def revive(self) -> bool:
        """Start a server that has died anew, at the same address; False where there was nothing to do.

        Raises PostgresNotStarted.
        """
        folder = self._cluster.folder.parent
        with starting_lock(folder, limit=_START_SECONDS), _log(folder) as log:
            if self._using is None or find_running(self._cluster, limit=_START_SECONDS) is not None:
                return False
            start(self._cluster, self._settings, log=log, limit=_START_SECONDS, at=self._socket_folder)
        return True

    def stop(self) -> None:
        """Give the share back, once. Raises PostgresNotStopped."""
        if self._using is None:
            return
        using, self._using = self._using, None
        folder = self._cluster.folder.parent
        with starting_lock(folder, limit=_START_SECONDS + _STOP_SECONDS), _log(folder) as log:
            if using.release():
                stop(self._cluster, self._socket_folder, log=log, limit=_STOP_SECONDS)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()


def start_postgres(
    folder: Path, *, binaries: Binaries | None = None, settings: Mapping[str, str] = _NO_CHANGES
) -> RunningPostgres:
    """Start the server of `folder`, or join the one that runs there, and return a share in it.

    `folder` is made if it is not there (mode 0700) and holds the cluster, the locks and the log, in PostgreSQL's
    own names. A server that an application left behind when it was killed is taken over. `settings` change those
    of settings.py, where this call is the one that starts the server.

    Raises PostgresNotStarted, PostgresVersionMismatch, PostgresBinariesMissing, ServerAccountMissing.
    """
    folder = folder.resolve()
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = folder / "cluster"
    account = choose_account(path)
    cluster = Cluster(path, (binaries or embedded_binaries()).reachable_by(account), account)
    with starting_lock(folder, limit=_START_SECONDS), _log(folder) as log:
        cluster.create(log=log, limit=_START_SECONDS)
        socket_folder = find_running(cluster, limit=_START_SECONDS)
        if socket_folder is None:
            socket_folder = start(cluster, settings, log=log, limit=_START_SECONDS)
        return RunningPostgres(cluster, socket_folder, UsingLock(folder), settings)


@contextmanager
def _log(folder: Path) -> Iterator[IO[bytes]]:
    path = folder / "postgres.log"
    if path.exists() and path.stat().st_size > _LARGEST_LOG:
        shutil.move(path, path.with_suffix(".log.1"))
    with path.open("ab") as log:
        path.chmod(0o600)
        yield log
