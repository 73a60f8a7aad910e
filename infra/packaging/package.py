"""Builds the package of a target, once for the same inputs."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from infra.packaging.archive import write_archive
from infra.packaging.bytecode import compile_folder
from infra.packaging.pruning import prune
from infra.packaging.sources import ROOT, copy_sources, hash_files, source_files
from infra.packaging.target import Target

LOCK = Path("requirements.txt")
FOLDER = ROOT / "build" / "packages"


def build_package(target: Target, *, folder: Path = FOLDER) -> Path:
    """Return the path of the zip for a target; what was built before from the same inputs is used again.

    Raises subprocess.CalledProcessError where pip cannot have a wheel of every locked version.
    """
    key = _key(target, *source_files(), Path("pyproject.toml"))
    path = folder / f"lorebase-{_label(target)}-{key}.zip"
    if path.exists():
        return path
    dependencies = install_dependencies(target, folder=folder)
    with tempfile.TemporaryDirectory(dir=folder) as work:
        sources = Path(work) / "sources"
        sources.mkdir()
        copy_sources(sources)
        compile_folder(sources, target)
        archive = Path(work) / path.name
        write_archive(archive, dependencies, sources)
        archive.replace(path)
    return path


def install_dependencies(target: Target, *, folder: Path = FOLDER) -> Path:
    """Return a folder with the locked dependencies of a target, pruned and compiled."""

    def install(into: Path) -> None:
        _pip(target, into)
        prune(into)
        compile_folder(into, target)

    return _once(folder / f"dependencies-{_label(target)}-{_key(target)}", install)


def _once(folder: Path, fill: Callable[[Path], None]) -> Path:
    """Return `folder`, filled; whoever fills it at the same time gets the one that was finished first."""
    if folder.is_dir():
        return folder
    folder.parent.mkdir(parents=True, exist_ok=True)
    work = Path(tempfile.mkdtemp(dir=folder.parent))
    try:
        fill(work)
        try:
            work.rename(folder)
        except OSError:
            if not folder.is_dir():
                raise
    finally:
        shutil.rmtree(work, ignore_errors=True)
    return folder


def _pip(target: Target, folder: Path) -> None:
    wanted = [flag for platform in target.platforms for flag in ("--platform", platform)]
    subprocess.run(  # noqa: S603 - a program and arguments of our own
        [
            sys.executable,
            *("-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-input"),
            # The lock is complete; pip would read the conditions of dependencies with the wrong Python in mind.
            *("--require-hashes", "--no-deps", "--only-binary=:all:", "--no-compile"),
            *("--python-version", target.version, "--implementation", "cp", *wanted),
            *("--target", str(folder), "--requirement", str(ROOT / LOCK)),
        ],
        check=True,
        env={**os.environ, "PIP_ROOT_USER_ACTION": "ignore"},
    )


def _label(target: Target) -> str:
    return f"python{target.version}-{target.platforms[0] if target.platforms else 'host'}"


def _key(target: Target, *files: Path) -> str:
    packaging = sorted(path.relative_to(ROOT) for path in Path(__file__).parent.glob("*.py"))
    compiled = "sources" if target.interpreter() is None else "compiled"
    return f"{hash_files(LOCK, *packaging, *files)[:24]}-{compiled}"
