"""One database cluster on disk: made by initdb, given our configuration, refused where another version made it."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from chalicelib.platform.local.postgres.account import Account, own_account
from chalicelib.platform.local.postgres.binaries import Binaries
from chalicelib.platform.local.postgres.errors import PostgresNotStarted, PostgresVersionMismatch
from chalicelib.platform.local.postgres.settings import render_settings

SUPERUSER = "lorebase"
_HERE = "/proc/self/cwd"
_FIRST_WITH_BUILTIN_LOCALE = 17


@dataclass(frozen=True, slots=True)
class Cluster:
    """The folder of one cluster, the programs for it and the account that owns it."""

    folder: Path
    binaries: Binaries
    account: Account

    def run(self, program: str, arguments: Sequence[str], *, output: IO[bytes], limit: float) -> int:
        """Run one of PostgreSQL's programs on this cluster as its account and return the exit code.

        Output goes to a file, never to a pipe: the server would inherit the pipe, and whoever waits for its
        end would wait for the server.
        """
        return _run(self, self.folder, program, arguments, output=output, limit=limit)

    def create(self, *, log: IO[bytes], limit: float) -> None:
        """Make the cluster if there is none; a half-made one is never left under its name."""
        if self.folder.exists():
            self._refuse_other_version()
            return
        unfinished = Path(tempfile.mkdtemp(prefix="unfinished-", dir=self.folder.parent))
        try:
            os.chown(unfinished, self.account.uid, self.account.gid)
            arguments = [f"--username={SUPERUSER}", "--encoding=UTF8", "--auth=peer", *self._locale()]
            if _run(self, unfinished, "initdb", arguments, output=log, limit=limit) != 0:
                raise PostgresNotStarted(f"initdb failed; see {log.name} for what it said.", log=log.name)
            with (unfinished / "postgresql.conf").open("a", encoding="utf-8") as configuration:
                configuration.write("\ninclude 'lorebase.conf'\n")
            unfinished.rename(self.folder)
        finally:
            shutil.rmtree(unfinished, ignore_errors=True)

    def configure(self, socket_folder: Path, settings: Mapping[str, str]) -> None:
        """Write the settings, and admit at the socket the account of this process alone, as superuser."""
        self._write("lorebase.conf", render_settings(self.folder, socket_folder, settings))
        self._write("pg_hba.conf", f"local all {SUPERUSER} peer map=lorebase\n")
        self._write("pg_ident.conf", f'lorebase "{own_account().name}" {SUPERUSER}\n')

    def _locale(self) -> Sequence[str]:
        # Never the locale of the environment: under LANG=C, lower('Ä') does nothing. The built-in provider
        # sorts the same on every operating system, so an upgrade of that does not break indexes.
        if self.binaries.major < _FIRST_WITH_BUILTIN_LOCALE:
            return ["--locale=C.UTF-8"]
        return ["--locale=C.UTF-8", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"]

    def _refuse_other_version(self) -> None:
        found = (self.folder / "PG_VERSION").read_text("ascii").strip()
        if found != str(self.binaries.major):
            raise PostgresVersionMismatch(
                f"The database in {self.folder} was made by PostgreSQL {found}, and this Lorebase brings"
                f" {self.binaries.major}. Start the Lorebase that made it, dump it with pg_dump, move the folder away,"
                " and restore the dump with this one: docs/operations.md has the commands.",
                folder=str(self.folder),
                found=found,
                expected=self.binaries.major,
            )

    def _write(self, name: str, text: str) -> None:
        path = self.folder / name
        new = path.with_name(f"{name}.new")
        new.write_text(text, "utf-8")
        new.chmod(0o600)
        os.chown(new, self.account.uid, self.account.gid)
        new.replace(path)


def _run(
    cluster: Cluster, folder: Path, program: str, arguments: Sequence[str], *, output: IO[bytes], limit: float
) -> int:
    """Run a program on `folder`, which it is told as its working directory when another account runs it.

    That account may have no way through the parents of the data folder (/root, say). The kernel lets a process
    open /proc/self/cwd whatever its parents' modes are; the working directory is set while we are still root.
    """
    account = cluster.account
    lesser = not account.is_ours
    command = [
        str(cluster.binaries.program(program)),
        "-D",
        _HERE if lesser else str(folder),
        *arguments,
    ]
    return subprocess.run(  # noqa: S603 - our own program
        command,
        cwd=folder,
        env=_environment(),
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=output,
        timeout=limit,
        check=False,
        user=account.uid if lesser else None,
        group=account.gid if lesser else None,
        extra_groups=[] if lesser else None,
    ).returncode


def _environment() -> Mapping[str, str]:
    return {"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "TZ": "UTC"}
