"""Talks to the API: one method a verb, patient with a busy server, problems raised as errors."""

import random
import threading
import time
from collections.abc import Callable, Generator, Iterator, Mapping
from functools import cache
from typing import Any
from uuid import uuid4

import httpx

from chalicelib.cli.errors import ServerProblem, ServerUnreachable, UnintelligibleAnswer
from chalicelib.cli.server_address import is_loopback

ATTEMPTS = 7
_PAGE = 200
_FIRST_WAIT = 0.25
_LONGEST_WAIT = 8.0
_BUSY = frozenset({429, 502, 503, 504})
# The connection failed before the request was sent, so that repeating any is safe.
_UNSENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)

Json = dict[str, Any]


class Client:
    """A client of one server. Threads may share it. POST repeats itself under one Idempotency-Key."""

    def __init__(
        self,
        url: str,
        find_key: Callable[[], str],
        *,
        headers: Mapping[str, str] | None = None,
        transport: httpx.BaseTransport | None = None,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        self.url = url
        self._pause = pause
        self._has_answered = threading.Event()
        options: Json = {
            "timeout": httpx.Timeout(120, connect=10),
            "limits": httpx.Limits(max_connections=64),
            # A proxy that the environment names does not see this machine.
            "trust_env": not is_loopback(url),
            "transport": transport,
        }
        self._api = httpx.Client(
            base_url=url, auth=_Bearer(find_key), headers={"User-Agent": "lorebase-cli", **(headers or {})}, **options
        )
        self._store = httpx.Client(headers={"User-Agent": "lorebase-cli"}, **options)

    def close(self) -> None:
        """Close the connections."""
        self._api.close()
        self._store.close()

    def health(self) -> Json:
        """Return how the server is; that needs no key."""
        try:
            return _read(self._api.get("/v1/health", auth=None))
        except httpx.TransportError as error:
            raise self._unreachable(error) from error

    def get(self, path: str, /, **query: object) -> Json:
        """Return what lies at a path; a parameter that is None or empty is left out."""
        return self._asked("GET", path, query=query)

    def post(self, path: str, /, body: Json | None = None, *, content: bytes | None = None, **query: object) -> Json:
        """Send a JSON body, or bytes, once however often it has to be repeated."""
        headers = {"Idempotency-Key": str(uuid4())}
        if content is not None:
            headers["Content-Type"] = "application/octet-stream"
        return self._asked("POST", path, query=query, body=body, content=content, headers=headers)

    def post_as_nobody(self, path: str, body: Json) -> Json:
        """Send a JSON body without a key, once: nobody is known whose repetition could be told."""
        try:
            return _read(self._api.send(self._api.build_request("POST", path, json=body), auth=None))
        except httpx.TransportError as error:
            raise self._unreachable(error) from error

    def patch(self, path: str, body: Json, *, revision: int | None = None) -> Json:
        """Change parts of a thing, if it is still at `revision`."""
        return self._asked("PATCH", path, body=body, headers=_if_match(revision))

    def put(self, path: str, body: Json | None = None) -> Json:
        """Replace a thing."""
        return self._asked("PUT", path, body=body)

    def delete(self, path: str, /, *, revision: int | None = None, **query: object) -> Json:
        """Delete a thing, if it is still at `revision`; return what the server says of it, mostly nothing."""
        return self._asked("DELETE", path, query=query, headers=_if_match(revision))

    def pages(self, path: str, name: str, /, **query: object) -> Iterator[list[Json]]:
        """Yield the pages of a list that is called `name` in its answers."""
        cursor: str | None = None
        while True:
            page = self.get(path, limit=_PAGE, cursor=cursor, **query)
            yield page[name]
            cursor = page.get("next_cursor")
            if not cursor:
                return

    def lines(self, path: str, /, **query: object) -> Iterator[str]:
        """Yield the lines that a route answers, page by page as the header `Link` leads."""
        response = self._answered("GET", path, query=query)
        while True:
            _raise_problem(response)
            yield from (line for line in response.text.split("\n") if line)
            following = response.links.get("next", {}).get("url")
            if following is None:
                return
            response = self._answered("GET", str(response.url.join(following)))

    def send_to_store(
        self, method: str, url: str, *, headers: Mapping[str, str], open_content: Callable[[], Iterator[bytes]]
    ) -> None:
        """Send bytes to a presigned URL; `open_content` begins them anew for every attempt."""
        for wait in self._waits():
            try:
                response = self._store.request(method, url, headers=dict(headers), content=open_content())
            except httpx.TransportError as error:
                if wait is None:
                    raise self._unreachable(error) from error
            else:
                if response.status_code not in _BUSY | {500} or wait is None:
                    _raise_problem(response)
                    return
            self._pause(wait)

    def stream(self, url: str) -> Iterator[bytes]:
        """Yield the bytes behind a presigned URL."""
        try:
            with self._store.stream("GET", url) as response:
                if response.is_error:
                    response.read()
                _raise_problem(response)
                yield from response.iter_bytes()
        except httpx.TransportError as error:
            raise self._unreachable(error) from error

    def _asked(self, method: str, path: str, **options: Any) -> Json:  # noqa: ANN401  those of _answered
        return _read(self._answered(method, path, **options))

    def _answered(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, Any] | None = None,
        body: Json | None = None,
        content: bytes | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> httpx.Response:
        """Return the answer to a request that was repeated while the server was busy, be it a problem."""
        asked = {name: value for name, value in (query or {}).items() if value not in (None, "", (), [])}
        request = self._api.build_request(
            method,
            path,
            params=asked or None,  # None leaves a query that is in the path
            json=body,
            content=content,
            headers=dict(headers or {}),
        )
        for wait in self._waits():
            try:
                response = self._api.send(request)
            except httpx.TransportError as error:
                if wait is None or not self._is_repeatable(request, error):
                    raise self._unreachable(error) from error
                self._pause(wait)
                continue
            self._has_answered.set()
            if wait is None or not _is_busy(response):
                return response
            self._pause(max(wait, _retry_after(response)))
        raise ServerUnreachable(f"The server at {self.url} stays busy; try again later.", url=self.url)

    def _waits(self) -> Iterator[float | None]:
        """Yield how long to wait after each attempt (full jitter on the upper half); None after the last."""
        for attempt in range(ATTEMPTS - 1):
            yield min(_FIRST_WAIT * 2**attempt, _LONGEST_WAIT) * random.uniform(0.5, 1)  # noqa: S311  no secret
        yield None

    def _is_repeatable(self, request: httpx.Request, error: httpx.TransportError) -> bool:
        if isinstance(error, _UNSENT):
            # A server that never answered is not started; waiting for it would only hide that.
            return self._has_answered.is_set()
        return request.method in {"GET", "PUT"} or "Idempotency-Key" in request.headers

    def _unreachable(self, error: httpx.TransportError) -> ServerUnreachable:
        hint = " Start it with `lorebase serve`." if is_loopback(self.url) else ""
        return ServerUnreachable(
            f"No server answers at {self.url} ({type(error).__name__}).{hint}", url=self.url, cause=str(error)
        )


class _Bearer(httpx.Auth):
    """Asks with the key, which is looked for when it is needed first."""

    def __init__(self, find_key: Callable[[], str]) -> None:
        self._find_key = cache(find_key)

    def auth_flow(self, request: httpx.Request) -> Generator[httpx.Request, httpx.Response, None]:
        """Add the key to a request."""
        request.headers["Authorization"] = f"Bearer {self._find_key()}"
        yield request


def _if_match(revision: int | None) -> dict[str, str]:
    return {} if revision is None else {"If-Match": f'"{revision}"'}


def _is_busy(response: httpx.Response) -> bool:
    if response.status_code in _BUSY:
        return True
    return response.status_code == 409 and _problem_name(response) == "request-in-progress"


def _retry_after(response: httpx.Response) -> float:
    value = response.headers.get("Retry-After", "")
    return min(float(value), 60.0) if value.isdigit() else 0.0


def _read(response: httpx.Response) -> Json:
    _raise_problem(response)
    if not response.content:
        return {}
    document = _document(response)
    if document is None:
        raise UnintelligibleAnswer(f"What answers at {response.url} is not Lorebase.", url=str(response.url))
    return document


def _raise_problem(response: httpx.Response) -> None:
    if response.is_success:
        return
    document = _document(response)
    if document is None or "title" not in document:
        document = {
            "type": "about:blank",
            "title": response.reason_phrase,
            "status": response.status_code,
            "detail": f"The server answered {response.status_code} {response.reason_phrase}.",
        }
    raise ServerProblem(document, status=response.status_code)


def _problem_name(response: httpx.Response) -> str:
    return str((_document(response) or {}).get("type", "")).rpartition(":")[2]


def _document(response: httpx.Response) -> Json | None:
    try:
        document = response.json()
    except ValueError:
        return None
    return document if isinstance(document, dict) else None
