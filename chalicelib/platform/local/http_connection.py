"""One connection to the local server: reads requests within limits, and hands them on."""

import socket
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler
from typing import TYPE_CHECKING, Any, BinaryIO, cast
from urllib.parse import urlsplit

from chalicelib.errors import LorebaseError
from chalicelib.platform.local.durable_files import BLOCK_BYTES
from chalicelib.platform.local.http_input import HttpInput, is_sane_head
from chalicelib.platform.local.presigning import PRESIGNED_PATH

if TYPE_CHECKING:
    from chalicelib.platform.local.http_server import LocalServer, ReplyLike

_SLOWEST_BYTES_A_SECOND = 16 * 1024
_LINGER_SECONDS = 2.0
_LENGTH_DIGITS = 18
_PRESIGNED_METHODS = ("GET", "PUT", "OPTIONS")


class _Refused(Exception):
    """The request is refused with a status before a route is reached."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


class HttpConnection(BaseHTTPRequestHandler):
    """Answers the requests of one connection, one after the other."""

    server: "LocalServer"
    protocol_version = "HTTP/1.1"
    timeout = 30.0
    """Seconds that a client may be silent within a request or between two."""
    head_seconds = 60.0
    """Seconds until a request's head must have come, counted from the end of the one before."""
    wbufsize = -1
    disable_nagle_algorithm = True
    _is_body_read = True

    def setup(self) -> None:
        """Read through limits of time."""
        super().setup()
        self._input = HttpInput(self.connection, silence=self.timeout)
        self.rfile = self._input

    def handle_one_request(self) -> None:
        """Read a head and answer its request."""
        self._input.start(seconds=self.head_seconds)
        super().handle_one_request()

    def handle_any(self) -> None:
        """Answer the request whose head has been read."""
        headers = {name.lower(): value for name, value in self.headers.items()}
        with self.server.answering():
            self._is_body_read = "content-length" not in headers and "transfer-encoding" not in headers
            try:
                self._require_sane_head()
                self._answer(headers)
            except _Refused as refused:
                self._send(self.server.gateway.refuse(refused.status, headers))
            except TimeoutError:
                self._send(self.server.gateway.refuse(408, headers))
            if not self._is_body_read or self.server.is_stopping:
                self._part()

    do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = do_OPTIONS = handle_any  # noqa: N815  the library's names

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Answer what is no request, in place of the library's HTML page."""
        del message, explain
        self.requestline, self.request_version = getattr(self, "requestline", ""), "HTTP/1.1"
        self.command = getattr(self, "command", None) or "GET"
        self.close_connection = True
        self._send(self.server.gateway.refuse(405 if code == 501 else code, {}))

    def handle_expect_100(self) -> bool:
        """Wait with "100 Continue" until the body is wanted."""
        return True

    def version_string(self) -> str:
        """Name the server without its versions."""
        return "lorebase"

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  the library's name
        """Leave logging to the edge."""

    def _answer(self, headers: Mapping[str, str]) -> None:
        length = self._body_length(headers)
        self._await_body(length)
        if urlsplit(self.path).path == PRESIGNED_PATH and self.server.presigned is not None:
            self._answer_presigned(headers)
            return
        try:
            self.server.routes.match_route(self.path)
        except ValueError as error:
            raise _Refused(404) from error
        if length > self.server.request_bytes:
            raise _Refused(413)
        body = self._read_body(length, headers)
        answered = self.server.app_gateway.handle_request(self.command, self.path, dict(headers), body)
        self._send_parts(
            answered["statusCode"], {**answered["headers"], **answered["multiValueHeaders"]}, answered["body"].encode()
        )

    def _require_sane_head(self) -> None:
        if self._input.is_malformed or not is_sane_head(self.headers, version=self.request_version):
            # Where the body ends is then anybody's guess.
            self._is_body_read = False
            raise _Refused(400)

    def _body_length(self, headers: Mapping[str, str]) -> int:
        if "transfer-encoding" in headers:
            raise _Refused(411)
        lengths = set(self.headers.get_all("content-length") or ["0"])
        length = lengths.pop()
        if lengths or not (length.isascii() and length.isdigit()):
            raise _Refused(400)
        if len(length) > _LENGTH_DIGITS:
            raise _Refused(413)
        return int(length)

    def _read_body(self, length: int, headers: Mapping[str, str]) -> bytes:
        self._continue(headers)
        blocks = []
        left = length
        while left:
            block = self.rfile.read1(min(left, BLOCK_BYTES))
            if not block:
                raise _Refused(400)
            blocks.append(block)
            left -= len(block)
        self._is_body_read = True
        return b"".join(blocks)

    def _await_body(self, length: int) -> None:
        self._input.start(seconds=self.timeout + length / _SLOWEST_BYTES_A_SECOND)

    def _continue(self, headers: Mapping[str, str]) -> None:
        if headers.get("expect", "").lower() == "100-continue":
            self.send_response_only(100)
            self.end_headers()
            self.wfile.flush()

    def _answer_presigned(self, headers: Mapping[str, str]) -> None:
        gateway, presigned = self.server.gateway, self.server.presigned
        if presigned is None or self.command not in _PRESIGNED_METHODS:
            raise _Refused(405)
        try:
            if self.command == "OPTIONS":
                self._send(gateway.preflight(_PRESIGNED_METHODS, headers))
            elif self.command == "PUT":
                self._continue(headers)
                presigned.handle_put(self.path, headers, cast("BinaryIO", self.rfile))
                self._is_body_read = True
                self._send(gateway.accept(200, {}, headers))
            else:
                download = presigned.handle_get(self.path)
                with download.content as content:
                    self._send_head(gateway.accept(200, download.headers, headers))
                    while block := content.read(BLOCK_BYTES):
                        self.wfile.write(block)
        except LorebaseError as error:
            self._send(gateway.refuse(error, headers))

    def _send(self, reply: "ReplyLike") -> None:
        self._send_parts(reply.status, reply.headers, reply.body.encode())

    def _send_parts(self, status: int, headers: Mapping[str, Any], body: bytes) -> None:
        self.send_response(status)
        if status not in {204, 304}:
            self.send_header("Content-Length", str(len(body)))
        self._send_headers(headers)
        if self.command != "HEAD" and status not in {204, 304}:
            self.wfile.write(body)

    def _send_head(self, reply: "ReplyLike") -> None:
        self.send_response(reply.status)
        self._send_headers(reply.headers)

    def _send_headers(self, headers: Mapping[str, Any]) -> None:
        for name, value in headers.items():
            for single in value if isinstance(value, list) else [value]:
                self.send_header(name, single)
        if self.close_connection or not self._is_body_read or self.server.is_stopping:
            self.send_header("Connection", "close")
        self.end_headers()

    def _part(self) -> None:
        """Close without losing the answer: a client that still sends is listened to for a moment (RFC 9112, 9.6)."""
        self.close_connection = True
        self.wfile.flush()
        if self._is_body_read:
            return
        self.connection.shutdown(socket.SHUT_WR)
        self._input.start(seconds=_LINGER_SECONDS)
        while self.rfile.read1(BLOCK_BYTES):
            pass
