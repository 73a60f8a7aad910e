"""Items over HTTP."""

from typing import Any

import pytest

from tests.fixtures.api import Answered, Api


class Workspace:
    """A founded workspace and its owner's key."""

    def __init__(self, api: Api) -> None:
        self.api = api
        self.acme = api.found()
        self.path = f"/v1/workspaces/{self.acme.workspace.id}"

    def call(self, method: str, below: str, **options: Any) -> Answered:
        return self.api.call(method, self.path + below, key=self.acme.token, **options)

    def add(self, path: str, body: str = "Text.", **fields: object) -> Any:
        answered = self.call("POST", "/items", json_body={"path": path, "body": body, **fields})
        assert answered.status == 201, answered.text
        return answered.json


@pytest.fixture
def workspace(api: Api) -> Workspace:
    return Workspace(api)


def test_an_item_is_added_and_shown_with_its_etag(workspace: Workspace) -> None:
    answer = workspace.call(
        "POST",
        "/items",
        json_body={
            "path": "guides/travel_costs.md",
            "body": "# Travel\n\nKeep receipts.",
            "class": "style",
            "tags": ["hr"],
        },
    )
    assert (answer.status, answer.headers["etag"]) == (201, '"1"')
    item = answer.json
    assert (item["title"], item["class"], item["tags"], item["index"]["state"]) == (
        "Travel",
        "style",
        ["hr"],
        "pending",
    )
    below = answer.headers["location"].removeprefix(workspace.path)
    shown = workspace.call("GET", below)
    assert (shown.json, shown.headers["etag"]) == (item, '"1"')
    assert workspace.call("GET", below, headers={"If-None-Match": 'W/"1"'}).status == 304


def test_a_taken_path_conflicts_and_a_hostile_one_is_refused(workspace: Workspace) -> None:
    workspace.add("a.md")
    assert workspace.call("POST", "/items", json_body={"path": "a.md", "body": ""}).problem == "path-taken"
    for hostile in ("../a", "/etc/passwd", "a//b", "a/./b", "a\\b", "", "a\u202eb", "x" * 1001):
        assert workspace.call("POST", "/items", json_body={"path": hostile, "body": ""}).problem == "invalid-path"


def test_put_replaces_all_and_patch_merges(workspace: Workspace) -> None:
    item = workspace.add("a.md", tags=["x"], metadata={"a": {"b": 1, "c": 2}}, description="old")
    below = f"/items/{item['id']}"
    patched = workspace.call("PATCH", below, json_body={"metadata": {"a": {"b": None}, "d": 3}, "path": "b/a.md"})
    assert (patched.json["metadata"], patched.json["path"], patched.json["tags"], patched.json["revision"]) == (
        {"a": {"c": 2}, "d": 3},
        "b/a.md",
        ["x"],
        2,
    )
    assert workspace.call("PATCH", below, json_body={"tags": None}).json["tags"] == []
    assert workspace.call("PATCH", below, json_body={"body": None}).problem == "invalid-item"
    replaced = workspace.call("PUT", below, json_body={"path": "b/a.md", "title": "New", "body": "New."})
    assert (replaced.json["title"], replaced.json["metadata"], replaced.json["description"]) == ("New", {}, "")


def test_a_stale_etag_is_refused_with_the_present_revision(workspace: Workspace) -> None:
    item = workspace.add("a.md")
    below = f"/items/{item['id']}"
    assert workspace.call("PATCH", below, json_body={"body": "2"}, headers={"If-Match": '"1"'}).status == 200
    stale = workspace.call("PATCH", below, json_body={"body": "3"}, headers={"If-Match": '"1"'})
    assert (stale.status, stale.problem, stale.json["revision"]) == (412, "revision-conflict", 2)
    assert workspace.call("DELETE", below, headers={"If-Match": '"1"'}).status == 412
    assert (
        workspace.call("PATCH", below, json_body={"body": "3"}, headers={"If-Match": "1"}).problem == "invalid-header"
    )


def test_earlier_revisions_stay_readable(workspace: Workspace) -> None:
    item = workspace.add("a.md", body="one")
    below = f"/items/{item['id']}"
    workspace.call("PATCH", below, json_body={"body": "two", "title": "Two"})
    assert workspace.call("GET", below, query={"revision": 1}).json["body"] == "one"
    assert workspace.call("GET", below, query={"revision": 3}).problem == "revision-not-found"
    revisions = workspace.call("GET", f"{below}/revisions").json["revisions"]
    assert [(entry["revision"], entry["title"]) for entry in revisions] == [(2, "Two"), (1, "a")]


def test_a_deleted_item_is_gone_from_every_route(workspace: Workspace) -> None:
    item = workspace.add("a.md")
    below = f"/items/{item['id']}"
    assert workspace.call("DELETE", below).status == 204
    for method, path in (("GET", below), ("DELETE", below), ("GET", f"{below}/revisions"), ("GET", f"{below}/chunks")):
        assert workspace.call(method, path).problem == "item-not-found"
    assert workspace.call("GET", "/items").json["items"] == []
    assert workspace.add("a.md")["revision"] == 1


@pytest.mark.parametrize("sort", ["path", "updated"])
def test_lists_page_through_every_item_once(workspace: Workspace, sort: str) -> None:
    added = {workspace.add(f"folder/{number:02}.md")["path"] for number in range(7)}
    seen: list[str] = []
    query: dict[str, object] = {"limit": 3, "sort": sort}
    while True:
        page = workspace.call("GET", "/items", query=query).json
        seen += [item["path"] for item in page["items"]]
        if page["next_cursor"] is None:
            break
        query["cursor"] = page["next_cursor"]
    assert sorted(seen) == sorted(added)
    assert seen == (sorted(added) if sort == "path" else sorted(added, reverse=True))


