"""D-ACC-1: whoever knows an id but may not see the thing gets the same answer as for a thing that is not there."""

import re
from io import StringIO
from typing import Any

import pytest

from chalicelib.database.ids import new_id
from tests.fixtures.api import Answered, Api
from tests.fixtures.gathered import gather
from tests.fixtures.identity_providers import trusted_provider
from tests.fixtures.lorebases import Lorebase
from tests.fixtures.route_walk import Visit, is_anonymous, visits

MARKER = "VICTIM-42"
HIDDEN = re.compile(r"victim-42", re.IGNORECASE)


class Victim:
    """An organization whose every corner bears the marker, with an outsider and a colleague without a role."""

    def __init__(self, api: Api, lorebase: Lorebase) -> None:
        self.api = api
        self.foundation = lorebase.foundation
        self.key = lorebase.foundation.token
        self.outsider = api.found("Outsiders")
        self.ids: dict[str, Any] = {
            "organization_id": self.foundation.organization.id,
            "workspace_id": self.foundation.workspace.id,
            "api_key_id": self.foundation.api_key.id,
        }
        organization, workspace = self._url("organizations", "organization_id"), self._url("workspaces", "workspace_id")
        self.own("PATCH", organization, json_body={"name": MARKER})
        self.own("PATCH", workspace, json_body={"name": MARKER})
        member = self.own("POST", f"{organization}/members", json_body={"kind": "user", "name": MARKER}).json
        self.ids["member_id"] = member["id"]
        team = self.own("POST", f"{organization}/teams", json_body={"name": MARKER}).json
        self.own("PUT", f"{organization}/teams/{team['id']}/members/{member['id']}")
        environment = self.own("POST", f"{organization}/environments", json_body={"slug": MARKER.lower()}).json
        invited = {"email": f"{MARKER}@example.org", "roles": {str(self.ids["workspace_id"]): "viewer"}}
        invitation = self.own("POST", f"{organization}/invitations", json_body=invited).json
        self.ids |= {
            "team_id": team["id"],
            "environment_id": environment["id"],
            "invitation_id": invitation["id"],
        }
        self.ids["provider_id"] = trusted_provider(lorebase, MARKER).id
        issued = {"name": MARKER, "member_id": member["id"], "scopes": ["read", "write", "admin"]}
        self.colleague_key = self.own("POST", f"{organization}/api-keys", json_body=issued).json["token"]
        item = {"path": f"{MARKER}/{MARKER}.md", "title": MARKER, "body": f"{MARKER} plan", "tags": [MARKER]}
        self.ids["item_id"] = self.own("POST", f"{workspace}/items", json_body=item).json["id"]
        self.own("PATCH", f"{workspace}/items/{self.ids['item_id']}", json_body={"body": f"{MARKER} plan, again"})
        buried = {**item, "path": f"{MARKER}/{MARKER}-buried.md"}
        self.ids["trashed_item_id"] = self.own("POST", f"{workspace}/items", json_body=buried).json["id"]
        self.own("DELETE", f"{workspace}/items/{self.ids['trashed_item_id']}")
        folder = self.own("POST", f"{workspace}/folders", json_body={"path": f"{MARKER}/{MARKER}"})
        self.ids["folder_id"] = folder.json["id"]
        # Not to the colleague, whom it would make a guest.
        granted = {"action": "read", "member_id": str(self.foundation.owner.id)}
        item_grants = f"{workspace}/items/{self.ids['item_id']}/grants"
        self.ids["grant_id"] = self.own("POST", item_grants, json_body=granted).json["id"]
        upload = self.own(
            "POST",
            f"{workspace}/uploads/direct",
            raw=f"# {MARKER}\n\nAn original.".encode(),
            headers={"Content-Type": "application/octet-stream"},
            query={"path": f"{MARKER}.md"},
        )
        self.ids["upload_id"] = upload.json["upload"]["id"]
        self.ids |= gather(api, workspace, self.key, self.ids["item_id"], folder=MARKER, said=MARKER)
        lorebase.drain()
        self.ids["job_id"] = self.own("GET", f"{workspace}/jobs").json["jobs"][0]["id"]

    def own(self, method: str, path: str, **options: Any) -> Answered:
        answered = self.api.call(method, path, key=self.key, **options)
        assert answered.status < 400, answered.text
        return answered

    def _url(self, collection: str, name: str) -> str:
        return f"/v1/{collection}/{self.ids[name]}"

    def state(self) -> str:
        """All that the victim sees of itself, to tell whether anything was changed."""
        workspace, item = f"/v1/workspaces/{self.ids['workspace_id']}", self.ids["item_id"]
        paths = (
            "/v1/me",
            f"{workspace}/items",
            f"{workspace}/items/{item}",
            f"{workspace}/uploads",
            f"{workspace}/tree",
            f"{workspace}/trash",
            f"{workspace}/knowledge-bases",
            f"{workspace}/knowledge-bases/{self.ids['knowledge_base_id']}/members",
            f"{workspace}/items/{item}/citations",
        )
        return "".join(self.own("GET", path).text for path in paths)


@pytest.fixture
def victim(whole_api: Api, lorebase: Lorebase) -> Victim:
    return Victim(whole_api, lorebase)


def naming(visited: list[Visit], *names: str) -> list[Visit]:
    return [visit for visit in visited if any(f"{{{name}}}" in visit.route.path for name in names)]


