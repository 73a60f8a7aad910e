"""The folder of the server's socket: short, private, and never where anybody else may enter."""

import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

from chalicelib.platform.local.postgres.account import Account
from chalicelib.platform.local.postgres.errors import PostgresNotStarted

_PREFIX = "lorebase-"
_OWNER_FILE = "owner"
_LONGEST = 107 - len("/.s.PGSQL.5432")  # sun_path of Linux holds 108 bytes, the last of them zero; macOS: 104
_LONGEST_ANYWHERE = _LONGEST - 4


def make_socket_folder(account: Account, *, owner: str) -> Path:
    """Make a new folder of mode 0700 with an unguessable name for the server of `owner`, owned by `account`.

    It does not lie in the data folder: that may be too long for the address of a socket, and the account
    that runs the server for root may not reach it.
    """
    for parent in _parents(account):
        if len(os.fsencode(parent)) + len(f"/{_PREFIX}12345678") <= _LONGEST_ANYWHERE and _is_safe(parent):
            folder = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=parent))
            (folder / _OWNER_FILE).write_text(owner, "utf-8")
            os.chown(folder, account.uid, account.gid)
            return folder
    raise PostgresNotStarted(
        "No folder is short and safe enough for the database's socket; set TMPDIR to a folder that only you may"
        " write to, with a path of less than 70 bytes."
    )


def renew_socket_folder(folder: Path, account: Account, *, owner: str) -> None:
    """Make a folder that `make_socket_folder` made for `owner` ready for another server. Raises PostgresNotStarted."""
    try:
        folder.mkdir(mode=0o700)
    except FileExistsError as error:
        if _owner_of(folder) != owner:
            raise PostgresNotStarted(
                f"Somebody else has taken {folder}, where the database's socket was; restart Lorebase.",
                folder=str(folder),
            ) from error
        # PostgreSQL takes a left lock for a running server where any process has the pid that it names.
        for left in folder.glob(".s.PGSQL.*"):
            left.unlink(missing_ok=True)
        return
    (folder / _OWNER_FILE).write_text(owner, "utf-8")
    os.chown(folder, account.uid, account.gid)


def remove_socket_folder(folder: Path | None, *, owner: str) -> None:
    """Remove a folder that `make_socket_folder` made for `owner`; anything else is left alone.

    A copied data folder brings a pid file that names the socket folder of the original.
    """
    if folder is None or not folder.name.startswith(_PREFIX):
        return
    if _owner_of(folder) == owner:
        shutil.rmtree(folder, ignore_errors=True)


def _owner_of(folder: Path) -> str | None:
    try:
        return (folder / _OWNER_FILE).read_text("utf-8")
    except OSError:
        return None


def _parents(account: Account) -> Iterator[Path]:
    if not account.is_ours:
        yield Path("/run")
    else:
        yield Path(tempfile.gettempdir()).resolve()
    yield Path("/tmp").resolve()  # noqa: S108 - a folder of its own, with mode 0700 and an unguessable name


def _is_safe(parent: Path) -> bool:
    """Tell whether nobody but root and us can replace what we make there."""
    if not (parent.is_dir() and os.access(parent, os.W_OK | os.X_OK)):
        return False
    status = parent.stat()
    writable_by_others = bool(status.st_mode & 0o022)
    return status.st_uid in {0, os.geteuid()} and (not writable_by_others or bool(status.st_mode & stat.S_ISVTX))
