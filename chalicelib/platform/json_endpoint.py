"""Posts JSON to an endpoint that the operator named: connections are kept, and a deadline holds for all of an answer.

Other than for what strangers name (platform/public_documents.py), a private address is as good as a public one here.
"""

import http.client
import json
import socket
import ssl
import time
import weakref
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from threading import Event, Lock, Timer
from urllib.parse import urlsplit

from chalicelib.platform.provider_calls import CallFailed, Outcome

_SECONDS_TO_CONNECT = 5.0
_MOST_BYTES = 64 * 1024 * 1024
_MOST_TEXT = 2000
_MOST_IDLE = 16
# Shorter than servers and gateways keep a silent connection.
_SECONDS_IDLE = 30.0


@dataclass(frozen=True, slots=True)
class JsonAnswer:
    """An answer as it came: `headers` by lower-case name, `content` None where it is no JSON, `text` its beginning."""

    status: int
    headers: Mapping[str, str]
    content: object
    text: str


@dataclass(frozen=True, slots=True)
class _Idle:
    connection: http.client.HTTPConnection
    since: float


class JsonEndpoint:
    """A server by its URL, to whose path others are added; threads may share it."""

    def __init__(self, url: str) -> None:
        """Raises ValueError for what is no http or https URL of a host, or has a login, query or fragment in it."""
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.port == 0:
            raise ValueError("an endpoint is an http or https URL with a host")
        if "@" in parts.netloc or parts.query or parts.fragment:
            raise ValueError("an endpoint's URL has neither a login nor a query nor a fragment")
        try:
            # As `socket` does it when it looks the name up, which would be too late to tell.
            parts.hostname.encode("idna")
        except UnicodeError as error:
            raise ValueError("an endpoint's host has parts of 1 to 63 characters") from error
        self.host = parts.hostname
        self.url = url.rstrip("/")
        self._path = parts.path.rstrip("/")
        self._port = parts.port
        self._is_tls = parts.scheme == "https"
        self._idle: list[_Idle] = []
        self._lock = Lock()
        # An endpoint lasts as long as those who ask it, and its connections no longer.
        weakref.finalize(self, _close, self._idle)

    def post(self, path: str, body: bytes, headers: Mapping[str, str], *, seconds: float) -> JsonAnswer:
        """Post to a path below the URL's own. Raises CallFailed (broken) where no whole answer came in time."""
        ends_at = time.monotonic() + seconds
        sent = {"Content-Type": "application/json", "Accept": "application/json", **headers}
        while True:
            connection, is_kept = self._connection()
            try:
                return self._exchange(connection, self._path + path, body, sent, ends_at)
            except ConnectionError as error:
                # A kept connection may have been closed by the other side: that says nothing of the server.
                if not is_kept:
                    raise CallFailed(Outcome.BROKEN, "cut the connection") from error
            except TimeoutError as error:
                raise CallFailed(Outcome.BROKEN, "did not answer in time") from error
            except ssl.SSLCertVerificationError as error:
                raise CallFailed(Outcome.DENIED, "has a certificate that is not to be trusted") from error
            except (OSError, http.client.HTTPException) as error:
                raise CallFailed(Outcome.BROKEN, "is out of reach, or does not speak HTTP") from error

    def _exchange(
        self,
        connection: http.client.HTTPConnection,
        path: str,
        body: bytes,
        headers: Mapping[str, str],
        ends_at: float,
    ) -> JsonAnswer:
        is_whole = False
        try:
            _connect(connection, ends_at)
            with _cut_at(connection, ends_at):
                connection.request("POST", path, body=body, headers=dict(headers))
                response = connection.getresponse()
                raw = _read(response)
                is_whole = not response.will_close
        finally:
            if not is_whole:
                connection.close()
        self._keep(connection)
        headers_by_name = {name.lower(): value for name, value in response.headers.items()}
        text = raw[:_MOST_TEXT].decode("utf-8", "replace")
        return JsonAnswer(response.status, headers_by_name, _parsed(raw), text)

    def _connection(self) -> tuple[http.client.HTTPConnection, bool]:
        # By the wall: a monotonic clock may stand still while Lambda keeps a process frozen.
        oldest = time.time() - _SECONDS_IDLE
        with self._lock:
            while self._idle:
                idle = self._idle.pop()
                if idle.since >= oldest:
                    return idle.connection, True
                idle.connection.close()
        if self._is_tls:
            return http.client.HTTPSConnection(self.host, self._port, context=_tls()), False
        return http.client.HTTPConnection(self.host, self._port), False

    def _keep(self, connection: http.client.HTTPConnection) -> None:
        with self._lock:
            if connection.sock is not None and len(self._idle) < _MOST_IDLE:
                self._idle.append(_Idle(connection, time.time()))
                return
        connection.close()


def _close(idle: list[_Idle]) -> None:
    for each in idle:
        each.connection.close()


@cache
def _tls() -> ssl.SSLContext:
    return ssl.create_default_context()


def _left(ends_at: float) -> float:
    left = ends_at - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left


def _connect(connection: http.client.HTTPConnection, ends_at: float) -> None:
    left = _left(ends_at)
    if not isinstance(connection.sock, socket.socket):
        connection.timeout = min(left, _SECONDS_TO_CONNECT)
        connection.connect()
    connection.sock.settimeout(_left(ends_at))


@contextmanager
def _cut_at(connection: http.client.HTTPConnection, ends_at: float) -> Iterator[None]:
    """Cut the connection when the time is up: a server may send a byte now and then for ever."""
    is_over = Event()
    channel = connection.sock

    def cut() -> None:
        is_over.set()
        with suppress(OSError):
            # Not the method of an encrypted socket, which takes its state away from the thread that reads.
            socket.socket.shutdown(channel, socket.SHUT_RDWR)

    timer = Timer(_left(ends_at), cut)
    timer.daemon = True
    timer.start()
    try:
        yield
    except (OSError, http.client.HTTPException) as error:
        if is_over.is_set():
            raise TimeoutError from error
        raise
    finally:
        timer.cancel()
    if is_over.is_set():
        raise TimeoutError


def _read(response: http.client.HTTPResponse) -> bytes:
    if response.length is not None and response.length > _MOST_BYTES:
        raise http.client.HTTPException
    if response.length is not None:
        return response.read()
    content = response.read(_MOST_BYTES + 1)
    if len(content) > _MOST_BYTES:
        raise http.client.HTTPException
    return content


def _parsed(content: bytes) -> object:
    try:
        parsed: object = json.loads(content)
    except (ValueError, RecursionError):
        return None
    return parsed
