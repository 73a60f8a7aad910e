"""The API on a real socket: limits before reading, keep-alive, presigned URLs, an end in good order."""

import http.client
import json
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any

import httpx
import pytest

from chalicelib.platform.local.http_connection import HttpConnection
from chalicelib.platform.local.http_server import AddressUnavailable, LocalServer
from tests.fixtures.api import ORIGIN, Api


@contextmanager
def connected(server: LocalServer) -> Iterator[socket.socket]:
    with closing(socket.create_connection(("127.0.0.1", server.server_port), timeout=10)) as connection:
        yield connection


def read_answer(connection: socket.socket) -> tuple[int, dict[str, str], bytes]:
    response = http.client.HTTPResponse(connection)
    response.begin()
    return response.status, {name.lower(): value for name, value in response.getheaders()}, response.read()


def ask(server: LocalServer, head: bytes, body: bytes = b"") -> tuple[int, dict[str, str], bytes]:
    with connected(server) as connection:
        connection.sendall(head.replace(b"\n", b"\r\n") + b"\r\n\r\n" + body)
        return read_answer(connection)


def problem_of(body: bytes) -> str:
    return str(json.loads(body)["type"]).removeprefix("urn:lorebase:problem:")


def test_one_connection_serves_many_requests(api: Api, server: LocalServer) -> None:
    acme = api.found()
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=10)
    with closing(connection):
        sockets = set()
        for _ in range(3):
            connection.request("GET", "/v1/me", headers={"Authorization": f"Bearer {acme.token}"})
            response = connection.getresponse()
            assert (response.status, json.loads(response.read())["organization"]["name"]) == (200, "Acme")
            sockets.add(id(connection.sock))
        assert len(sockets) == 1


def test_a_body_over_the_limit_is_refused_without_being_read(server: LocalServer) -> None:
    head = b"POST /v1/organizations HTTP/1.1\nHost: x\nContent-Type: application/json\nContent-Length: 200000000"
    status, headers, body = ask(server, head)
    assert (status, problem_of(body), headers["connection"]) == (413, "request-too-large", "close")


def test_a_body_that_is_announced_as_wanted_is_not_asked_for_when_it_is_too_large(server: LocalServer) -> None:
    status, _, _ = ask(
        server, b"POST /v1/organizations HTTP/1.1\nHost: x\nExpect: 100-continue\nContent-Length: 200000000"
    )
    assert status == 413


