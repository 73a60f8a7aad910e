"""Contexts over HTTP: who may switch them, what is told beforehand, and that nothing of a summary is shown."""

from dataclasses import replace

import pytest

from chalicelib.bootstrap import install_application
from chalicelib.database.statements import Statement
from chalicelib.identity.model import WorkspaceRole
from tests.fixtures.activity import recorded
from tests.fixtures.api import Answered, Api
from tests.fixtures.language_models import WrittenModel
from tests.fixtures.lorebases import Lorebase

_JOBS = Statement("jobs", "Read which kinds of jobs were promised.", b"select kind from jobs")


class Room:
    """One workspace, asked by its owner."""

    def __init__(self, api: Api, lorebase: Lorebase) -> None:
        self.api, self.lorebase, self.key = api, lorebase, lorebase.foundation.token
        self.url = f"/v1/workspaces/{lorebase.workspace_id}/contexts"

    def show(self) -> Answered:
        return self.api.call("GET", self.url, key=self.key)

    def switch(self, *, on: bool) -> Answered:
        return self.api.call("PUT", self.url, key=self.key, json_body={"on": on})

    def add(self, path: str, body: str) -> None:
        self.lorebase.add_item(path, body)
        self.lorebase.drain()


@pytest.fixture
def room(whole_api: Api, lorebase: Lorebase) -> Room:
    lorebase.wired = replace(lorebase.wired, language_model=WrittenModel(lambda _: {"summary": "x"}))
    install_application(lorebase.wired)
    return Room(whole_api, lorebase)


def test_what_it_takes_is_told_before_it_is_switched_on(room: Room) -> None:
    room.add("a.md", "A sentence. " * 100)
    shown = room.show().json
    estimate = shown.pop("estimate")
    assert shown == {
        "on": False,
        "since": None,
        "model": "written/1",
        "described": 0,
        "undescribed": 1,
        "failed": 0,
    }
    assert estimate["input_tokens"] > 400
    assert estimate["output_tokens"] > 0
    assert (estimate["embedded_tokens"], estimate["money"], estimate["exceeds_budget"]) == (0, None, False)


def test_it_is_switched_on_and_off_and_recorded_once_each(room: Room, lorebase: Lorebase) -> None:
    for on in (True, True, False, False):
        answered = room.switch(on=on)
        assert (answered.status, answered.json["on"]) == (200, on)
    changes = [entry["after"] for entry in recorded(lorebase.database) if "contexts" in (entry["after"] or {})]
    assert changes == [{"contexts": True}, {"contexts": False}]
    with lorebase.database.transaction() as tx:
        assert "spread_contexts" in {row["kind"] for row in tx.fetch_all(_JOBS)}


def test_without_a_language_model_it_cannot_be_switched_on(whole_api: Api, lorebase: Lorebase) -> None:
    room = Room(whole_api, lorebase)
    refused = room.switch(on=True)
    assert (refused.status, refused.problem) == (409, "no-language-model")
    assert room.switch(on=False).status == 200
    assert room.show().json["model"] is None


@pytest.mark.parametrize("role", [WorkspaceRole.VIEWER, WorkspaceRole.EDITOR])
def test_owners_alone_switch_and_see_it(room: Room, lorebase: Lorebase, role: WorkspaceRole) -> None:
    member = lorebase.member(role)
    key = room.api.call(
        "POST",
        f"/v1/organizations/{lorebase.owner.organization_id}/api-keys",
        key=room.key,
        json_body={"name": "k", "member_id": str(member.id)},
    )
    assert key.status == 201, key.text
    room.key = key.json["token"]
    assert room.show().problem == "action-forbidden"
    assert room.switch(on=True).problem == "action-forbidden"


def test_what_is_no_switch_is_refused(room: Room) -> None:
    for body in ({}, {"on": "maybe"}, {"on": None}, {"on": True, "off": False}):
        assert room.api.call("PUT", room.url, key=room.key, json_body=body).status == 422