def comparable(answered: Answered, ids: dict[str, Any]) -> tuple[int, dict[str, str], str]:
    """An answer without its request id, which is its own, and the ids that the asker sent."""
    headers = {name: value for name, value in answered.headers.items() if name != "x-request-id"}
    text = answered.text.replace(answered.headers["x-request-id"], "")
    for value in ids.values():
        text = text.replace(str(value), "")
    return answered.status, headers, text


# No budget was set, and the space that an estimate is asked for is one that nobody offers.
_NOTHING_THERE = {("budget-not-found",), ("embedding-space-unknown",)}


def test_the_marker_is_there_for_those_who_may_see_it(victim: Victim) -> None:
    seen = [
        victim.api.call(visit.method, visit.path, key=victim.key, **visit.options)
        for visit in visits(victim.ids)
        if visit.method == "GET" or visit.route.name == "ask_search"
    ]
    refused = {tuple(re.findall(r"problem:([a-z-]+)", answered.text)) for answered in seen if answered.status >= 400}
    assert refused <= _NOTHING_THERE
    assert sum(MARKER in answered.text for answered in seen) >= 15


def test_without_a_key_every_route_answers_401_and_tells_nothing(victim: Victim, logged: StringIO) -> None:
    for visit in visits(victim.ids):
        answered = victim.api.call(visit.method, visit.path, **visit.options)
        assert (answered.status == 401) != is_anonymous(visit.route), visit.path
        assert not HIDDEN.search(answered.text + str(answered.headers))
    assert not HIDDEN.search(logged.getvalue())


def test_a_foreign_key_gets_the_answer_of_an_absent_thing_on_every_route(victim: Victim, logged: StringIO) -> None:
    before = victim.state()
    logged.truncate(0)
    absent_ids = {name: new_id() for name in victim.ids}
    named = list(zip(naming(visits(victim.ids), *victim.ids), naming(visits(absent_ids), *victim.ids), strict=True))
    assert len(named) > 40
    for key in (victim.outsider.token, victim.colleague_key):
        for foreign, absent in named:
            if key == victim.colleague_key and "{organization_id}" in foreign.route.path:
                continue  # a colleague's own organization
            answered = victim.api.call(foreign.method, foreign.path, key=key, **foreign.options)
            expected = victim.api.call(absent.method, absent.path, key=key, **absent.options)
            assert answered.status == 404, f"{foreign.method} {foreign.path} {answered.text}"
            assert comparable(answered, victim.ids) == comparable(expected, absent_ids)
            assert not HIDDEN.search(answered.text + str(answered.headers))
    assert not HIDDEN.search(logged.getvalue())
    assert victim.state() == before


def test_a_foreign_id_below_ones_own_workspace_is_absent(victim: Victim, logged: StringIO) -> None:
    own = {"workspace_id": victim.outsider.workspace.id, "organization_id": victim.outsider.organization.id}
    mixed, absent = {**victim.ids, **own}, {**{name: new_id() for name in victim.ids}, **own}
    names = tuple(set(victim.ids) - set(own))
    before = victim.state()
    logged.truncate(0)
    for foreign, missing in zip(naming(visits(mixed), *names), naming(visits(absent), *names), strict=True):
        answered = victim.api.call(foreign.method, foreign.path, key=victim.outsider.token, **foreign.options)
        expected = victim.api.call(missing.method, missing.path, key=victim.outsider.token, **missing.options)
        assert answered.status == 404, f"{foreign.method} {foreign.path} {answered.text}"
        assert comparable(answered, mixed) == comparable(expected, absent)
    assert not HIDDEN.search(logged.getvalue())
    assert victim.state() == before


def test_lists_searches_and_counts_of_others_hold_nothing_of_it(victim: Victim, logged: StringIO) -> None:
    workspace = f"/v1/workspaces/{victim.outsider.workspace.id}"
    organization = f"/v1/organizations/{victim.outsider.organization.id}"
    paths = [
        f"{workspace}/{name}"
        for name in (
            *("items", "uploads", "tree", "tags", "status", "jobs", "trash", "knowledge-bases"),
            f"search?q={MARKER}",
            f"search?q={MARKER}&knowledge_base=all",
            "citations?consumer_kind=page&consumer_id=1",
        )
    ]
    for path in (
        "/v1/me",
        "/v1/workspaces",
        organization,
        *(f"{organization}/{name}" for name in ("members", "api-keys", "teams", "environments", "invitations")),
        *paths,
    ):
        answered = victim.api.call("GET", path, key=victim.outsider.token)
        text = answered.text.replace(f'"query":"{MARKER}"', "")
        assert answered.status == 200
        assert not HIDDEN.search(text + str(answered.headers)), path
    assert not HIDDEN.search(logged.getvalue())


def test_a_malformed_id_is_absent_too(victim: Victim) -> None:
    for malformed in ("x", "0", "..", "%2e%2e", "a%2Fb", str(victim.ids["item_id"]) + "0", "{item_id}", "é"):
        for visit, absent in zip(
            naming(visits({**victim.ids, "item_id": malformed}), "item_id"),
            naming(visits({**victim.ids, "item_id": new_id()}), "item_id"),
            strict=True,
        ):
            answered = victim.api.call(visit.method, visit.path, key=victim.key, **visit.options)
            expected = victim.api.call(absent.method, absent.path, key=victim.key, **absent.options)
            assert comparable(answered, {}) == comparable(expected, {})
