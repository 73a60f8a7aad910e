"""What the local server does with a presigned URL: takes bytes in, or gives them out, in blocks."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, BinaryIO

from chalicelib.platform.download_names import content_disposition
from chalicelib.platform.errors import OriginalSizeMismatch
from chalicelib.platform.local.durable_files import BLOCK_BYTES
from chalicelib.platform.local.object_events import object_created, sequencer
from chalicelib.platform.local.originals import LocalOriginals
from chalicelib.platform.local.presigning import Presigner
from chalicelib.platform.ports import Clock, StoredOriginal


@dataclass(frozen=True, slots=True)
class Download:
    """The answer to a presigned GET: its headers, and the open original to stream as the body."""

    headers: Mapping[str, str]
    content: AbstractContextManager[BinaryIO]


class PresignedRequests:
    """Answers PUT and GET of presigned URLs, and tells of what was put as the bucket's events would."""

    def __init__(
        self,
        originals: LocalOriginals,
        *,
        presigner: Presigner,
        clock: Clock,
        emit: Callable[[Mapping[str, Any]], None],
    ) -> None:
        """`emit` hands an SQS event with one S3 event to the trigger of originals, and raises what it cannot take."""
        self._originals = originals
        self._presigner = presigner
        self._clock = clock
        self._emit = emit

    def handle_put(self, target: str, headers: Mapping[str, str], body: BinaryIO) -> StoredOriginal:
        """Store the body of a PUT to `target` (path and query); names of `headers` are in lower case.

        Raises PresignedUrlRefused (403), OriginalSizeMismatch (400), OriginalsUnavailable (503); the body is
        then not, or not wholly, read, so the connection must be closed.
        """
        permission = self._presigner.read(target, method="PUT")
        if headers.get("content-length") != str(permission.size):
            raise OriginalSizeMismatch(
                f"This URL takes exactly {permission.size} bytes, announced by Content-Length.",
                expected_bytes=permission.size,
            )
        stored = self._originals.put_blocks(permission.key, _blocks(body, permission.size))
        now = self._clock.now()
        self._emit(object_created(stored.key, size=stored.size, sequencer=sequencer(now), now=now))
        return stored

    def handle_get(self, target: str) -> Download:
        """Open what a GET of `target` (path and query) may download.

        Raises PresignedUrlRefused (403), OriginalNotFound (404), OriginalsUnavailable (503).
        """
        permission = self._presigner.read(target, method="GET")
        stored = self._originals.find(permission.key)
        content = self._originals.open(permission.key)
        headers = {
            "Content-Type": permission.media_type or "application/octet-stream",
            "Content-Disposition": content_disposition(permission.filename),
            "X-Content-Type-Options": "nosniff",
            "Content-Security-Policy": "sandbox",
            "Cache-Control": "private, no-store",
        }
        if stored is not None:
            headers["Content-Length"] = str(stored.size)
        return Download(headers, content)


def _blocks(body: BinaryIO, size: int) -> Iterator[bytes]:
    left = size
    while left:
        block = body.read(min(left, BLOCK_BYTES))
        if not block:
            raise OriginalSizeMismatch(
                f"The connection ended {left} bytes before the announced end. Send it again.", missing_bytes=left
            )
        left -= len(block)
        yield block
