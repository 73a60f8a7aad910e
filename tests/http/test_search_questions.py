"""Searches as hostile or unlucky clients ask them: each is answered, or refused for what is wrong with it."""

from collections.abc import Mapping
from typing import Any

import pytest

from tests.fixtures.api import Answered, Api
from tests.fixtures.lorebases import Lorebase

_VALUES = [
    *["", " ", "0", "-1", "1.5", "NaN", "-inf", "1e400", "9" * 400, "true", "null", "[]", "x", "x" * 3000],
    *["\x00", "a\x00b", "🙂", "\u202e", "../..", "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-12:00"],
    "00000000-0000-0000-0000-000000000000",
]
_PARAMETERS = [
    *["q", "limit", "mode", "level", "kind", "class", "scope", "status", "language", "tag", "category", "folder"],
    *["updated_after", "updated_before", "expand", "rerank", "half_life_days", "neighbours", "explain", "why_not"],
    "knowledge_base",
]
_IN_BODIES: list[Any] = [
    *[None, True, 0, -1, 1.5, 10**30, "", "x", "\x00", [], [None], [[]], ["\x00"], ["x"] * 2000],
    *[{}, {"a": 1}, {"\x00": "\x00"}, {"a": 1e308}],
]
_MEMBERS = [
    *["query", "limit", "mode", "level", "expand", "rerank", "half_life_days", "neighbours", "explain", "why_not"],
    *["filters", "knowledge_bases"],
]
_FILTERS = [
    *["kind", "class", "scope", "status", "language", "tags", "categories", "folder", "metadata"],
    *["updated_after", "updated_before"],
]


class Room:
    """A workspace with one item, asked by its owner."""

    def __init__(self, api: Api, lorebase: Lorebase) -> None:
        self._api, self._key = api, lorebase.foundation.token
        self._url = f"/v1/workspaces/{lorebase.workspace_id}/search"
        lorebase.add_item("a.md", "A sentence.")
        lorebase.drain()

    def get(self, **query: Any) -> Answered:
        return self._api.call("GET", self._url, key=self._key, query={"q": "sentence", **query})

    def post(self, body: Mapping[str, Any]) -> Answered:
        return self._api.call("POST", self._url, key=self._key, json_body={"query": "sentence", **body})


@pytest.fixture
def room(whole_api: Api, lorebase: Lorebase) -> Room:
    return Room(whole_api, lorebase)


@pytest.mark.parametrize("name", _PARAMETERS)
def test_no_value_of_a_parameter_is_more_than_refused(room: Room, name: str) -> None:
    answers = [room.get(**{name: value}) for value in _VALUES]
    assert {answered.status for answered in answers} <= {200, 400, 404, 422}


def test_no_member_of_a_body_is_more_than_refused(room: Room) -> None:
    answers = [room.post({name: value}) for name in _MEMBERS for value in _IN_BODIES]
    assert {answered.status for answered in answers} <= {200, 400, 404, 422}


def test_no_filter_in_a_body_is_more_than_refused(room: Room) -> None:
    answers = [room.post({"filters": {name: value}}) for name in _FILTERS for value in _IN_BODIES]
    assert {answered.status for answered in answers} == {200, 422}


def test_what_is_not_known_is_refused_and_not_ignored(room: Room) -> None:
    assert room.get(tags="adr").problem == "invalid-query"
    assert room.get(item_class="legal").problem == "invalid-query"
    assert room.post({"filters": {"tag": ["adr"]}}).problem == "invalid-body"
    assert room.post({"tags": ["adr"]}).problem == "invalid-body"


@pytest.mark.parametrize("name", ["q", "limit", "half_life_days", "why_not"])
def test_what_may_be_said_once_is_refused_when_said_twice(room: Room, name: str) -> None:
    assert room.get(**{name: ["1", "2"]}).problem == "invalid-query"
