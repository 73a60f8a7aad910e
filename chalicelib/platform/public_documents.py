"""Fetches a JSON document from the internet for people who are not trusted with our network.

https alone, to the one public address that was looked at, by no proxy, after no redirect, and within limits of time
and size. It is the same on both platforms; on AWS it runs in a function outside the network.
"""

import http.client
import json
import socket
import ssl
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from functools import cache
from threading import Event, Timer
from urllib.parse import SplitResult, urlsplit

from chalicelib.platform.errors import IssuerDocumentRefused, IssuerUnavailable
from chalicelib.platform.public_address import Endpoint, find_endpoint

SECONDS = 5.0
"""From the connection to the last byte."""
MOST_BYTES = 1024 * 1024
MOST_URL_CHARACTERS = 2000
_REDIRECTS = range(300, 400)


def fetch_document(url: str, *, takes_loopback: bool = False, seconds: float = SECONDS) -> Mapping[str, object]:
    """Return the JSON object behind an https URL; `takes_loopback` lets hosts of this machine pass, by http as well.

    Raises IssuerDocumentRefused (`status` is the answer's, where there was one), IssuerUnavailable.
    """
    parts = _checked(url, takes_loopback=takes_loopback)
    host, port = str(parts.hostname), _port_of(parts)
    endpoint = find_endpoint(host, port, takes_loopback=takes_loopback)
    if parts.scheme != "https" and not endpoint.is_loopback:
        raise IssuerDocumentRefused("Only https is taken beyond this machine.")
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    connection = _PinnedConnection(host, port, endpoint=endpoint, is_tls=parts.scheme == "https", seconds=seconds)
    with _translated(host), _ending_after(connection, seconds):
        connection.request(
            "GET", target, headers={"Accept": "application/json", "Accept-Encoding": "identity", "Connection": "close"}
        )
        with closing(connection.getresponse()) as response:
            return _read(response, host)


class _PinnedConnection(http.client.HTTPConnection):
    """Goes to an address that was looked at, whatever the host's name means by now; the certificate is the name's."""

    def __init__(self, host: str, port: int, *, endpoint: Endpoint, is_tls: bool, seconds: float) -> None:
        super().__init__(host, port, timeout=seconds)
        self.default_port = 443 if is_tls else 80
        self._endpoint = endpoint
        self._is_tls = is_tls
        self.channel: socket.socket | None = None

    def connect(self) -> None:
        """Open the connection, encrypted where the URL says so."""
        plain = socket.socket(self._endpoint.family, socket.SOCK_STREAM)
        # Kept at once, so that whoever cuts the connection finds it while it is being made; `sock` is gone by the time
        # that a body is read.
        self.sock = self.channel = plain
        plain.settimeout(self.timeout)
        plain.connect(self._endpoint.address)
        if self._is_tls:
            encrypted = _tls().wrap_socket(plain, server_hostname=self.host, do_handshake_on_connect=False)
            self.sock = self.channel = encrypted
            encrypted.do_handshake()


@cache
def _tls() -> ssl.SSLContext:
    return ssl.create_default_context()


@contextmanager
def _ending_after(connection: _PinnedConnection, seconds: float) -> Iterator[None]:
    """Cut the connection when its time is up: a server may send a byte now and then for ever."""
    is_over = Event()

    def cut() -> None:
        is_over.set()
        if connection.channel is not None:
            with suppress(OSError):
                # Not the method of an encrypted socket, which takes its state away from the thread that reads.
                socket.socket.shutdown(connection.channel, socket.SHUT_RDWR)

    timer = Timer(seconds, cut)
    timer.daemon = True
    timer.start()
    try:
        yield
    except IssuerDocumentRefused as error:
        if is_over.is_set():
            raise IssuerUnavailable("The host did not send all of its answer in time.") from error
        raise
    finally:
        timer.cancel()
        connection.close()


def _checked(url: str, *, takes_loopback: bool) -> SplitResult:
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise IssuerDocumentRefused("This is no URL.") from error
    schemes = ("https", "http") if takes_loopback else ("https",)
    if len(url) > MOST_URL_CHARACTERS or not url.isascii() or not url.isprintable() or " " in url:
        raise IssuerDocumentRefused(f"A URL has {MOST_URL_CHARACTERS} characters of ASCII at most, and no blanks.")
    if parts.scheme not in schemes or not parts.hostname or port == 0:
        raise IssuerDocumentRefused("Only https URLs with a host are fetched.")
    if "@" in parts.netloc or parts.fragment:
        raise IssuerDocumentRefused("A URL that is fetched has neither a login nor a fragment.")
    return parts


def _port_of(parts: SplitResult) -> int:
    return parts.port or (443 if parts.scheme == "https" else 80)


@contextmanager
def _translated(host: str) -> Iterator[None]:
    try:
        yield
    except ssl.SSLCertVerificationError as error:
        raise IssuerDocumentRefused(f"The certificate of {host} is not to be trusted.", host=host) from error
    except (OSError, http.client.HTTPException) as error:
        raise IssuerUnavailable(f"The host {host} does not answer in time, or not in HTTP.", host=host) from error


def _read(response: http.client.HTTPResponse, host: str) -> Mapping[str, object]:
    if response.status in _REDIRECTS:
        raise IssuerDocumentRefused(
            f"The host {host} answers with a redirect; none is followed.", status=response.status
        )
    if response.status >= 500 or response.status == 429:
        raise IssuerUnavailable(f"The host {host} answers {response.status}.", host=host)
    if response.status != 200:
        raise IssuerDocumentRefused(f"The host {host} answers {response.status}.", status=response.status)
    media_type = response.headers.get_content_type()
    if (
        not media_type.endswith(("/json", "+json"))
        or response.headers.get("Content-Encoding", "identity") != "identity"
    ):
        raise IssuerDocumentRefused(f"The host {host} answers with something else than JSON.", host=host)
    content = response.read(MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        raise IssuerDocumentRefused(f"The host {host} sends more than {MOST_BYTES} bytes.", host=host)
    return _parsed(content, host)


def _parsed(content: bytes, host: str) -> Mapping[str, object]:
    try:
        parsed = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise IssuerDocumentRefused(f"The host {host} answers with something else than JSON.", host=host) from error
    if not isinstance(parsed, dict):
        raise IssuerDocumentRefused(f"The host {host} answers with JSON that is no object.", host=host)
    return parsed
