"""Knowledge bases over HTTP: made, filled, searched, listed and shared."""

from typing import Any

import pytest

from tests.fixtures.api import Answered, Api
from tests.fixtures.lorebases import Lorebase
from tests.fixtures.route_walk import ABSENT


class Desk:
    """The owner at a workspace with items in two folders."""

    def __init__(self, api: Api, lorebase: Lorebase) -> None:
        self.api, self.lorebase = api, lorebase
        self.workspace = f"/v1/workspaces/{lorebase.workspace_id}"
        self.items = [lorebase.add_item(path, f"the plan of {path}") for path in ("hr/a.md", "hr/b/c.md", "it/d.md")]
        lorebase.drain()

    def ask(self, method: str, path: str, body: Any = None, **options: Any) -> Answered:
        options.setdefault("key", self.lorebase.foundation.token)
        return self.api.call(method, f"{self.workspace}{path}", json_body=body, **options)

    def made(self, **said: Any) -> str:
        answered = self.ask("POST", "/knowledge-bases", {"name": "Base", **said})
        assert answered.status == 201, answered.text
        return str(answered.json["id"])

    def filled(self, **members: Any) -> str:
        base = self.made()
        assert self.ask("PATCH", f"/knowledge-bases/{base}/members", {"add": members}).status == 200
        return base


@pytest.fixture
def desk(whole_api: Api, lorebase: Lorebase) -> Desk:
    return Desk(whole_api, lorebase)


def test_one_is_made_changed_shown_and_deleted(desk: Desk) -> None:
    settings = {"mode": "lexical", "limit": 3, "filters": {"class": ["legal"], "language": ["de"], "tags": ["a", "a"]}}
    said = {"name": " Handbook ", "description": "What we do", "settings": settings}
    made = desk.ask("POST", "/knowledge-bases", said, headers={"Idempotency-Key": "k"})
    again = desk.ask("POST", "/knowledge-bases", said, headers={"Idempotency-Key": "k"})
    assert (made.status, made.json, made.headers["location"]) == (201, again.json, again.headers["location"])
    base = made.json
    assert (base["name"], base["visibility"], base["may_change"]) == ("Handbook", "private", True)
    filters = base["settings"]["filters"]
    assert (filters["class"], filters["language"], filters["tags"], filters["kind"]) == (["legal"], ["de"], ["a"], [])
    path = f"/knowledge-bases/{base['id']}"
    changed = desk.ask("PATCH", path, {"visibility": "workspace", "settings": {}}).json
    assert (changed["name"], changed["visibility"], changed["settings"]["mode"]) == ("Handbook", "workspace", None)
    assert desk.ask("GET", path).json["items"] == 0
    assert [each["id"] for each in desk.ask("GET", "/knowledge-bases").json["knowledge_bases"]] == [base["id"]]
    assert desk.ask("DELETE", path).status == 204
    assert desk.ask("GET", path).problem == "knowledge-base-not-found"


def test_members_come_in_pages_and_the_base_narrows_lists_trees_and_searches(desk: Desk) -> None:
    base = desk.filled(folders=["hr/", "hr/b"], items=[str(desk.items[2].id)])
    seen: list[str] = []
    page = desk.ask("GET", f"/knowledge-bases/{base}/members?limit=2").json
    seen += [member["path"] for member in page["members"]]
    page = desk.ask("GET", f"/knowledge-bases/{base}/members?limit=2&cursor={page['next_cursor']}").json
    seen += [member["path"] for member in page["members"]]
    assert (seen, page["next_cursor"]) == (["hr", "hr/b", "it/d.md"], None)
    other = desk.filled(folders=["hr/b"])
    for query, paths in (
        (f"knowledge_base={other}", ["hr/b/c.md"]),
        (f"knowledge_base={other}&knowledge_base={base}", ["hr/a.md", "hr/b/c.md", "it/d.md"]),
        ("knowledge_base=all", ["hr/a.md", "hr/b/c.md", "it/d.md"]),
    ):
        assert [item["path"] for item in desk.ask("GET", f"/items?{query}").json["items"]] == paths
        assert sorted(hit["path"] for hit in desk.ask("GET", f"/search?q=plan&{query}").json["hits"]) == paths
    tree = desk.ask("GET", f"/tree?folder=hr&knowledge_base={other}").json
    assert ([folder["name"] for folder in tree["folders"]], tree["items"]) == (["b"], [])
    body = {"query": "plan", "knowledge_bases": [other]}
    assert [hit["path"] for hit in desk.ask("POST", "/search", body).json["hits"]] == ["hr/b/c.md"]
    assert len(desk.ask("POST", "/search", {**body, "knowledge_bases": "all"}).json["hits"]) == 3
    removed = {"remove": {"folders": ["hr", "none"], "items": [str(ABSENT)]}}
    assert desk.ask("PATCH", f"/knowledge-bases/{base}/members", removed).json["items"] == 2


@pytest.mark.parametrize(
    ("members", "problem"),
    [
        ({"items": [str(ABSENT)]}, "item-not-found"),
        ({"folders": ["nowhere"]}, "folder-not-found"),
        ({"folders": ["h"]}, "folder-not-found"),
        ({"folders": ["hr/a.md"]}, "folder-not-found"),
        ({"folders": [""]}, "invalid-path"),
        ({"folders": ["/"]}, "invalid-path"),
        ({"folders": ["hr/../it"]}, "invalid-path"),
        ({"folders": ["h\x00r"]}, "invalid-path"),
        ({"items": ["x"]}, "invalid-body"),
        ({"items": [str(ABSENT)] * 1001}, "invalid-body"),
        ({"connections": []}, "invalid-body"),
    ],
)
def test_what_cannot_be_a_member_is_refused_and_nothing_is_added(desk: Desk, members: Any, problem: str) -> None:
    base = desk.made()
    good = {"items": [str(desk.items[0].id)], "folders": ["it"]}
    added = {name: [*good.get(name, []), *members.get(name, [])] for name in {**good, **members}}
    assert desk.ask("PATCH", f"/knowledge-bases/{base}/members", {"add": added}).problem == problem
    assert desk.ask("GET", f"/knowledge-bases/{base}/members").json["members"] == []


