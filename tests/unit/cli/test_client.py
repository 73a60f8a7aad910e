"""The client is patient with a busy server, does nothing twice, and hides no problem."""

from collections.abc import Callable, Iterator

import httpx
import pytest

from chalicelib.cli.client import ATTEMPTS, Client
from chalicelib.cli.errors import KeyMissing, ServerProblem, ServerUnreachable, UnintelligibleAnswer

Handler = Callable[[httpx.Request], httpx.Response]


def client_of(handler: Handler, *, pauses: list[float] | None = None) -> Client:
    return Client(
        "http://127.0.0.1:1",
        lambda: "lb_key",
        transport=httpx.MockTransport(handler),
        pause=(pauses if pauses is not None else []).append,
    )


def answering(*answers: httpx.Response | httpx.TransportError, seen: list[httpx.Request]) -> Handler:
    left = iter(answers)

    def handle(request: httpx.Request) -> httpx.Response:
        request.read()
        seen.append(request)
        answer = next(left)
        if isinstance(answer, httpx.TransportError):
            raise answer
        return answer

    return handle


def test_busy_server_is_asked_again_under_the_same_key() -> None:
    seen: list[httpx.Request] = []
    pauses: list[float] = []
    handler = answering(
        httpx.Response(429, headers={"Retry-After": "3"}),
        httpx.Response(503),
        httpx.Response(409, json={"type": "urn:lorebase:problem:request-in-progress", "title": "t"}),
        httpx.ReadError("cut off"),
        httpx.Response(202, json={"upload": None}),
        seen=seen,
    )

    answer = client_of(handler, pauses=pauses).post("/v1/things", content=b"bytes", path="a b", tag=["x", "y"])

    assert answer == {"upload": None}
    assert len({request.headers["Idempotency-Key"] for request in seen}) == 1
    assert {request.content for request in seen} == {b"bytes"}
    assert seen[0].url.params.multi_items() == [("path", "a b"), ("tag", "x"), ("tag", "y")]
    assert pauses[0] == 3
    assert len(pauses) == 4


def test_two_posts_have_two_keys() -> None:
    seen: list[httpx.Request] = []
    client = client_of(answering(httpx.Response(200, json={}), httpx.Response(200, json={}), seen=seen))

    client.post("/v1/things", {})
    client.post("/v1/things", {})

    assert len({request.headers["Idempotency-Key"] for request in seen}) == 2


def test_server_that_stays_busy_is_given_up_in_the_end() -> None:
    seen: list[httpx.Request] = []

    with pytest.raises(ServerProblem) as raised:
        client_of(answering(*[httpx.Response(503)] * ATTEMPTS, seen=seen)).get("/v1/me")

    assert raised.value.answered_status == 503
    assert len(seen) == ATTEMPTS


def test_server_that_is_not_started_is_not_waited_for() -> None:
    seen: list[httpx.Request] = []

    with pytest.raises(ServerUnreachable, match="lorebase serve"):
        client_of(answering(httpx.ConnectError("refused"), seen=seen)).get("/v1/me")

    assert len(seen) == 1


def test_server_that_restarts_is_waited_for() -> None:
    seen: list[httpx.Request] = []
    client = client_of(
        answering(
            httpx.Response(200, json={}),
            httpx.ConnectError("refused"),
            httpx.ConnectError("refused"),
            httpx.Response(204),
            seen=seen,
        )
    )
    client.get("/v1/me")

    client.delete("/v1/things/1", revision=3)

    assert [request.method for request in seen] == ["GET", "DELETE", "DELETE", "DELETE"]
    assert seen[-1].headers["If-Match"] == '"3"'


def test_guarded_change_whose_answer_was_lost_is_not_repeated() -> None:
    seen: list[httpx.Request] = []

    with pytest.raises(ServerUnreachable):
        client_of(answering(httpx.ReadError("cut off"), seen=seen)).patch("/v1/things/1", {}, revision=1)

    assert len(seen) == 1


def test_problem_of_the_server_is_raised_whole() -> None:
    document = {"type": "urn:lorebase:problem:path-taken", "title": "T", "status": 409, "detail": "D.", "path": "a"}

    with pytest.raises(ServerProblem) as raised:
        client_of(lambda _: httpx.Response(409, json=document)).post("/v1/things", {})

    assert (raised.value.name, raised.value.detail, raised.value.document) == ("path-taken", "D.", document)


def test_something_else_that_answers_is_not_taken_for_lorebase() -> None:
    with pytest.raises(UnintelligibleAnswer):
        client_of(lambda _: httpx.Response(200, text="<html>")).get("/v1/me")


def test_health_needs_no_key() -> None:
    def no_key() -> str:
        raise KeyMissing("none")

    client = Client(
        "http://127.0.0.1:1",
        no_key,
        transport=httpx.MockTransport(
            lambda request: httpx.Response(200, json={"auth": "Authorization" in request.headers})
        ),
    )

    assert client.health() == {"auth": False}
    with pytest.raises(KeyMissing):
        client.get("/v1/me")


def test_lines_are_followed_to_the_end_by_the_link() -> None:
    asked = []

    def handle(request: httpx.Request) -> httpx.Response:
        asked.append(str(request.url.query, "ascii"))
        if "cursor" in request.url.params:
            return httpx.Response(200, text='{"id":3}\n')
        link = {"Link": '<?limit=2&cursor=a%2Bb>; rel="next"'}
        return httpx.Response(200, text='{"id":"1\u2028"}\n{"id":2}\n', headers=link)

    assert list(client_of(handle).lines("/v1/things", state="failed", folder="")) == [
        '{"id":"1\u2028"}',
        '{"id":2}',
        '{"id":3}',
    ]
    assert asked == ["state=failed", "limit=2&cursor=a%2Bb"]


def test_pages_are_followed_to_the_end() -> None:
    def handle(request: httpx.Request) -> httpx.Response:
        assert request.url.params["state"] == "failed"
        is_first = "cursor" not in request.url.params
        things = [{"id": 1 if is_first else 2}]
        return httpx.Response(200, json={"things": things, "next_cursor": "c" if is_first else None})

    pages = client_of(handle).pages("/v1/things", "things", state="failed", folder="")

    assert list(pages) == [[{"id": 1}], [{"id": 2}]]


def test_store_gets_the_bytes_from_the_start_at_every_attempt_and_never_the_key() -> None:
    seen: list[httpx.Request] = []
    handler = answering(httpx.Response(500), httpx.ReadError("cut off"), httpx.Response(200), seen=seen)

    def begin() -> Iterator[bytes]:
        yield b"ab"
        yield b"c"

    client_of(handler).send_to_store("PUT", "http://127.0.0.1:2/x", headers={"Content-Length": "3"}, open_content=begin)

    assert [request.content for request in seen] == [b"abc"] * 3
    assert all("Authorization" not in request.headers for request in seen)
    assert all("Transfer-Encoding" not in request.headers for request in seen)
