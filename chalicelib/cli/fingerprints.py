"""Reads local files without holding them: their SHA-256, and their bytes in blocks."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from chalicelib.cli.errors import FileChanged
from chalicelib.cli.local_files import LocalFile

_BLOCK = 1024 * 1024


@dataclass(frozen=True, slots=True)
class FingerprintedFile:
    """A file to upload with what its bytes are."""

    file: LocalFile
    sha256: str
    size: int


def fingerprint(file: LocalFile) -> FingerprintedFile:
    """Read a file once. Raises OSError."""
    digest, size = hashlib.sha256(), 0
    with file.local.open("rb") as content:
        while block := content.read(_BLOCK):
            size += len(block)
            digest.update(block)
    return FingerprintedFile(file, digest.hexdigest(), size)


def read_blocks(path: Path, *, size: int) -> Iterator[bytes]:
    """Yield the `size` bytes of a file that were announced. Raises FileChanged where they are not there any more."""
    left = size
    with path.open("rb") as content:
        while left:
            block = content.read(min(left, _BLOCK))
            if not block:
                raise FileChanged("The file was cut while it was being sent; upload it again.")
            left -= len(block)
            yield block
