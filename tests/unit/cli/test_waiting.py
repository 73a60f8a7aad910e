"""Waiting asks for all uploads at once, and ends in time."""

from collections.abc import Sequence
from typing import Any

import httpx
import pytest
from rich.progress import Progress

from chalicelib.cli.client import Client
from chalicelib.cli.printing import Stages
from chalicelib.cli.waiting import Patience, await_uploads


class Time:
    """A clock that moves when somebody waits."""

    def __init__(self) -> None:
        self.passed = 0.0

    def now(self) -> float:
        return self.passed

    def pause(self, seconds: float) -> None:
        self.passed += seconds


class Uploads:
    """A server with uploads whose extraction ends at given times."""

    def __init__(self, time: Time, ends: dict[str, float]) -> None:
        self.time = time
        self.ends = ends
        self.requests = 0

    def handle(self, request: httpx.Request) -> httpx.Response:
        self.requests += 1
        if request.url.path != "/w/uploads":
            return httpx.Response(404, json={"type": "urn:lorebase:problem:upload-not-found", "title": "T"})
        shown = [{"id": name, "state": self._state(end)} for name, end in self.ends.items()]
        states = request.url.params.get_list("state")
        return httpx.Response(
            200,
            json={"uploads": [entry for entry in shown if not states or entry["state"] in states], "next_cursor": None},
        )

    def _state(self, end: float) -> str:
        return "succeeded" if self.time.passed >= end else "pending"


@pytest.fixture
def time() -> Time:
    return Time()


def wait_for(uploads: Uploads, ids: Sequence[str], *, seconds: float | None) -> dict[str, Any]:
    client = Client("http://127.0.0.1:1", lambda: "k", transport=httpx.MockTransport(uploads.handle))
    patience = Patience(seconds, now=uploads.time.now, pause=uploads.time.pause)
    stages = Stages(Progress(disable=True))
    return dict(await_uploads(client, "/w", ids, patience=patience, stages=stages))


def test_all_are_waited_for_together(time: Time) -> None:
    uploads = Uploads(time, {f"u{number}": number / 10 for number in range(100)})

    ended = wait_for(uploads, [*uploads.ends], seconds=None)

    assert {upload["state"] for upload in ended.values()} == {"succeeded"}
    assert len(ended) == 100
    assert uploads.requests < 20
    assert time.passed < 12


def test_time_that_is_up_ends_the_waiting(time: Time) -> None:
    uploads = Uploads(time, {"quick": 1, "slow": 1000})

    ended = wait_for(uploads, ["quick", "slow"], seconds=5)

    assert {name: upload["state"] for name, upload in ended.items()} == {"quick": "succeeded", "slow": "pending"}
    assert time.passed == pytest.approx(5)


def test_upload_that_was_deleted_is_missing(time: Time) -> None:
    assert [*wait_for(Uploads(time, {"kept": 0}), ["kept", "deleted"], seconds=None)] == ["kept"]
    assert time.passed == 0


def test_nothing_to_wait_for_asks_nothing(time: Time) -> None:
    uploads = Uploads(time, {})

    assert wait_for(uploads, [], seconds=None) == {}
    assert uploads.requests == 0
