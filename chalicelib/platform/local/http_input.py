"""What a connection of the local server reads from: within a time, and heads only as the standard writes them."""

import io
import socket
import time
from email.message import Message
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

_ONCE = ("host", "authorization", "content-type", "content-length", "transfer-encoding", "idempotency-key", "if-match")
"""Headers that say something else to whoever takes the first of two than to whoever takes the last."""


class _TimedSocket(io.RawIOBase):
    """Reads from a socket until a moment at most, and never waits for longer than `silence` seconds."""

    def __init__(self, connection: socket.socket, *, silence: float) -> None:
        self._connection = connection
        self._silence = silence
        self.until = float("inf")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "WriteableBuffer", /) -> int:
        left = min(self._silence, self.until - time.monotonic())
        if left <= 0:
            raise TimeoutError
        self._connection.settimeout(left)
        try:
            return self._connection.recv_into(buffer)
        finally:
            self._connection.settimeout(self._silence)


class HttpInput(io.BufferedReader):
    """Reads requests. `is_malformed` tells that a line since `start` held what only lenient readers take."""

    def __init__(self, connection: socket.socket, *, silence: float) -> None:
        self._timed = _TimedSocket(connection, silence=silence)
        self.is_malformed = False
        super().__init__(self._timed)

    def start(self, *, seconds: float) -> None:
        """Begin to read something that must have come within so many seconds; then TimeoutError is raised."""
        self.is_malformed = False
        self._timed.until = time.monotonic() + seconds

    def readline(self, size: int | None = -1, /) -> bytes:
        """Read a line. A CR inside of it ends a header for some readers and not for others (RFC 9112, 2.2)."""
        line = super().readline(size)
        text = line.removesuffix(b"\n").removesuffix(b"\r")
        self.is_malformed = self.is_malformed or b"\r" in text or b"\0" in text
        return line


def is_sane_head(headers: Message, *, version: str) -> bool:
    """Tell whether a request's headers can be read in one way only (RFC 9112, 3.2, 5.1, 5.2 and 6.3)."""
    if headers.defects or headers.get_payload():
        # A line that is no header, such as `Name : value`; the parser drops it and all that follow.
        return False
    if any("\n" in value for value in headers.values()):
        return False
    if version >= "HTTP/1.1" and "host" not in headers:
        return False
    return all(len(set(headers.get_all(name, ()))) <= 1 for name in _ONCE)
