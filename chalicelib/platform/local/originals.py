"""The original store as a folder: every answer is on the disk before it is given."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from pathlib import Path
from typing import BinaryIO

from chalicelib.platform.errors import OriginalNotFound, OriginalsUnavailable
from chalicelib.platform.keys import checked_key
from chalicelib.platform.local.durable_files import (
    BLOCK_BYTES,
    make_private_folder,
    write_private_file,
)
from chalicelib.platform.local.key_names import path_of_key, walk_keys
from chalicelib.platform.local.presigning import Presigner
from chalicelib.platform.ports import PresignedTarget, StoredOriginal


class LocalOriginals:
    """Keeps each original as one file of its owner's below `folder`."""

    def __init__(self, folder: Path, *, presigner: Presigner) -> None:
        """`folder` belongs to the store alone and is created where it is missing."""
        self._root = folder / "objects"
        self._drafts = folder / "drafts"
        self._presigner = presigner
        for private in (self._root, self._drafts):
            make_private_folder(private)

    def put(self, key: str, content: BinaryIO) -> StoredOriginal:
        """Write `content` to its end under `key`, replacing what was there, all or nothing."""
        return self.put_blocks(key, iter(lambda: content.read(BLOCK_BYTES), b""))

    def put_blocks(self, key: str, blocks: Iterator[bytes]) -> StoredOriginal:
        """Write the blocks under `key`; whatever they raise leaves the store as it was."""
        path = self._path(key)
        with _translated_errors(key):
            return StoredOriginal(key, write_private_file(path, blocks, draft_folder=self._drafts))

    @contextmanager
    def open(self, key: str) -> Iterator[BinaryIO]:
        """Read from the start. Raises OriginalNotFound."""
        with _translated_errors(key):
            file = self._path(key).open("rb")
        with file:
            yield file

    def find(self, key: str) -> StoredOriginal | None:
        """Return what is under `key`, or None."""
        path = self._path(key)
        with suppress(OriginalNotFound), _translated_errors(key):
            return StoredOriginal(key, path.stat().st_size)
        return None

    def delete(self, key: str) -> None:
        """Remove `key`; nothing happens where nothing is."""
        path = self._path(key)
        with _translated_errors(key):
            path.unlink(missing_ok=True)

    def walk(self, prefix: str) -> Iterator[StoredOriginal]:
        """Yield everything whose key starts with `prefix`, in key order."""
        for key, path in walk_keys(self._root, prefix):
            with suppress(OriginalNotFound), _translated_errors(key):
                yield StoredOriginal(key, path.stat().st_size)

    def presign_put(self, key: str, *, size: int, valid_for: timedelta) -> PresignedTarget:
        """Let a client write exactly `size` bytes under `key` until the time is up."""
        return self._presigner.presign_put(checked_key(key), size=size, valid_for=valid_for)

    def presign_get(self, key: str, *, filename: str, media_type: str, valid_for: timedelta) -> str:
        """Return a URL that downloads `key` as `filename` (always as an attachment) until the time is up."""
        return self._presigner.presign_get(
            checked_key(key), filename=filename, media_type=media_type, valid_for=valid_for
        )

    def remove_drafts(self) -> int:
        """Remove what a killed process left half-written; only while no other process writes. Returns how many."""
        drafts = list(self._drafts.iterdir())
        for draft in drafts:
            draft.unlink(missing_ok=True)
        return len(drafts)

    def _path(self, key: str) -> Path:
        return path_of_key(self._root, checked_key(key))


@contextmanager
def _translated_errors(key: str) -> Iterator[None]:
    try:
        yield
    except (FileNotFoundError, NotADirectoryError) as error:
        raise OriginalNotFound("The original is no longer in the store.", key=key) from error
    except OSError as error:
        raise OriginalsUnavailable(
            f"The folder of originals cannot be used: {error.strerror}. Check its disk and permissions.", key=key
        ) from error
