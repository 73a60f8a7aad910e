"""Why somebody can read, and who can: told to owners about all, to others about themselves, and to nobody else."""

from collections.abc import Sequence
from typing import Any

import pytest

from chalicelib.database.ids import new_id
from tests.fixtures.activity import recorded_by
from tests.fixtures.api import Answered, Api
from tests.fixtures.lorebases import Lorebase


class Office:
    """An organization with a folder, an item in it, a team, and a viewer who is in it."""

    def __init__(self, api: Api, lorebase: Lorebase) -> None:
        self.api, self.lorebase = api, lorebase
        self.key = lorebase.foundation.token
        self.organization = f"/v1/organizations/{lorebase.owner.organization_id}"
        self.workspace = f"/v1/workspaces/{lorebase.workspace_id}"
        self.team_id = self.own("POST", f"{self.organization}/teams", json_body={"name": "Legal"}).json["id"]
        self.viewer_id, self.viewer_key = self.member("Vera", "viewer")
        self.own("PUT", f"{self.organization}/teams/{self.team_id}/members/{self.viewer_id}")
        folder = self.own("POST", f"{self.workspace}/folders", json_body={"path": "legal"})
        self.folder = f"{self.workspace}/folders/{folder.json['id']}"
        self.item = self.add_item("legal/plan.md")

    def own(self, method: str, path: str, **options: Any) -> Answered:
        answered = self.api.call(method, path, key=self.key, **options)
        assert answered.status < 400, answered.text
        return answered

    def add_item(self, path: str, key: str | None = None) -> str:
        body = {"path": path, "body": "text"}
        made = self.api.call("POST", f"{self.workspace}/items", key=key or self.key, json_body=body)
        return f"{self.workspace}/items/{made.json['id']}"

    def member(
        self, name: str, role: str | None, scopes: Sequence[str] = ("read", "write", "admin")
    ) -> tuple[str, str]:
        made = self.own("POST", f"{self.organization}/members", json_body={"kind": "user", "name": name}).json
        if role is not None:
            self.own("PUT", f"{self.workspace}/members/{made['id']}", json_body={"role": role})
        key = {"name": name, "member_id": made["id"], "scopes": list(scopes)}
        return made["id"], self.own("POST", f"{self.organization}/api-keys", json_body=key).json["token"]

    def why(self, subject: str, *, key: str | None = None, member_id: object = None) -> Answered:
        query = {} if member_id is None else {"member_id": str(member_id)}
        return self.api.call("GET", f"{subject}/access/explanation", key=key or self.key, query=query)

    def readers(self, subject: str, *, key: str | None = None, **query: Any) -> Answered:
        return self.api.call("GET", f"{subject}/readers", key=key or self.key, query=query)

    def give_legal_to_the_team(self) -> None:
        audience = {"kind": "teams", "team_ids": [self.team_id]}
        self.own("PUT", f"{self.folder}/access", json_body={"audience": audience})


@pytest.fixture
def office(whole_api: Api, lorebase: Lorebase) -> Office:
    return Office(whole_api, lorebase)


def test_an_owner_is_told_every_place_its_clause_and_by_what_it_is_met(office: Office) -> None:
    office.give_legal_to_the_team()
    office.own("PUT", f"{office.item}/access", json_body={"is_restricted": True})
    granted = {"action": "write", "member_id": office.viewer_id}
    grant = office.own("POST", f"{office.item}/grants", json_body=granted).json

    told = office.why(office.item, member_id=office.viewer_id).json

    assert (told["can_read"], told["can_write"]) == (True, True)
    standing = told["standing"]
    assert (standing["name"], standing["role"], standing["obstacles"]) == ("Vera", "viewer", [])
    folder, item = standing["clauses"]
    assert (folder["reason"], folder["path"]) == ("audience", "legal")
    assert [(named["kind"], named["name"]) for named in folder["named"]] == [("team", "Legal")]
    assert [(ground["kind"], ground["team_name"]) for ground in folder["grounds"]] == [
        ("team", "Legal"),
        ("grant", None),
    ]
    assert (item["reason"], item["path"]) == ("restriction", "legal/plan.md")
    (by_grant,) = item["grounds"]
    assert by_grant["grant_id"] == grant["id"]
    assert (by_grant["granted_by_name"], by_grant["granted_at"]) == ("Ann", grant["granted_at"])
    assert standing["write_grounds"] == [by_grant]


def test_an_owner_is_told_what_stands_in_the_way_and_what_to_change(office: Office) -> None:
    office.give_legal_to_the_team()
    stranger, _ = office.member("Sam", None)

    told = office.why(office.item, member_id=stranger).json

    assert (told["can_read"], told["can_write"]) == (False, False)
    obstacles = [
        (obstacle["reason"], obstacle["action"], obstacle["path"]) for obstacle in told["standing"]["obstacles"]
    ]
    assert obstacles == [("role", "read", None), ("audience", "read", "legal"), ("role", "write", None)]
    assert "grant it `read`" in told["standing"]["obstacles"][1]["detail"]
    granted = {"action": "read", "member_id": stranger}
    office.own("POST", f"{office.folder}/grants", json_body=granted)
    assert office.why(office.item, member_id=stranger).json["can_read"]


