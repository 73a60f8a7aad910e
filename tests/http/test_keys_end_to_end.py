"""Keys of agents and services from their making to their end: scopes, workspaces, expiry, last use, revocation."""

import threading
from datetime import timedelta
from typing import Any

import pytest

from chalicelib.identity.found_organization import Foundation
from tests.fixtures.api import Answered, Api
from tests.fixtures.lorebases import Lorebase


class Office:
    """An organization with two workspaces, and an agent or service that is an editor of both."""

    def __init__(self, api: Api, acme: Foundation, kind: str) -> None:
        self.api, self.acme = api, acme
        self.organization = f"/v1/organizations/{acme.organization.id}"
        self.member = self.own("POST", "members", json_body={"kind": kind, "name": kind}).json["id"]
        other = self.own("POST", "workspaces", json_body={"slug": "other"}).json["id"]
        self.workspaces = (str(acme.workspace.id), str(other))
        for workspace_id in self.workspaces:
            path = f"/v1/workspaces/{workspace_id}/members/{self.member}"
            assert api.call("PUT", path, key=acme.token, json_body={"role": "editor"}).status == 200

    def own(self, method: str, path: str, **options: Any) -> Answered:
        answered = self.api.call(method, f"{self.organization}/{path}", key=self.acme.token, **options)
        assert answered.status < 400, answered.text
        return answered

    def issue(self, **body: Any) -> Any:
        return self.own("POST", "api-keys", json_body={"name": "k", "member_id": self.member, **body}).json

    def write(self, key: str, workspace_id: str, path: str) -> Answered:
        body = {"path": path, "body": "x"}
        return self.api.call("POST", f"/v1/workspaces/{workspace_id}/items", key=key, json_body=body)

    def shown(self, key: Any) -> Any:
        [found] = [entry for entry in self.own("GET", "api-keys").json["api_keys"] if entry["id"] == key["id"]]
        return found


@pytest.fixture(params=["agent", "service"])
def office(whole_api: Api, lorebase: Lorebase, request: pytest.FixtureRequest) -> Office:
    return Office(whole_api, lorebase.foundation, request.param)


def test_scopes_and_workspaces_hold_beside_the_roles(office: Office) -> None:
    here, there = office.workspaces
    reader = office.issue(scopes=["read"])["token"]
    limited = office.issue(scopes=["read", "write"], workspace_ids=[here])["token"]
    assert office.api.call("GET", f"/v1/workspaces/{there}/items", key=reader).status == 200
    assert office.write(reader, here, "a.md").problem == "action-forbidden"
    assert office.write(limited, here, "a.md").status == 201
    assert office.write(limited, there, "a.md").problem == "workspace-not-found"
    assert [entry["id"] for entry in office.api.call("GET", "/v1/me", key=limited).json["workspaces"]] == [here]


def test_a_key_ends_when_it_said_it_would_and_tells_its_last_use(office: Office, lorebase: Lorebase) -> None:
    now = lorebase.clock.now()
    key = office.issue(expires_at=(now + timedelta(minutes=10)).isoformat())
    assert office.shown(key)["last_used_at"] is None
    lorebase.clock.move(minutes=9)
    assert office.api.call("GET", "/v1/me", key=key["token"]).status == 200
    used = office.shown(key)["last_used_at"]
    lorebase.clock.move(minutes=1)
    assert office.api.call("GET", "/v1/me", key=key["token"]).status == 401
    assert used is not None
    assert office.shown(key)["last_used_at"] == used


def test_a_key_whose_member_lost_every_workspace_makes_no_other(office: Office) -> None:
    here, there = office.workspaces
    key = office.issue(scopes=["read", "admin"], workspace_ids=[here])["token"]
    for workspace_id in (here, there):
        path = f"/v1/workspaces/{workspace_id}/members/{office.member}"
        assert office.api.call("DELETE", path, key=office.acme.token).status == 204
    refused = office.api.call("POST", f"{office.organization}/api-keys", key=key, json_body={"name": "more"})
    assert refused.problem == "invalid-identity"


def test_a_key_that_is_revoked_in_the_midst_of_its_use_answers_no_request_after(office: Office) -> None:
    here, _ = office.workspaces
    key = office.issue(scopes=["read", "write"])
    answers: list[Answered] = []
    has_begun, is_revoked = threading.Event(), threading.Event()

    def use() -> None:
        number = 0
        while not is_revoked.is_set():
            answers.append(office.write(key["token"], here, f"{threading.get_ident()}/{number}.md"))
            number += 1
            has_begun.set()

    threads = [threading.Thread(target=use) for _ in range(3)]
    for thread in threads:
        thread.start()
    has_begun.wait()
    office.own("DELETE", f"api-keys/{key['id']}")
    after = office.write(key["token"], here, "after.md")
    is_revoked.set()
    for thread in threads:
        thread.join()
    assert after.status == 401
    assert {answer.status for answer in answers} <= {201, 401}
    stored = office.api.call("GET", f"/v1/workspaces/{here}/status", key=office.acme.token).json["usage"]["items"]
    assert stored["used"] == sum(answer.status == 201 for answer in answers)
    assert office.shown(key)["revoked_at"] is not None
