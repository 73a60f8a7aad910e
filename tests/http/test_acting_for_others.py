"""X-On-Behalf-Of and X-Simulate-As over HTTP: never more than both may, on every route alike."""

import http.client
import json
from contextlib import closing
from dataclasses import dataclass
from typing import Any

import pytest

from chalicelib.database.ids import new_id
from chalicelib.http.blueprints import all_routes
from chalicelib.http.openapi_document import build_document
from chalicelib.identity.found_organization import Foundation
from chalicelib.platform.local.http_server import LocalServer
from tests.fixtures.api import ORIGIN, Answered, Api
from tests.fixtures.route_walk import is_anonymous, visits


@dataclass
class Office:
    """An organization with an agent and two users, each an editor of its workspace."""

    api: Api
    acme: Foundation

    def __post_init__(self) -> None:
        self.organization = f"/v1/organizations/{self.acme.organization.id}"
        self.workspace = f"/v1/workspaces/{self.acme.workspace.id}"
        self.bot, self.ann, self.bob = self.member("agent"), self.member("user"), self.member("user")
        self.bot_key, self.ann_key = self.key_of(self.bot), self.key_of(self.ann)

    def own(self, method: str, path: str, **options: Any) -> Answered:
        answered = self.api.call(method, path, key=self.acme.token, **options)
        assert answered.status < 400, answered.text
        return answered

    def member(self, kind: str, role: str = "editor") -> str:
        made = self.own("POST", f"{self.organization}/members", json_body={"kind": kind, "name": kind}).json
        self.own("PUT", f"{self.workspace}/members/{made['id']}", json_body={"role": role})
        return str(made["id"])

    def key_of(self, member_id: str) -> str:
        body = {"name": "k", "member_id": member_id, "scopes": ["read", "write", "admin"]}
        return str(self.own("POST", f"{self.organization}/api-keys", json_body=body).json["token"])

    def act(self, method: str, path: str, member_id: str, **options: Any) -> Answered:
        headers = {**options.pop("headers", {}), "X-On-Behalf-Of": member_id}
        return self.api.call(method, path, key=self.bot_key, headers=headers, **options)

    def simulate(self, method: str, path: str, member_id: str, **options: Any) -> Answered:
        headers = {"X-Simulate-As": member_id}
        return self.api.call(method, path, key=self.acme.token, headers=headers, **options)


@pytest.fixture
def office(api: Api) -> Office:
    return Office(api, api.found())


def test_an_agent_does_what_both_may_and_shows_for_whom(office: Office) -> None:
    me = office.act("GET", "/v1/me", office.ann).json
    assert (me["principal"]["id"], me["principal"]["on_behalf_of"]["id"]) == (office.bot, office.ann)
    items = f"{office.workspace}/items"
    assert office.act("POST", items, office.ann, json_body={"path": "a.md", "body": "x"}).status == 201
    office.own("PUT", f"{office.workspace}/members/{office.ann}", json_body={"role": "viewer"})
    refused = office.act("POST", items, office.ann, json_body={"path": "b.md", "body": "x"})
    assert refused.problem == "action-forbidden"
    assert office.act("POST", items, office.bob, json_body={"path": "b.md", "body": "x"}).status == 201
    office.own("DELETE", f"{office.workspace}/members/{office.ann}")
    assert office.act("GET", items, office.ann).problem == "workspace-not-found"


def test_whoever_is_disabled_or_removed_is_acted_for_no_more(office: Office) -> None:
    office.own("PATCH", f"{office.organization}/members/{office.ann}", json_body={"disabled": True})
    office.own("DELETE", f"{office.organization}/members/{office.bob}")
    for member_id in (office.ann, office.bob):
        assert office.act("GET", "/v1/me", member_id).problem == "acting-refused"


@pytest.mark.parametrize("header", ["X-On-Behalf-Of", "X-Simulate-As"])
def test_one_refusal_for_whoever_cannot_be_acted_for(office: Office, header: str) -> None:
    stranger = office.api.found("Other").owner.id
    key = office.bot_key if header == "X-On-Behalf-Of" else office.acme.token
    said = set()
    for named in (str(stranger), str(new_id()), "", "x", "*", f"{office.ann}, {office.bob}", "' or 1=1 --"):
        answered = office.api.call("GET", "/v1/me", key=key, headers={header: named})
        assert (answered.status, answered.problem) == (403, "acting-refused"), named
        said.add(answered.json["detail"])
    assert len(said) == 1


def test_users_act_for_nobody_agents_simulate_nobody_and_both_at_once_is_refused(office: Office) -> None:
    both = {"X-On-Behalf-Of": office.ann, "X-Simulate-As": office.ann}
    for key, headers in (
        (office.ann_key, {"X-On-Behalf-Of": office.bob}),
        (office.acme.token, {"X-On-Behalf-Of": office.bob}),
        (office.bot_key, {"X-Simulate-As": office.bob}),
        (office.ann_key, {"X-Simulate-As": office.bob}),
        (office.bot_key, both),
        (office.acme.token, both),
    ):
        assert office.api.call("GET", "/v1/me", key=key, headers=headers).problem == "acting-refused"


def test_without_a_valid_key_the_header_tells_nothing(office: Office) -> None:
    for named in (office.ann, str(new_id())):
        assert office.api.call("GET", "/v1/me", key="lb_x", headers={"X-On-Behalf-Of": named}).status == 401


