"""Private files that survive a crash: whole or absent, never half-written, even after a power cut."""

import os
from collections.abc import Iterable
from pathlib import Path
from uuid import uuid4

BLOCK_BYTES = 1024 * 1024


def make_private_folder(folder: Path) -> None:
    """Create `folder` and its missing parents for their owner alone, durably; parents that exist stay as they are."""
    if folder.is_dir():
        return
    make_private_folder(folder.parent)
    try:
        folder.mkdir(mode=0o700)
    except FileExistsError:
        if not folder.is_dir():
            raise
    sync_folder(folder.parent)


def write_private_file(path: Path, blocks: Iterable[bytes], *, draft_folder: Path | None = None) -> int:
    """Replace `path` by the blocks, all or nothing, and return their length once the disk has them.

    `draft_folder` holds the unfinished file (on the same file system; by default beside `path`).
    Whatever the blocks raise leaves `path` as it was.
    """
    draft = (draft_folder or path.parent) / f".{uuid4().hex}.draft"
    written = 0
    try:
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            for block in blocks:
                written += file.write(block)
            file.flush()
            os.fsync(file.fileno())
        move_durably(draft, path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
    return written


def move_durably(source: Path, target: Path) -> None:
    """Rename within one file system, replacing `target`, creating its folder, and wait for the disk."""
    make_private_folder(target.parent)
    source.replace(target)
    sync_folder(target.parent)


def sync_folder(folder: Path) -> None:
    """Wait until the names in `folder` are on the disk."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