def test_filters_narrow_a_list(workspace: Workspace) -> None:
    workspace.add("hr/a.md", tags=["x", "y"], **{"class": "legal"})
    workspace.add("hr/b.md", tags=["x"], status="draft")
    workspace.add("c.md", categories=["k"], scope="workspace", language="de")

    def paths(**query: object) -> list[str]:
        return [item["path"] for item in workspace.call("GET", "/items", query=query).json["items"]]

    assert paths(tag=["x", "y"]) == ["hr/a.md"]
    assert paths(**{"class": ["legal", "style"]}) == ["hr/a.md"]
    assert paths(status="draft") == ["hr/b.md"]
    assert paths(folder="hr") == ["hr/a.md", "hr/b.md"]
    assert paths(category="k", language="de", scope="workspace") == ["c.md"]
    assert paths(path="c.md", index_state="pending") == ["c.md"]
    assert paths(updated_after="2100-01-01T00:00:00Z") == []


def test_what_is_misspelt_is_refused(workspace: Workspace) -> None:
    unknown = workspace.call("GET", "/items", query={"tagg": "x"})
    assert (unknown.status, unknown.json["errors"][0]["parameter"]) == (400, "tagg")
    assert workspace.call("GET", "/items", query={"limit": "many"}).problem == "invalid-query"
    assert workspace.call("GET", "/items", query={"limit": 201}).problem == "invalid-query"
    assert workspace.call("GET", "/items", query={"sort": ["path", "path"]}).problem == "invalid-query"
    body = workspace.call("POST", "/items", json_body={"path": "a.md", "body": "x", "tags": ["a", 5], "titel": "T"})
    assert (body.status, body.problem) == (422, "invalid-body")
    assert {error["pointer"] for error in body.json["errors"]} == {"#/tags/1", "#/titel"}


def test_a_refusal_says_what_is_wrong_and_not_only_where(workspace: Workspace) -> None:
    asked = workspace.call("GET", "/items", query={"tagg": "x"}).json["detail"]
    assert asked == "The query parameter tagg was refused: There is no such name here."
    many = workspace.call("GET", "/items", query={"limit": 201}).json["detail"]
    assert many == "The query parameter limit was refused: Input should be less than or equal to 200."
    written = workspace.call("POST", "/items", json_body={"path": "a.md", "body": "x", "titel": "T"}).json["detail"]
    assert written == "The body was refused at #/titel: There is no such name here."


def test_the_tree_and_the_tags_count_items(workspace: Workspace) -> None:
    workspace.add("hr/travel/a.md", tags=["x"])
    workspace.add("hr/b.md", tags=["x", "y"])
    workspace.add("c.md")
    root = workspace.call("GET", "/tree").json
    assert (root["folders"], [item["path"] for item in root["items"]]) == (
        [{"path": "hr", "name": "hr", "items": 2}],
        ["c.md"],
    )
    below = workspace.call("GET", "/tree", query={"folder": "hr"}).json
    assert [folder["path"] for folder in below["folders"]] == ["hr/travel"]
    assert workspace.call("GET", "/tags").json["tags"] == [{"tag": "x", "items": 2}, {"tag": "y", "items": 1}]


def test_a_full_workspace_says_what_to_do(workspace: Workspace) -> None:
    workspace.call("PATCH", "", json_body={"quotas": {"items": 1}})
    workspace.add("a.md")
    full = workspace.call("POST", "/items", json_body={"path": "b.md", "body": "x"})
    assert (full.status, full.problem, full.json["limit"], full.json["used"]) == (402, "quota-exceeded", 1, 1)
    assert workspace.call("GET", "/status").json["usage"]["items"] == {"used": 1, "limit": 1}


def test_the_job_that_follows_from_a_change_is_shown_to_owners_and_can_be_cancelled(workspace: Workspace) -> None:
    item = workspace.add("a.md")
    jobs = workspace.call("GET", "/jobs", query={"state": "waiting", "kind": "index_item"}).json["jobs"]
    assert [job["key"] for job in jobs] == [item["id"]]
    below = f"/jobs/{jobs[0]['id']}"
    assert workspace.call("POST", f"{below}/redrive").problem == "job-is-not-dead"
    assert workspace.call("POST", f"{below}/cancel").json["state"] == "cancelled"
    assert workspace.call("POST", f"{below}/cancel").problem == "job-is-over"
    assert workspace.call("GET", "/status").json["jobs"] == {"waiting": 0, "running": 0, "dead": 0}


def test_an_item_can_be_indexed_anew(workspace: Workspace) -> None:
    item = workspace.add("a.md")
    assert workspace.call("POST", f"/items/{item['id']}/retry").status == 202
    assert workspace.call("GET", f"/items/{item['id']}/chunks").json == {"chunks": [], "next_cursor": None}


def test_the_request_id_of_a_change_is_on_the_job_that_follows_from_it(workspace: Workspace) -> None:
    body = {"path": "a.md", "body": "x"}
    added = workspace.call("POST", "/items", json_body=body, headers={"X-Request-Id": "mine-1"})
    assert added.headers["x-request-id"] == "mine-1"
    assert workspace.call("GET", "/jobs").json["jobs"][0]["correlation_id"] == "mine-1"
    insane = workspace.call("GET", "/items", headers={"X-Request-Id": "a\tb" * 99})
    assert insane.headers["x-request-id"] != "a\tb" * 99
