"""A whole answer in time, or none: connections are kept, replaced when they were closed, and cut in time."""

import time

import pytest

from chalicelib.platform.json_endpoint import JsonEndpoint
from chalicelib.platform.provider_calls import CallFailed, Outcome
from tests.fixtures.model_answers import Reply
from tests.fixtures.model_server import ModelServer

BODY = b'{"model": "m", "input": ["tax"]}'


def failure_of(endpoint: JsonEndpoint, seconds: float = 5.0) -> CallFailed:
    with pytest.raises(CallFailed) as caught:
        endpoint.post("/embeddings", BODY, {}, seconds=seconds)
    return caught.value


@pytest.mark.parametrize(
    "url",
    [
        "",
        "ftp://host",
        "https://",
        "https://user:pw@host/v1",
        "https://host/v1?x=1",
        "https://host/#x",
        "http://host:0",
        "http://.../v1",
        "http://models..internal",
        f"http://{'m' * 64}.internal",
    ],
)
def test_what_is_no_endpoint_is_refused(url: str) -> None:
    with pytest.raises(ValueError, match="endpoint"):
        JsonEndpoint(url)


def test_a_kept_connection_that_was_closed_is_replaced(models: ModelServer) -> None:
    endpoint = JsonEndpoint(models.openai_url)
    endpoint.post("/embeddings", BODY, {}, seconds=5)
    models.troubles = ["cut"]
    assert endpoint.post("/embeddings", BODY, {}, seconds=5).status == 200
    assert len({asked.connection for asked in models.asked}) == 2


def test_a_new_connection_that_is_cut_is_trouble(models: ModelServer) -> None:
    models.troubles = ["cut"]
    failed = failure_of(JsonEndpoint(models.openai_url))
    assert (failed.outcome, failed.detail) == (Outcome.BROKEN, "cut the connection")


def test_half_an_answer_is_none(models: ModelServer) -> None:
    models.troubles = ["cut the body"]
    assert failure_of(JsonEndpoint(models.openai_url)).outcome is Outcome.BROKEN


@pytest.mark.parametrize("trouble", ["wait", "drip"])
def test_the_deadline_holds_for_all_of_an_answer(models: ModelServer, trouble: str) -> None:
    models.troubles = [Reply({}), "wait" if trouble == "wait" else "drip"]
    endpoint = JsonEndpoint(models.openai_url)
    endpoint.post("/embeddings", BODY, {}, seconds=5)
    began = time.monotonic()
    failed = failure_of(endpoint, seconds=0.15)
    assert (failed.outcome, failed.detail) == (Outcome.BROKEN, "did not answer in time")
    assert time.monotonic() - began < 5
    assert endpoint.post("/embeddings", BODY, {}, seconds=5).status == 200


def test_nobody_there_is_trouble() -> None:
    assert failure_of(JsonEndpoint("http://127.0.0.1:9")).outcome is Outcome.BROKEN


def test_an_answer_that_is_no_json_has_no_content(models: ModelServer) -> None:
    models.change = lambda _: Reply(b"<html>", 502, {"X-Some": "header"})
    answer = JsonEndpoint(models.openai_url).post("/embeddings", BODY, {}, seconds=5)
    assert (answer.status, answer.content, answer.headers["x-some"]) == (502, None, "header")
