"""What of this project the package holds."""

import hashlib
import shutil
import tomllib
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

_LEFT_OUT = (
    "chalicelib/cli",  # the terminal's
    "chalicelib/evaluation",  # known to the terminal alone
    "chalicelib/platform/local",  # the laptop's side of every port
    "chalicelib/triggers/local_jobs.py",
)


def source_files() -> Sequence[Path]:
    """Return what the API and the workers need, relative to the project."""
    found = [Path("app.py")]
    for file in (ROOT / "chalicelib").rglob("*"):
        relative = file.relative_to(ROOT)
        if file.is_file() and "__pycache__" not in relative.parts and not _is_left_out(relative):
            found.append(relative)
    return sorted(found)


def _is_left_out(relative: Path) -> bool:
    return any(relative.is_relative_to(left_out) for left_out in _LEFT_OUT)


def copy_sources(folder: Path) -> None:
    """Copy them, and say which version of Lorebase it is to whoever asks importlib.metadata."""
    for relative in source_files():
        target = folder / relative
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / relative, target)
    version = _version()
    metadata = folder / f"lorebase-{version}.dist-info" / "METADATA"
    metadata.parent.mkdir()
    metadata.write_text(f"Metadata-Version: 2.1\nName: lorebase\nVersion: {version}\n", "utf-8")


def hash_files(*files: Path) -> str:
    """Return one SHA-256 of the names and contents of files of the project."""
    digest = hashlib.sha256()
    for file in files:
        content = (ROOT / file).read_bytes()
        digest.update(f"{file.as_posix()}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()


def _version() -> str:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    return str(project["version"])