def test_a_client_that_expects_to_be_told_to_continue_is_told(api: Api, server: LocalServer) -> None:
    acme = api.found()
    body = b'{"name": "Beta"}'
    head = (
        "POST /v1/organizations HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Type: application/json\r\n"
        f"Authorization: Bearer {acme.token}\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    with connected(server) as connection:
        connection.sendall(head.encode())
        assert connection.recv(100).startswith(b"HTTP/1.1 100")
        connection.sendall(body)
        assert read_answer(connection)[0] == 201


@pytest.mark.parametrize(
    ("head", "status", "problem"),
    [
        (b"POST /v1/organizations HTTP/1.1\nHost: x\nTransfer-Encoding: chunked", 411, "length-required"),
        (b"POST /v1/organizations HTTP/1.1\nHost: x\nContent-Length: many", 400, "malformed-request"),
        (b"POST /v1/organizations HTTP/1.1\nHost: x\nContent-Length: 3\nContent-Length: 4", 400, "malformed-request"),
        (b"GET /v1/me HTTP/1.1\nHost: x\nContent-Length: " + b"9" * 5000, 413, "request-too-large"),
        (b"POST /v1/me HTTP/1.1\nHost: x\nTransfer-Encoding : chunked\nContent-Length: 5", 400, "malformed-request"),
        (b"GET /v1/me HTTP/1.1\nHost: x\nno header\nAuthorization: Bearer x", 400, "malformed-request"),
        (b"GET /v1/me HTTP/1.1\nHost: x\nOrigin: a\n Set-Cookie: b", 400, "malformed-request"),
        (b"GET /v1/me HTTP/1.1\nHost: x\nX-A: a\rAuthorization: Bearer x", 400, "malformed-request"),
        (b"GET /v1/me HTTP/1.1\nHost: x\nX-A: a\0b", 400, "malformed-request"),
        (b"GET /v1/me HTTP/1.1\nHost: x\nAuthorization: Bearer x\nAuthorization: Bearer y", 400, "malformed-request"),
        (b"GET /v1/me HTTP/1.1\nX-A: no host", 400, "malformed-request"),
        (b"GET /v2/nothing HTTP/1.1\nHost: x", 404, "route-not-found"),
        (b"GET /v1/nothing HTTP/1.1\nHost: x\nAuthorization: Bearer \xff", 404, "route-not-found"),
        (b"DELETE /v1/me HTTP/1.1\nHost: x", 405, "method-not-allowed"),
        (b"BREW /v1/me HTTP/1.1\nHost: x", 405, "method-not-allowed"),
        (b"GET /v1/me HTTP/9.9\nHost: x", 400, "malformed-request"),
        (b"nonsense", 400, "malformed-request"),
        (b"GET /" + b"x" * 70000 + b" HTTP/1.1\nHost: x", 400, "malformed-request"),
    ],
)
def test_what_reaches_no_route_is_answered_as_a_problem(
    server: LocalServer, head: bytes, status: int, problem: str
) -> None:
    answered, headers, body = ask(server, head)
    assert (answered, problem_of(body), headers["content-type"]) == (status, problem, "application/problem+json")


def test_a_request_smuggled_behind_a_malformed_head_is_not_answered(server: LocalServer) -> None:
    smuggled = b"GET /v1/health HTTP/1.1\r\nHost: x\r\n\r\n"
    head = b"POST /v1/me HTTP/1.1\r\nHost: x\r\nTransfer-Encoding : chunked\r\nContent-Length: 42\r\n\r\n"
    with connected(server) as connection:
        connection.sendall(head + smuggled)
        answered = b"".join(iter(lambda: connection.recv(65536), b""))
    assert answered.count(b"HTTP/1.1 ") == 1
    assert answered.startswith(b"HTTP/1.1 400 ")


def test_a_head_that_drips_in_for_too_long_is_cut_off(server: LocalServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(HttpConnection, "head_seconds", 0.3)
    with connected(server) as connection:
        connection.settimeout(0.05)
        connection.sendall(b"GET /v1/health HTTP/1.1\r\nHost: x\r\n")
        until = time.monotonic() + 10
        while time.monotonic() < until:
            try:
                connection.sendall(b"X: y\r\n")
                if connection.recv(1) == b"":
                    break
            except TimeoutError:
                continue
            except ConnectionError:
                break
        assert time.monotonic() < until


def test_unknown_routes_and_methods_are_readable_by_browsers(server: LocalServer) -> None:
    for method, path in (("GET", "/nowhere"), ("DELETE", "/v1/me"), ("GET", "/v1/items/a%2Fb")):
        answer = httpx.request(method, server.url + path, headers={"Origin": ORIGIN})
        assert answer.headers["access-control-allow-origin"] == ORIGIN


def test_head_answers_like_get_without_the_body(server: LocalServer) -> None:
    got, headed = httpx.get(server.url + "/v1/health"), httpx.head(server.url + "/v1/health")
    assert (headed.status_code, headed.content) == (200, b"")
    assert headed.headers["content-length"] == got.headers["content-length"]


def test_a_presigned_upload_takes_bytes_and_gives_them_back(api: Api, server: LocalServer) -> None:
    acme = api.found()
    content = b"# Travel\n" * 100_000
    uploads = f"{server.url}/v1/workspaces/{acme.workspace.id}/uploads"
    bearer = {"Authorization": f"Bearer {acme.token}"}
    started: Any = httpx.post(uploads, headers=bearer, json={"path": "a.md", "bytes": len(content)}).json()
    target = started["target"]
    preflight = httpx.options(target["url"], headers={"Origin": ORIGIN, "Access-Control-Request-Method": "PUT"})
    assert "PUT" in preflight.headers["access-control-allow-methods"]
    sent = httpx.put(target["url"], content=content, headers={**target["headers"], "Origin": ORIGIN})
    assert (sent.status_code, sent.headers["access-control-allow-origin"]) == (200, ORIGIN)
    assert httpx.post(f"{uploads}/{started['upload']['id']}/complete", headers=bearer).status_code == 202


def test_a_forged_presigned_url_is_refused(server: LocalServer) -> None:
    forged = httpx.put(f"{server.url}/_originals?key=a&expires=9999999999&signature=x", content=b"x")
    assert (forged.status_code, forged.json()["type"]) == (403, "urn:lorebase:problem:presigned-url-refused")
    assert httpx.delete(f"{server.url}/_originals?key=a").status_code == 405


def test_a_second_server_at_the_same_address_says_so(server: LocalServer) -> None:
    with pytest.raises(AddressUnavailable):
        LocalServer(
            server.app_gateway._app_object,
            host="127.0.0.1",
            port=server.server_port,
            gateway=server.gateway,
            request_bytes=1,
        )


def test_threads_do_not_mix_up_their_requests(api: Api, server: LocalServer) -> None:
    tokens = {api.found(f"Org {number}").token: f"Org {number}" for number in range(6)}
    mixed_up: list[str] = []

    def look(token: str, name: str) -> None:
        with httpx.Client(base_url=server.url, headers={"Authorization": f"Bearer {token}"}) as client:
            for _ in range(10):
                seen = client.get("/v1/me").json()["organization"]["name"]
                if seen != name:
                    mixed_up.append(seen)

    threads = [threading.Thread(target=look, args=entry) for entry in tokens.items()]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert mixed_up == []
