"""Invitations, teams, environments and the rotation of keys over HTTP."""

from typing import Any

import pytest

from chalicelib.identity.found_organization import Foundation
from tests.fixtures.api import Answered, Api


@pytest.fixture
def acme(api: Api) -> Foundation:
    return api.found()


def own(api: Api, acme: Foundation, method: str, path: str, **options: Any) -> Answered:
    return api.call(method, f"/v1/organizations/{acme.organization.id}/{path}", key=acme.token, **options)


def accept(api: Api, token: str, name: str = "Eve") -> Answered:
    return api.call("POST", "/v1/invitations/accept", json_body={"token": token, "name": name})


def test_an_invited_one_joins_without_a_key_and_works_with_the_one_in_the_answer(api: Api, acme: Foundation) -> None:
    roles = {str(acme.workspace.id): "editor"}
    issued = own(api, acme, "POST", "invitations", json_body={"email": "eve@example.org", "roles": roles})
    assert (issued.status, issued.json["roles"]) == (201, roles)
    accepted = accept(api, issued.json["token"])
    assert (accepted.status, accepted.json["member"]["email"]) == (201, "eve@example.org")
    key = accepted.json["api_key"]["token"]
    me = api.call("GET", "/v1/me", key=key).json
    assert (me["principal"]["id"], me["workspaces"][0]["role"]) == (accepted.json["member"]["id"], "editor")
    assert api.call("GET", accepted.headers["location"], key=key).json == accepted.json["member"]
    assert accept(api, issued.json["token"]).problem == "invitation-not-found"


def test_the_token_is_in_one_answer_alone(api: Api, acme: Foundation) -> None:
    body, headers = {"email": "eve@example.org"}, {"Idempotency-Key": "k"}
    token = own(api, acme, "POST", "invitations", json_body=body, headers=headers).json["token"]
    again = own(api, acme, "POST", "invitations", json_body=body, headers=headers)
    assert again.problem == "answer-not-kept"
    listed = own(api, acme, "GET", "invitations")
    assert token not in again.text + listed.text
    assert [entry["email"] for entry in listed.json["invitations"]] == ["eve@example.org"]


def test_whatever_is_wrong_with_a_token_the_answer_is_the_same(api: Api, acme: Foundation) -> None:
    tokens = [
        own(api, acme, "POST", "invitations", json_body={"email": f"{name}@example.org"}).json
        for name in ("used", "revoked")
    ]
    accept(api, tokens[0]["token"])
    assert own(api, acme, "DELETE", f"invitations/{tokens[1]['id']}").status == 204
    said = set()
    for token in (tokens[0]["token"], tokens[1]["token"], f"lbi_AAAAAAAAAA_{'a' * 43}", "", "x\u0000y"):
        answered = accept(api, token)
        problem = {name: value for name, value in answered.json.items() if name != "instance"}
        said.add((answered.status, str(problem)))
    assert len(said) == 1
    assert own(api, acme, "DELETE", f"invitations/{tokens[0]['id']}").problem == "invitation-accepted"


@pytest.mark.parametrize(
    "change",
    [
        {"roles": "guest"},
        {"valid_days": 0},
        {"valid_days": 31},
        {"organization_role": "owner"},
        {"roles": {"x": "viewer"}},
    ],
)
def test_an_invitation_that_cannot_be_is_refused(api: Api, acme: Foundation, change: dict[str, Any]) -> None:
    if change == {"roles": "guest"}:
        change = {"roles": {str(acme.workspace.id): "guest"}}
    refused = own(api, acme, "POST", "invitations", json_body={"email": "eve@example.org", **change})
    assert (refused.status, refused.problem) == (422, "invalid-body")


def test_nobody_is_made_a_guest_and_guests_see_what_they_are(api: Api, acme: Foundation) -> None:
    ann = own(api, acme, "POST", "members", json_body={"kind": "user", "name": "Ann"}).json["id"]
    role = f"/v1/workspaces/{acme.workspace.id}/members/{ann}"
    refused = api.call("PUT", role, key=acme.token, json_body={"role": "guest"})
    assert (refused.status, refused.problem) == (422, "invalid-body")
    items = f"/v1/workspaces/{acme.workspace.id}/items"
    item = api.call("POST", items, key=acme.token, json_body={"path": "a.md", "body": "x"}).json["id"]
    granted = {"action": "read", "member_id": ann}
    assert api.call("POST", f"{items}/{item}/grants", key=acme.token, json_body=granted).status == 201
    key = own(api, acme, "POST", "api-keys", json_body={"name": "k", "member_id": ann}).json["token"]
    assert api.call("GET", "/v1/me", key=key).json["workspaces"][0]["role"] == "guest"


