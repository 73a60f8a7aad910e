"""The trash and folders' moves over HTTP: pages, revisions, repetitions under a key, and what is answered."""

from typing import Any

import pytest

from chalicelib.bootstrap import install_application
from tests.fixtures.api import Answered, Api
from tests.fixtures.lorebases import Lorebase


class Room:
    """One workspace, asked by its owner."""

    def __init__(self, api: Api, lorebase: Lorebase) -> None:
        self.api, self.key = api, lorebase.foundation.token
        self.url = f"/v1/workspaces/{lorebase.workspace_id}"

    def ask(self, method: str, path: str, **options: Any) -> Answered:
        return self.api.call(method, f"{self.url}{path}", key=self.key, **options)

    def bury(self, path: str, body: str = "text") -> str:
        item_id: str = self.ask("POST", "/items", json_body={"path": path, "body": body}).json["id"]
        assert self.ask("DELETE", f"/items/{item_id}").status == 204
        return item_id


@pytest.fixture
def room(whole_api: Api, lorebase: Lorebase) -> Room:
    return Room(whole_api, lorebase)


def test_the_trash_is_listed_page_by_page_with_what_becomes_of_it(room: Room) -> None:
    ids = [room.bury(f"{name}.md") for name in "abc"]
    first = room.ask("GET", "/trash", query={"limit": 2}).json
    second = room.ask("GET", "/trash", query={"limit": 2, "cursor": first["next_cursor"]}).json
    assert [entry["item"]["id"] for entry in first["items"] + second["items"]] == ids[::-1]
    assert second["next_cursor"] is None
    entry = first["items"][0]
    assert entry["kept_until"][:4] > "2000"
    assert entry["kept_until"] > entry["deleted_at"]
    other = room.ask("GET", "/trash", query={"folder": "x", "cursor": first["next_cursor"]})
    assert other.problem == "invalid-cursor"


def test_without_an_end_nothing_is_said_of_one(room: Room, lorebase: Lorebase) -> None:
    item_id = room.bury("a.md")
    lorebase.configure(trash_days=0)
    install_application(lorebase.wired)
    assert room.ask("GET", f"/trash/{item_id}").json["kept_until"] is None


def test_an_item_in_the_trash_is_shown_at_each_of_its_revisions(room: Room) -> None:
    item_id = room.ask("POST", "/items", json_body={"path": "a.md", "body": "one"}).json["id"]
    room.ask("PATCH", f"/items/{item_id}", json_body={"body": "two"})
    assert room.ask("GET", f"/trash/{item_id}").problem == "item-not-found"
    room.ask("DELETE", f"/items/{item_id}")
    assert room.ask("GET", f"/items/{item_id}").problem == "item-not-found"
    assert room.ask("GET", f"/trash/{item_id}").json["item"]["body"] == "two"
    assert room.ask("GET", f"/trash/{item_id}", query={"revision": 1}).json["item"]["body"] == "one"
    assert room.ask("GET", f"/trash/{item_id}", query={"revision": 9}).problem == "revision-not-found"
    revisions = room.ask("GET", f"/trash/{item_id}/revisions").json["revisions"]
    assert [revision["revision"] for revision in revisions] == [2, 1]


def test_restoring_answers_the_item_and_does_so_again_under_its_key(room: Room) -> None:
    item_id = room.bury("a.md", "one")
    restore: dict[str, Any] = {"json_body": {"path": "b.md"}, "headers": {"Idempotency-Key": "k"}}
    first = room.ask("POST", f"/trash/{item_id}/restore", **restore)
    again = room.ask("POST", f"/trash/{item_id}/restore", **restore)
    assert (first.status, first.headers["etag"], first.json["path"]) == (200, '"2"', "b.md")
    assert (again.status, again.json) == (200, first.json)
    assert room.ask("POST", f"/trash/{item_id}/restore", json_body={}).problem == "item-not-found"


def test_a_taken_path_is_a_conflict(room: Room) -> None:
    item_id = room.bury("a.md")
    room.ask("POST", "/items", json_body={"path": "a.md", "body": "x"})
    taken = room.ask("POST", f"/trash/{item_id}/restore", json_body={})
    assert (taken.status, taken.problem, taken.json["path"]) == (409, "path-taken", "a.md")


def test_deleting_for_good_and_emptying_end_it(room: Room) -> None:
    ids = [room.bury(f"{name}.md") for name in "abcd"]
    assert room.ask("DELETE", f"/trash/{ids[3]}").status == 204
    assert room.ask("DELETE", f"/trash/{ids[3]}").problem == "item-not-found"
    assert room.ask("DELETE", "/trash", query={"limit": 2}).json == {"deleted": 2, "has_more": True}
    assert room.ask("DELETE", "/trash").json == {"deleted": 1, "has_more": False}
    assert room.ask("DELETE", "/trash", query={"limit": 201}).problem == "invalid-query"
    assert room.ask("GET", "/trash").json["items"] == []


def test_a_folder_moves_once_however_often_that_is_asked_under_one_key(room: Room) -> None:
    for name in "ab":
        room.ask("POST", "/items", json_body={"path": f"old/{name}.md", "body": "x"})
    move: dict[str, Any] = {"json_body": {"from": "old", "to": "new"}, "headers": {"Idempotency-Key": "k"}}
    assert room.ask("POST", "/folders/move", **move).json == {"path": "new", "items": 2}
    assert room.ask("POST", "/folders/move", **move).json == {"path": "new", "items": 2}
    gone = room.ask("POST", "/folders/move", json_body={"from": "old", "to": "new"})
    assert (gone.status, gone.problem) == (404, "folder-not-found")
    inside = room.ask("POST", "/folders/move", json_body={"from": "new", "to": "new/er"})
    assert (inside.status, inside.problem) == (422, "invalid-path")
    assert room.ask("POST", "/folders/move", json_body={"from": "new"}).problem == "invalid-body"


def test_a_folder_is_deleted_by_its_path(room: Room) -> None:
    room.ask("POST", "/items", json_body={"path": "old/a.md", "body": "x"})
    assert room.ask("DELETE", "/tree", query={"folder": "old"}).json == {"path": "old", "items": 1}
    assert room.ask("DELETE", "/tree", query={"folder": "old"}).problem == "folder-not-found"
    assert room.ask("DELETE", "/tree").problem == "invalid-query"
    assert [entry["item"]["path"] for entry in room.ask("GET", "/trash").json["items"]] == ["old/a.md"]


def test_citations_of_an_item_leave_with_it(room: Room) -> None:
    item_id = room.ask("POST", "/items", json_body={"path": "a.md", "body": "Some words."}).json["id"]
    cited = {
        "consumer_kind": "page",
        "consumer_id": "1",
        "citations": [{"item_id": item_id, "revision": 1, "span": [0, 4]}],
    }
    assert room.ask("POST", "/citations", json_body=cited).status == 201
    room.ask("DELETE", f"/items/{item_id}")
    assert room.ask("DELETE", f"/trash/{item_id}").status == 204
    found = room.ask("GET", "/citations", query={"consumer_kind": "page", "consumer_id": "1"})
    assert item_id not in found.text
