"""The local HTTP server: the Chalice app behind what API Gateway does on AWS, and presigned URLs beside it."""

import socket
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from http.server import ThreadingHTTPServer
from types import TracebackType
from typing import TYPE_CHECKING, Protocol, Self

from chalice.app import Chalice
from chalice.config import Config
from chalice.local import LocalGateway, RouteMatcher

from chalicelib.errors import Conflict, LorebaseError
from chalicelib.platform.local.http_connection import HttpConnection

if TYPE_CHECKING:
    from chalicelib.platform.local.presigned_requests import PresignedRequests

_GRACE_SECONDS = 10.0
"""How long requests that are being answered may take once the server is to stop."""


class AddressUnavailable(Conflict):
    """The server cannot listen at this address."""


class ReplyLike(Protocol):
    """What goes back to a client."""

    @property
    def status(self) -> int:
        """The HTTP status."""
        ...

    @property
    def headers(self) -> Mapping[str, str]:
        """All headers but those of the connection."""
        ...

    @property
    def body(self) -> str:
        """The text of the body; empty for none."""
        ...


class Gateway(Protocol):
    """Makes the answers to requests that reach no route. Names of `headers` are in lower case."""

    def refuse(self, reason: int | LorebaseError, headers: Mapping[str, str]) -> ReplyLike:
        """Answer with the problem of a status or an error."""
        ...

    def preflight(self, methods: Sequence[str], headers: Mapping[str, str]) -> ReplyLike:
        """Answer OPTIONS."""
        ...

    def accept(self, status: int, answer_headers: Mapping[str, str], headers: Mapping[str, str]) -> ReplyLike:
        """Answer what the server has done by itself; a body may follow."""
        ...


class LocalServer(ThreadingHTTPServer):
    """Listens from its making on, serves within `serve_forever`, one thread a connection.

    Its own connection class replaces that of chalice.local, which reads bodies of any size, writes in
    single bytes, and answers what reaches no route in words of its own. `presigned` is set before serving.
    """

    daemon_threads = True
    block_on_close = False
    request_queue_size = 128

    def __init__(self, app: Chalice, *, host: str, port: int, gateway: Gateway, request_bytes: int) -> None:
        """Take the address; port 0 takes a free one. Raises AddressUnavailable."""
        self.address_family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self.gateway = gateway
        self.request_bytes = request_bytes
        self.presigned: PresignedRequests | None = None
        self.routes = RouteMatcher(list(app.routes))
        self.app_gateway = LocalGateway(app, Config.create())
        self.is_stopping = False
        self._busy = 0
        self._changed = threading.Condition()
        try:
            super().__init__((host, port), HttpConnection)
        except OSError as error:
            raise AddressUnavailable(
                f"Cannot listen on {host}, port {port}: {error.strerror or error}. Set LOREBASE_PORT to another one.",
                host=host,
                port=port,
            ) from error

    @property
    def url(self) -> str:
        """Where clients on this machine reach the server."""
        host, port = str(self.server_address[0]), self.server_address[1]
        host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104  compared, not listened on
        return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"

    def server_bind(self) -> None:
        """Bind without looking up the machine's name, which can take seconds."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.socket.bind(self.server_address)
        self.server_address = self.socket.getsockname()
        self.server_name, self.server_port = str(self.server_address[0]), int(self.server_address[1])

    def serve_forever(self, poll_interval: float = 0.1) -> None:
        """Serve until `shutdown` is called from another thread; then let what is being answered finish."""
        super().serve_forever(poll_interval)
        self.is_stopping = True
        with self._changed:
            self._changed.wait_for(lambda: self._busy == 0, timeout=_GRACE_SECONDS)

    @contextmanager
    def answering(self) -> Iterator[None]:
        """Count a request that is being answered."""
        with self._changed:
            self._busy += 1
        try:
            yield
        finally:
            with self._changed:
                self._busy -= 1
                self._changed.notify_all()

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing of clients that went away: their requests are in the log or were none."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.server_close()