def test_an_admin_reads_through_the_eyes_of_a_member_and_changes_nothing(office: Office) -> None:
    me = office.simulate("GET", "/v1/me", office.ann).json
    assert (me["principal"]["id"], me["principal"]["scopes"]) == (office.ann, ["read"])
    assert me["principal"]["on_behalf_of"]["id"] == str(office.acme.owner.id)
    assert me["workspaces"][0]["role"] == "editor"
    search = office.simulate("POST", f"{office.workspace}/search", office.ann, json_body={"query": "x"})
    assert search.status not in {401, 403}, "it is a POST that changes nothing"
    assert office.simulate("GET", f"{office.organization}/members", office.ann).problem == "action-forbidden"
    office.own("DELETE", f"{office.workspace}/members/{office.ann}")
    assert office.simulate("GET", f"{office.workspace}/items", office.ann).problem == "workspace-not-found"


def test_every_route_that_changes_something_refuses_a_simulation(office: Office) -> None:
    ids: dict[str, object] = {"organization_id": office.acme.organization.id, "workspace_id": office.acme.workspace.id}
    before = office.own("GET", f"{office.organization}/members").json
    changing = [visit for visit in visits(ids) if not visit.route.is_safe and not is_anonymous(visit.route)]
    assert len(changing) > 30
    for visit in changing:
        options = dict(visit.options)
        headers = {**options.pop("headers", {}), "X-Simulate-As": office.ann}
        answered = office.api.call(visit.method, visit.path, key=office.acme.token, headers=headers, **options)
        assert answered.problem == "acting-refused", visit.route.name
    assert office.own("GET", f"{office.organization}/members").json == before


def test_a_kept_answer_is_for_the_same_pair_alone(office: Office) -> None:
    def add(member_id: str | None, path: str) -> Answered:
        headers = {"Idempotency-Key": "k", **({} if member_id is None else {"X-On-Behalf-Of": member_id})}
        body = {"path": path, "body": "x"}
        return office.api.call("POST", f"{office.workspace}/items", key=office.bot_key, json_body=body, headers=headers)

    made = [add(member_id, f"{number}.md") for number, member_id in enumerate((office.ann, office.bob, None))]
    assert [answered.status for answered in made] == [201, 201, 201]
    assert add(office.ann, "0.md").json == made[0].json
    assert add(office.ann, "1.md").problem == "idempotency-key-reused"
    assert add(None, "2.md").json == made[2].json


def test_a_cursor_is_for_the_same_pair_alone(office: Office) -> None:
    items = f"{office.workspace}/items"
    for number in range(2):
        office.own("POST", items, json_body={"path": f"{number}.md", "body": "x"})
    cursor = office.act("GET", items, office.ann, query={"limit": 1}).json["next_cursor"]
    query = {"limit": 1, "cursor": cursor}
    assert office.act("GET", items, office.ann, query=query).status == 200
    assert office.act("GET", items, office.bob, query=query).problem == "invalid-cursor"
    assert office.api.call("GET", items, key=office.bot_key, query=query).problem == "invalid-cursor"
    assert office.simulate("GET", items, office.bot, query=query).problem == "invalid-cursor"


def test_no_key_is_made_rotated_or_revoked_on_behalf_of_another(office: Office) -> None:
    keys = f"{office.organization}/api-keys"
    own = office.api.call("GET", keys, key=office.bot_key).json["api_keys"][0]["id"]
    for method, path, body in (
        ("POST", keys, {"name": "k"}),
        ("POST", f"{keys}/{own}/rotate", {}),
        ("DELETE", f"{keys}/{own}", None),
    ):
        assert office.act(method, path, office.ann, json_body=body).problem == "action-forbidden"


def test_what_is_done_for_somebody_is_recorded_with_both(office: Office) -> None:
    office.act("POST", f"{office.workspace}/items", office.ann, json_body={"path": "a.md", "body": "x"})
    office.simulate("GET", "/v1/me", office.bob)
    found = office.own("GET", f"{office.organization}/activity").json["activity"]
    seen = {
        (entry["action"], entry["actor"]["id"], entry["actor"]["on_behalf_of"]) for entry in found if entry["actor"]
    }
    assert ("item.created", office.bot, office.ann) in seen
    [simulation] = [entry for entry in found if entry["action"] == "access.simulated"]
    assert (simulation["actor"]["id"], simulation["subject"]["id"]) == (str(office.acme.owner.id), office.bob)
    assert simulation["after"] == {"route": "show_me"}


def test_the_document_names_the_headers_and_browsers_may_send_them(office: Office) -> None:
    document = build_document(all_routes(), version="0")
    for route in all_routes():
        operation = document["paths"][route.path][route.method.lower()]
        names = {entry["name"] for entry in operation["parameters"] if entry["in"] == "header"}
        assert ("X-On-Behalf-Of" in names) == (not is_anonymous(route)), route.name
        assert ("X-Simulate-As" in names) == (route.is_safe and not is_anonymous(route)), route.name
    asked = {"Origin": ORIGIN, "Access-Control-Request-Method": "GET"}
    allowed = office.api.call("OPTIONS", "/v1/me", headers=asked).headers["access-control-allow-headers"]
    assert {"X-On-Behalf-Of", "X-Simulate-As"} <= set(allowed.split(", "))


def test_the_local_server_hands_the_headers_on(office: Office, server: LocalServer) -> None:
    with closing(http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=10)) as connection:
        headers = {"Authorization": f"Bearer {office.bot_key}", "x-on-behalf-of": office.ann}
        connection.request("GET", "/v1/me", headers=headers)
        principal = json.loads(connection.getresponse().read())["principal"]
    assert (principal["id"], principal["on_behalf_of"]["id"]) == (office.bot, office.ann)
