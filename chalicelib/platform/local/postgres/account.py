"""Which operating system account runs the server: ours, or a lesser one when we are root."""

import os
import pwd
from dataclasses import dataclass
from pathlib import Path

from chalicelib.platform.local.postgres.errors import ServerAccountMissing

_CANDIDATES = ("postgres", "nobody")


@dataclass(frozen=True, slots=True)
class Account:
    """An account that exists in the system's user database."""

    name: str
    uid: int
    gid: int

    @property
    def is_ours(self) -> bool:
        """Whether it is the account of this process."""
        return self.uid == os.geteuid()

    def may_enter(self, folder: Path) -> bool:
        """Whether the account may reach and enter `folder`, by the mode bits of it and of its parents."""
        return all(self._may_search(parent.stat()) for parent in (folder, *folder.parents))

    def _may_search(self, status: os.stat_result) -> bool:
        if status.st_uid == self.uid:
            return bool(status.st_mode & 0o100)
        if status.st_gid == self.gid:
            return bool(status.st_mode & 0o010)
        return bool(status.st_mode & 0o001)


def own_account() -> Account:
    """Return the account of this process. Raises ServerAccountMissing where its user id has no name.

    initdb and the peer authentication of PostgreSQL both look the name up.
    """
    uid = os.geteuid()
    try:
        return _of_entry(pwd.getpwuid(uid))
    except KeyError as error:
        raise ServerAccountMissing(
            f"User id {uid} has no name in the system's user database, which PostgreSQL insists on; add it to"
            " /etc/passwd, or give the URL of a server of your own in LOREBASE_DATABASE_URL.",
            uid=uid,
        ) from error


def choose_account(cluster: Path) -> Account:
    """Return who runs the server in `cluster`, which need not exist yet.

    PostgreSQL refuses to run as root. Where we are root, the owner of an existing cluster goes on;
    a new one gets the first that exists of the accounts `postgres` and `nobody`. None is ever added.
    """
    ours = own_account()
    if ours.uid != 0:
        return ours
    if cluster.exists() and cluster.stat().st_uid != 0:
        return _of_entry(pwd.getpwuid(cluster.stat().st_uid))
    entries = {entry.pw_name: entry for entry in pwd.getpwall()}
    for name in _CANDIDATES:
        if name in entries and entries[name].pw_uid != 0:
            return _of_entry(entries[name])
    raise ServerAccountMissing(
        "PostgreSQL does not run as root, and neither of the accounts `postgres` and `nobody` exists;"
        " start Lorebase as an ordinary user."
    )


def _of_entry(entry: pwd.struct_passwd) -> Account:
    return Account(entry.pw_name, entry.pw_uid, entry.pw_gid)