@pytest.mark.parametrize(
    ("said", "problem"),
    [
        ({"name": ""}, "invalid-knowledge-base"),
        ({"name": "a\nb"}, "invalid-knowledge-base"),
        ({"name": "\x00"}, "invalid-knowledge-base"),
        ({"name": "x" * 201}, "invalid-knowledge-base"),
        ({"description": "x" * 2001}, "invalid-knowledge-base"),
        ({"settings": {"filters": {"tags": ["x" * 201]}}}, "invalid-knowledge-base"),
        ({"settings": {"filters": {"tags": ["x"] * 101}}}, "invalid-knowledge-base"),
        ({"settings": {"limit": 0}}, "invalid-body"),
        ({"settings": {"mode": "psychic"}}, "invalid-body"),
        ({"settings": {"filters": {"folder": "hr"}}}, "invalid-body"),
        ({"visibility": "everybody"}, "invalid-body"),
    ],
)
def test_what_cannot_be_said_is_refused(desk: Desk, said: Any, problem: str) -> None:
    assert desk.ask("POST", "/knowledge-bases", {"name": "Base", **said}).problem == problem
    assert desk.ask("GET", "/knowledge-bases").json["knowledge_bases"] == []


@pytest.mark.parametrize("named", [str(ABSENT), "x", "", "all&knowledge_base=all", "\x00"])
def test_a_knowledge_base_that_is_not_there_answers_the_same_however_it_is_named(desk: Desk, named: str) -> None:
    for path in ("/items?", "/tree?", "/search?q=plan&"):
        assert desk.ask("GET", f"{path}knowledge_base={named}").problem == "knowledge-base-not-found"


def test_naming_none_or_too_many_is_refused(desk: Desk) -> None:
    for chosen, problem in (
        ([], "invalid-knowledge-base"),
        (["x"], "invalid-body"),
        ("some", "invalid-body"),
        ([str(ABSENT)] * 101, "invalid-body"),
        ([str(ABSENT)], "knowledge-base-not-found"),
    ):
        assert desk.ask("POST", "/search", {"query": "plan", "knowledge_bases": chosen}).problem == problem


def test_grants_and_agents_say_who_else_sees_it(desk: Desk) -> None:
    acme = desk.lorebase.foundation
    organization = f"/v1/organizations/{acme.organization.id}"

    def member(kind: str) -> tuple[str, str]:
        body = {"kind": kind, "name": "Kim"}
        made = desk.api.call("POST", f"{organization}/members", key=acme.token, json_body=body).json["id"]
        role = f"{desk.workspace}/members/{made}"
        desk.api.call("PUT", role, key=acme.token, json_body={"role": "viewer"})
        issued = {"name": "k", "member_id": made, "scopes": ["read", "write", "admin"]}
        key = desk.api.call("POST", f"{organization}/api-keys", key=acme.token, json_body=issued).json["token"]
        return made, key

    user, users_key = member("user")
    agent, agents_key = member("agent")
    base = desk.filled(folders=["hr"])
    path = f"/knowledge-bases/{base}"
    for key in (users_key, agents_key):
        assert desk.ask("GET", path, key=key).problem == "knowledge-base-not-found"
    assert desk.ask("PUT", f"{path}/agents/{user}").problem == "member-not-found"
    for _ in range(2):
        assert desk.ask("PUT", f"{path}/agents/{agent}").status == 204
    assert desk.ask("GET", f"{path}/agents").json == {"agents": [agent]}
    assert desk.ask("GET", path, key=agents_key).json["items"] == 2
    grant = desk.ask("POST", f"{path}/grants", {"action": "read", "member_id": user}).json
    assert desk.ask("GET", path, key=users_key).json["may_change_members"] is False
    members = {"add": {"items": [str(desk.items[2].id)]}}
    assert desk.ask("PATCH", f"{path}/members", members, key=users_key).problem == "action-forbidden"
    write = desk.ask("POST", f"{path}/grants", {"action": "write", "member_id": user}).json
    assert (write["id"], desk.ask("GET", f"{path}/grants").json["grants"]) == (grant["id"], [write])
    assert desk.ask("PATCH", f"{path}/members", members, key=users_key).json["items"] == 3
    for method, place, body in (
        ("PATCH", path, {"name": "Mine"}),
        ("DELETE", path, None),
        ("GET", f"{path}/agents", None),
        ("GET", f"{path}/grants", None),
        ("POST", f"{path}/grants", {"action": "write", "member_id": user}),
    ):
        assert desk.ask(method, place, body, key=users_key).problem == "action-forbidden"
    for wrong in ({}, {"member_id": str(ABSENT)}, {"member_id": user, "team_id": str(ABSENT)}):
        assert desk.ask("POST", f"{path}/grants", {"action": "read", **wrong}).problem == "invalid-access"
    assert desk.ask("DELETE", f"{path}/grants/{grant['id']}").status == 204
    assert desk.ask("DELETE", f"{path}/grants/{grant['id']}").problem == "grant-not-found"
    assert desk.ask("DELETE", f"{path}/agents/{agent}").status == 204
    for key in (users_key, agents_key):
        assert desk.ask("GET", path, key=key).problem == "knowledge-base-not-found"
        assert desk.ask("GET", "/knowledge-bases", key=key).json["knowledge_bases"] == []
