"""What a server leaves in its cluster: the pid file, read with distrust, and processes that outlived their parent."""

import os
import signal
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_PROC = Path("/proc")
_SOCKET_FOLDER_LINE = 4


@dataclass(frozen=True, slots=True)
class PidFile:
    """What `postmaster.pid` says; it may say it of a server that is long gone."""

    pid: int
    socket_folder: Path | None


def read_pid_file(cluster: Path) -> PidFile | None:
    """Return what `postmaster.pid` says, or None where there is none. A broken one says pid 0."""
    try:
        lines = (cluster / "postmaster.pid").read_text("utf-8").splitlines()
    except FileNotFoundError:
        return None
    pid = abs(int(lines[0])) if lines and lines[0].lstrip("-").isdigit() else 0
    folder = lines[_SOCKET_FOLDER_LINE] if len(lines) > _SOCKET_FOLDER_LINE else ""
    return PidFile(pid, Path(folder) if folder else None)


def works_on(pid: int, cluster: Path) -> bool:
    """Tell whether process `pid` is a server process of `cluster`.

    A pid alone proves nothing, since pids are used again. All of a server's processes have the cluster as
    their working directory; where that cannot be asked, the command line names it.
    """
    if pid <= 0:
        return False
    if _PROC.joinpath("self", "cwd").exists():
        try:
            return cluster.samefile(_PROC / str(pid) / "cwd") and _is_postgres(pid)
        except OSError:
            return False
    command = ["/bin/ps", "-p", str(pid), "-o", "command="]
    said = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 - a fixed program
    return f"-D {cluster}" in said.stdout


def end_orphans(cluster: Path, *, limit: float) -> bool:
    """End the server processes whose postmaster was killed, and tell whether all are gone within `limit` seconds.

    They hold the shared memory of the cluster, and PostgreSQL rightly does not start beside them.
    """
    deadline = time.monotonic() + limit
    signalled: set[int] = set()
    while orphans := set(_processes_on(cluster)):
        for pid in orphans - signalled:
            _terminate(pid)
        signalled |= orphans
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def _processes_on(cluster: Path) -> Iterator[int]:
    if not _PROC.joinpath("self", "cwd").exists():
        return
    for entry in _PROC.iterdir():
        if entry.name.isdigit() and works_on(int(entry.name), cluster):
            yield int(entry.name)


def _is_postgres(pid: int) -> bool:
    # A shell that somebody left in the folder is not a server.
    return (_PROC / str(pid) / "comm").read_text("utf-8").strip() == "postgres"


def _terminate(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGTERM)
    except ProcessLookupError:
        return