def test_others_are_told_about_themselves_and_neither_who_else_nor_who_granted(office: Office) -> None:
    office.give_legal_to_the_team()
    office.own("POST", f"{office.item}/grants", json_body={"action": "read", "member_id": office.viewer_id})

    told = office.why(office.item, key=office.viewer_key)

    assert told.json["can_read"]
    assert "Ann" not in told.text
    (clause,) = told.json["standing"]["clauses"]
    assert (clause["named"], clause["is_met"]) == ([], True)
    assert [ground["granted_by"] for ground in clause["grounds"]] == [None, None]
    assert told.json == office.why(office.item, key=office.viewer_key, member_id=office.viewer_id).json
    for member_id in (office.lorebase.owner.id, new_id()):
        assert office.why(office.item, key=office.viewer_key, member_id=member_id).problem == "action-forbidden"
    assert office.readers(office.item, key=office.viewer_key).problem == "action-forbidden"
    assert office.readers(office.folder, key=office.viewer_key).problem == "action-forbidden"


def test_what_one_cannot_read_is_explained_like_what_is_not_there(office: Office) -> None:
    _, stranger_key = office.member("Sam", "viewer")
    office.give_legal_to_the_team()
    absent = f"{office.workspace}/items/{new_id()}"
    for subject in (office.item, absent):
        for ask in (office.why, office.readers):
            assert ask(subject, key=stranger_key).problem == "item-not-found"
    assert office.why(office.folder, key=stranger_key).problem == "folder-not-found"


def test_an_owner_does_not_learn_of_what_another_keeps(office: Office) -> None:
    _, editor_key = office.member("Ed", "editor")
    kept = office.add_item("notes/own.md", editor_key)
    said = {"audience": {"kind": "only_me"}}
    assert office.api.call("PUT", f"{kept}/access", key=editor_key, json_body=said).status == 200

    assert office.why(kept, member_id=office.viewer_id).problem == "item-not-found"
    assert office.readers(kept).problem == "item-not-found"
    told = office.why(kept, key=editor_key).json
    assert [clause["reason"] for clause in told["standing"]["clauses"]] == ["workspace", "only_me"]
    assert told["can_write"]


def test_a_key_that_may_not_write_is_told_so(office: Office) -> None:
    _, reading_key = office.member("Ed", "editor", scopes=["read"])
    told = office.why(office.item, key=reading_key).json
    assert (told["can_read"], told["can_write"]) == (True, False)
    assert told["key"] == {"scopes": ["read"], "is_limited": False}
    assert [obstacle["reason"] for obstacle in told["standing"]["obstacles"]] == ["key_scope"]
    assert office.why(office.item, member_id=office.viewer_id).json["key"] is None


def test_an_agent_learns_of_the_environment_that_it_is_not_in(office: Office) -> None:
    office.own("POST", f"{office.organization}/environments", json_body={"slug": "lab"})
    agent = office.own("POST", f"{office.organization}/members", json_body={"kind": "agent", "name": "Bot"}).json["id"]
    office.own("PUT", f"{office.workspace}/members/{agent}", json_body={"role": "viewer"})
    office.own("PUT", f"{office.folder}/access", json_body={"environment": "lab"})

    told = office.why(office.item, member_id=agent).json

    assert (told["environment"], told["environment_path"], told["can_read"]) == ("lab", "legal", False)
    reasons = [obstacle["reason"] for obstacle in told["standing"]["obstacles"]]
    assert reasons == ["environment", "role"]
    assert office.why(office.item, member_id=office.viewer_id).json["can_read"]


def test_a_member_of_another_organization_is_no_member(office: Office) -> None:
    foreign = office.api.found("Others")
    assert office.why(office.item, member_id=foreign.owner.id).problem == "member-not-found"
    assert office.why(office.item, member_id="x").problem == "invalid-query"


def test_readers_come_in_pages_with_counts_by_kind(office: Office) -> None:
    first = office.readers(office.item, limit=1).json
    second = office.readers(office.item, limit=1, cursor=first["next_cursor"]).json
    names = [reader["name"] for page in (first, second) for reader in page["readers"]]
    assert sorted(names) == ["Ann", "Vera"]
    assert first["counts"] == second["counts"] == {"user": 2, "agent": 0, "service": 0}
    assert second["next_cursor"] is None
    office.give_legal_to_the_team()
    assert {reader["name"] for reader in office.readers(office.folder).json["readers"]} == {"Ann", "Vera"}
    assert office.readers(office.folder, cursor=first["next_cursor"]).problem == "invalid-cursor"


def test_both_are_recorded_without_a_path(office: Office) -> None:
    for ask in (lambda: office.why(office.item, member_id=office.viewer_id), lambda: office.readers(office.item)):
        _, (entry,) = recorded_by(office.lorebase.database, ask)
        assert (entry["action"], str(entry["subject_id"])) == ("access.explained", office.item.rpartition("/")[2])
        assert "plan" not in str(entry["after"])


def test_what_was_said_above_a_break_is_not_told(office: Office) -> None:
    office.give_legal_to_the_team()
    everybody = {"inherits": False, "audience": {"kind": "workspace"}}
    office.own("PUT", f"{office.item}/access", json_body=everybody)
    told = office.why(office.item, member_id=office.viewer_id)
    (clause,) = told.json["standing"]["clauses"]
    assert (clause["reason"], clause["path"]) == ("audience", "legal/plan.md")
    assert "Legal" not in told.text
