"""Server settings for one person's machine."""

import sys
from collections.abc import Mapping
from pathlib import Path

_SETTINGS: Mapping[str, str] = {
    "listen_addresses": "",
    "unix_socket_permissions": "0700",
    "max_connections": "60",
    "shared_buffers": "256MB",
    "work_mem": "16MB",
    "maintenance_work_mem": "256MB",
    "effective_cache_size": "1GB",
    "random_page_cost": "1.1",
    "jit": "off",
    # Until a table's first analysis the planner takes it for all but empty, and compares each item with each vector:
    # searches right after a first upload took 4 times as long, for up to a minute by the server's default.
    "autovacuum_naptime": "5s",
    "fsync": "on",
    "synchronous_commit": "on",
    "full_page_writes": "on",
    "timezone": "UTC",
    "log_timezone": "UTC",
    "log_line_prefix": "%m [%p] ",
    # System V segments do not live in /dev/shm, which containers keep at 64 MB: parallel index builds
    # would fail there. Other systems than Linux limit System V memory instead.
    "dynamic_shared_memory_type": "sysv" if sys.platform == "linux" else "posix",
}


def folder_identity(folder: Path) -> str:
    """Name a folder so that a copy of it has another name."""
    status = folder.stat()
    return f"{status.st_dev}:{status.st_ino}"


def render_settings(folder: Path, socket_folder: Path, changes: Mapping[str, str]) -> str:
    """Return the text of a configuration file; `changes` win over what is set here."""
    settings = {
        **_SETTINGS,
        "unix_socket_directories": f'"{socket_folder}"',
        "lorebase.folder": folder_identity(folder),
        **changes,
    }
    return "".join(f"{name} = {_quoted(value)}\n" for name, value in settings.items())


def _quoted(value: str) -> str:
    return "'" + value.replace("\\", "\\\\").replace("'", "''") + "'"