def test_a_team_is_made_filled_left_and_deleted(api: Api, acme: Foundation) -> None:
    team = own(api, acme, "POST", "teams", json_body={"name": "Editors"})
    assert api.call("GET", team.headers["location"], key=acme.token).json == team.json
    path = f"teams/{team.json['id']}"
    ann = own(api, acme, "POST", "members", json_body={"kind": "user", "name": "Ann"}).json["id"]
    bot = own(api, acme, "POST", "members", json_body={"kind": "agent", "name": "Bot"}).json["id"]
    assert own(api, acme, "PUT", f"{path}/members/{bot}").problem == "invalid-identity"
    assert own(api, acme, "PUT", f"{path}/members/{ann}").status == 204
    key = own(api, acme, "POST", "api-keys", json_body={"name": "k", "member_id": ann}).json["token"]
    teams = f"/v1/organizations/{acme.organization.id}/teams"
    assert [seen["name"] for seen in api.call("GET", teams, key=key).json["teams"]] == ["Editors"]
    assert [seen["id"] for seen in own(api, acme, "GET", f"{path}/members").json["members"]] == [ann]
    assert own(api, acme, "DELETE", f"{path}/members/{ann}").status == 204
    assert api.call("GET", teams, key=key).json["teams"] == []
    assert own(api, acme, "PATCH", path, json_body={"name": "Writers"}).json["name"] == "Writers"
    assert own(api, acme, "POST", "teams", json_body={"name": "WRITERS"}).problem == "team-name-taken"
    assert own(api, acme, "DELETE", path).status == 204
    assert own(api, acme, "GET", path).problem == "team-not-found"


def test_what_is_open_to_a_team_is_read_while_one_is_in_it(api: Api, acme: Foundation) -> None:
    team = own(api, acme, "POST", "teams", json_body={"name": "Editors"}).json["id"]
    ann = own(api, acme, "POST", "members", json_body={"kind": "user", "name": "Ann"}).json["id"]
    key = own(api, acme, "POST", "api-keys", json_body={"name": "k", "member_id": ann}).json["token"]
    items = f"/v1/workspaces/{acme.workspace.id}/items"
    item = api.call("POST", items, key=acme.token, json_body={"path": "a.md", "body": "x"}).json["id"]
    granted = {"action": "read", "team_id": team}
    assert api.call("POST", f"{items}/{item}/grants", key=acme.token, json_body=granted).status == 201
    seen = []
    for method in ("PUT", "DELETE", "PUT"):
        assert own(api, acme, method, f"teams/{team}/members/{ann}").status == 204
        seen.append(api.call("GET", f"{items}/{item}", key=key).status)
    assert own(api, acme, "DELETE", f"teams/{team}").status == 204
    seen.append(api.call("GET", f"{items}/{item}", key=key).status)
    assert seen == [200, 404, 200, 404]
    assert api.call("GET", f"{items}/{item}", key=acme.token).status == 200


def test_an_agent_is_put_into_an_environment_that_exists(api: Api, acme: Foundation) -> None:
    bot = own(api, acme, "POST", "members", json_body={"kind": "agent", "name": "Bot"}).json["id"]
    change = {"environment": "staging"}
    assert own(api, acme, "PATCH", f"members/{bot}", json_body=change).problem == "invalid-identity"
    made = own(api, acme, "POST", "environments", json_body={"slug": "staging"})
    assert made.status == 201
    assert own(api, acme, "PATCH", f"members/{bot}", json_body=change).json["environment"] == "staging"
    assert own(api, acme, "PATCH", f"members/{bot}", json_body={"name": "B"}).json["environment"] == "staging"
    assert own(api, acme, "DELETE", f"environments/{made.json['id']}").problem == "environment-in-use"
    assert own(api, acme, "PATCH", f"members/{bot}", json_body={"environment": None}).json["environment"] is None
    assert own(api, acme, "DELETE", f"environments/{made.json['id']}").status == 204
    assert own(api, acme, "GET", "environments").json["environments"] == []


def test_a_key_is_rotated_with_an_overlap_or_without(api: Api, acme: Foundation) -> None:
    given: list[tuple[dict[str, Any], int]] = [({}, 200), ({"overlap_seconds": 0}, 401)]
    for overlap, then in given:
        old = own(api, acme, "POST", "api-keys", json_body={"name": "k", "scopes": ["read"]}).json
        new = own(api, acme, "POST", f"api-keys/{old['id']}/rotate", json_body=overlap)
        assert (new.status, new.json["rotated_from"], new.json["scopes"]) == (201, old["id"], ["read"])
        assert api.call("GET", "/v1/me", key=new.json["token"]).status == 200
        assert api.call("GET", "/v1/me", key=old["token"]).status == then
        assert own(api, acme, "POST", f"api-keys/{old['id']}/rotate", json_body={}).problem == "api-key-over"
    for overlap in ({"overlap_seconds": -1}, {"overlap_seconds": 2_592_001}, {"overlap_seconds": 1.5}):
        assert own(api, acme, "POST", f"api-keys/{old['id']}/rotate", json_body=overlap).problem == "invalid-body"


def test_a_removed_member_is_out_at_once(api: Api, acme: Foundation) -> None:
    ann = own(api, acme, "POST", "members", json_body={"kind": "user", "name": "Ann"}).json["id"]
    key = own(api, acme, "POST", "api-keys", json_body={"name": "k", "member_id": ann}).json["token"]
    assert api.call("GET", "/v1/me", key=key).status == 200
    assert own(api, acme, "DELETE", f"members/{ann}").status == 204
    assert api.call("GET", "/v1/me", key=key).status == 401
    assert own(api, acme, "DELETE", f"members/{ann}").problem == "member-not-found"
    assert own(api, acme, "DELETE", f"members/{acme.owner.id}").problem == "last-admin"
