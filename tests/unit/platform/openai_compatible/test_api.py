"""Refusals of a server are told apart, its limits kept, and its key shown to nobody else."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

import pytest

from chalicelib.platform.errors import SecretsUnavailable
from chalicelib.platform.json_endpoint import JsonEndpoint
from chalicelib.platform.openai_compatible.api import OpenAiApi
from chalicelib.platform.provider_calls import CallFailed, Outcome
from tests.fixtures.model_answers import Reply
from tests.fixtures.model_server import KEY, ModelServer
from tests.fixtures.remote_models import openai_of


def failure_of(api: OpenAiApi) -> CallFailed:
    with pytest.raises(CallFailed) as caught:
        api.post("/embeddings", {"model": "m", "input": ["tax"]}, {}, seconds=5)
    return caught.value


@pytest.mark.parametrize(
    ("status", "content", "outcome"),
    [
        (400, {"error": {"message": "This model's maximum context length is 8192 tokens"}}, Outcome.TOO_LARGE),
        (400, {"error": {"message": "Requested 309209 tokens", "code": "max_tokens_per_request"}}, Outcome.TOO_LARGE),
        (400, {"error": "the input length exceeds the context length"}, Outcome.TOO_LARGE),
        (
            422,
            {"error": "batch size 64 > maximum allowed batch size 32", "error_type": "Validation"},
            Outcome.TOO_LARGE,
        ),
        (413, {"error": "Input validation error: `inputs` must have less than 512 tokens"}, Outcome.TOO_LARGE),
        (413, b"<html>", Outcome.TOO_LARGE),
        (422, b"inputs must have less than 512 tokens", Outcome.TOO_LARGE),
        (500, {"error": {"message": "input is too large to process"}}, Outcome.TOO_LARGE),
        (400, {"object": "error", "message": "something", "type": "BadRequestError", "code": 400}, Outcome.REFUSED),
        (422, {"detail": [{"loc": ["body", "input"], "msg": "none", "input": "too long"}]}, Outcome.REFUSED),
        (400, {"error": {"message": "The model `m` does not exist", "code": "model_not_found"}}, Outcome.DENIED),
        (401, {"error": {"message": "Incorrect API key provided"}}, Outcome.DENIED),
        (404, {}, Outcome.DENIED),
        (302, {}, Outcome.DENIED),
        (429, {"error": {"message": "You exceeded your quota", "code": "insufficient_quota"}}, Outcome.DENIED),
        (429, {"error": {"message": "Rate limit reached", "code": "rate_limit_exceeded"}}, Outcome.BUSY),
        (503, b"", Outcome.BUSY),
        (529, {}, Outcome.BUSY),
        (500, {}, Outcome.BROKEN),
        (502, b"<html>", Outcome.BROKEN),
        (408, {}, Outcome.BROKEN),
    ],
)
def test_a_refusal_is_what_helps_against_it(
    models: ModelServer, status: int, content: object, outcome: Outcome
) -> None:
    models.change = lambda _: Reply(content, status, {"Location": "http://127.0.0.1:1/"} if status == 302 else {})
    failed = failure_of(openai_of(models))
    assert failed.outcome is outcome
    assert f"answered {status}" in failed.detail
    assert len(models.asked) == 1


def test_what_a_server_says_is_not_in_what_people_see(models: ModelServer) -> None:
    models.change = lambda _: Reply({"error": {"message": "canary of a text", "code": "bad_input"}}, 400)
    assert failure_of(openai_of(models)).detail == "answered 400 (bad_input)"
    models.change = lambda _: Reply({"error": {"message": "x", "code": "canary of a text"}}, 400)
    assert failure_of(openai_of(models)).detail == "answered 400"


@pytest.mark.parametrize("name", ["code", "type"])
def test_a_key_that_a_server_says_back_is_not_repeated(models: ModelServer, name: str) -> None:
    models.change = lambda _: Reply({"error": {"message": f"no such key: {KEY}", name: KEY}}, 400)
    failed = failure_of(openai_of(models))
    assert KEY not in f"{failed.detail} {failed.said}"


@pytest.mark.parametrize(
    ("headers", "wait"),
    [({"Retry-After": "3"}, 3.0), ({"x-ratelimit-reset-tokens": "1.5s", "x-ratelimit-remaining-tokens": "0"}, 1.5)],
)
def test_the_time_to_ask_again_is_read(models: ModelServer, headers: Mapping[str, str], wait: float) -> None:
    models.change = lambda _: Reply({}, 429, headers)
    assert failure_of(openai_of(models)).wait == wait


def test_connections_are_kept(models: ModelServer) -> None:
    api = openai_of(models)
    for _ in range(3):
        api.post("/embeddings", {"model": "m", "input": ["tax"]}, {}, seconds=5)
    assert len({asked.connection for asked in models.asked}) == 1


def test_without_a_key_none_is_sent(models: ModelServer) -> None:
    openai_of(models, None).post("/embeddings", {"model": "m", "input": ["tax"]}, {}, seconds=5)
    assert "authorization" not in models.asked[0].headers


@pytest.mark.parametrize("key", ["two words", "line\nbreak", "schlüssel"])
def test_a_key_that_no_header_takes_is_not_sent(models: ModelServer, key: str) -> None:
    failed = failure_of(openai_of(models, key))
    assert (failed.outcome, models.asked) == (Outcome.DENIED, [])
    assert key not in failed.detail


def test_a_changed_key_is_read_after_a_denial_and_in_time(models: ModelServer) -> None:
    now, keys = [datetime(2026, 11, 30, 12, tzinfo=UTC)], ["first", "second", "third"]
    api = OpenAiApi(JsonEndpoint(models.openai_url), lambda: keys.pop(0), now=lambda: now[0])
    models.troubles = [None, Reply({}, 401)]
    api.post("/embeddings", {"model": "m", "input": ["tax"]}, {}, seconds=5)
    assert failure_of(api).outcome is Outcome.DENIED
    api.post("/embeddings", {"model": "m", "input": ["tax"]}, {}, seconds=5)
    now[0] += timedelta(minutes=6)
    api.post("/embeddings", {"model": "m", "input": ["tax"]}, {}, seconds=5)
    sent = [asked.headers["authorization"].removeprefix("Bearer ") for asked in models.asked]
    assert sent == ["first", "first", "second", "third"]


def test_a_secret_store_that_is_away_is_trouble_of_the_moment(models: ModelServer) -> None:
    def away() -> str:
        raise SecretsUnavailable("The secret store is out of reach.")

    assert failure_of(OpenAiApi(JsonEndpoint(models.openai_url), away)).outcome is Outcome.BROKEN
