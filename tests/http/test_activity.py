"""The activity as owners and admins read it and take it along; what is kept from them is kept from them here too."""

import json
from typing import Any
from urllib.parse import parse_qs, urlsplit

import psycopg
import pytest
from psycopg.types.json import Jsonb

from chalicelib.audit.record_refusal import REFUSALS_A_MINUTE
from chalicelib.bootstrap import install_application
from chalicelib.database.ids import new_id
from chalicelib.http.activity import _fitting
from chalicelib.identity.model import WorkspaceRole
from chalicelib.triggers.chores import chores_of
from tests.fixtures.activity import recorded
from tests.fixtures.api import Answered, Api
from tests.fixtures.lorebases import Lorebase


class Desk:
    """An organization with an owner and an editor, who ask over HTTP."""

    def __init__(self, api: Api, lorebase: Lorebase) -> None:
        self.api, self.lorebase = api, lorebase
        self.key = lorebase.foundation.token
        self.workspace = f"/v1/workspaces/{lorebase.workspace_id}"
        self.organization = f"/v1/organizations/{lorebase.owner.organization_id}"
        self.editor = lorebase.member(WorkspaceRole.EDITOR)
        issued = {"name": "k", "member_id": str(self.editor.id), "scopes": ["read", "write", "admin"]}
        self.editor_key = self.own("POST", f"{self.organization}/api-keys", json_body=issued).json["token"]

    def own(self, method: str, path: str, *, key: str | None = None, **options: Any) -> Answered:
        answered = self.api.call(method, path, key=key or self.key, **options)
        assert answered.status < 400, answered.text
        return answered

    def add_item(self, path: str, *, key: str | None = None) -> str:
        item = self.own(
            "POST", f"{self.workspace}/items", key=key, json_body={"path": path, "body": "A sentence here."}
        )
        return str(item.json["id"])

    def entries(self, where: str | None = None, *, key: str | None = None, **query: Any) -> list[dict[str, Any]]:
        page = self.own("GET", f"{where or self.workspace}/activity", key=key, query=query).json
        return list(page["activity"])

    def keep_to(self, principal_id: object, item_id: str) -> None:
        """Give an item the audience of one user alone, owners not among it."""
        with psycopg.connect(self.lorebase.database.conninfo) as session:
            row = session.execute(
                "insert into audiences (workspace_id, digest, clauses) values (%s, sha256('x'), %s)"
                " on conflict (workspace_id, digest) do update set digest = excluded.digest returning id",
                [self.lorebase.workspace_id, Jsonb([[f"user:{principal_id}"]])],
            ).fetchone()
            assert row is not None
            session.execute("update items set audience_id = %s where id = %s", [row[0], item_id])


@pytest.fixture
def desk(whole_api: Api, lorebase: Lorebase) -> Desk:
    return Desk(whole_api, lorebase)


def ids_of(entries: list[dict[str, Any]]) -> list[str]:
    return [entry["id"] for entry in entries]


def test_an_owner_reads_who_did_what_in_which_request(desk: Desk) -> None:
    item = {"path": "a.md", "body": "A sentence here."}
    made = desk.own("POST", f"{desk.workspace}/items", json_body=item, headers={"X-Request-Id": "request-7"})
    [latest, *_] = desk.entries()
    key_id = str(desk.lorebase.foundation.api_key.id)
    assert latest["actor"] == {
        "id": str(desk.lorebase.owner.id),
        "kind": "user",
        "name": "Ann",
        "api_key_id": key_id,
        "on_behalf_of": None,
    }
    assert (latest["action"], latest["outcome"], latest["request_id"]) == ("item.created", "done", "request-7")
    assert latest["subject"] == {"kind": "item", "id": made.json["id"]}


def test_pages_lead_through_all_of_it_newest_first(desk: Desk) -> None:
    for number in range(5):
        desk.add_item(f"{number}.md")
    whole = ids_of(desk.entries(desk.organization, limit=200))
    assert whole == sorted(whole, reverse=True)
    found: list[str] = []
    query: dict[str, Any] = {"limit": 2}
    while True:
        page = desk.own("GET", f"{desk.organization}/activity", query=query).json
        found += ids_of(page["activity"])
        if page["next_cursor"] is None:
            break
        query["cursor"] = page["next_cursor"]
    assert found == whole
    assert len(whole) >= 8


def test_filters_hold_together_and_each_for_itself(desk: Desk) -> None:
    mine, theirs = desk.add_item("a.md"), desk.add_item("b.md", key=desk.editor_key)
    editor = str(desk.editor.id)
    by_editor = desk.entries(actor=editor)
    assert [entry["subject"]["id"] for entry in by_editor] == [theirs]
    assert [entry["actor"]["name"] for entry in desk.entries(subject=mine)] == ["Ann"]
    assert {entry["action"] for entry in desk.entries(action="role.given")} == {"role.given"}
    assert {entry["subject"]["kind"] for entry in desk.entries(subject_kind="item")} == {"item"}
    assert desk.entries(outcome="refused") == []
    assert desk.entries(actor=editor, subject=mine) == []
    at = by_editor[0]["recorded_at"]
    assert ids_of(desk.entries(actor=editor, since=at)) == ids_of(by_editor)
    assert desk.entries(actor=editor, until=at) == []


@pytest.mark.parametrize(
    "query",
    [{"action": "item.burnt"}, {"since": "yesterday"}, {"actor": "x"}, {"limit": 0}, {"since": "2026-01-01T00:00:00"}],
)
def test_a_filter_that_makes_no_sense_is_refused(desk: Desk, query: dict[str, Any]) -> None:
    answered = desk.api.call("GET", f"{desk.workspace}/activity", key=desk.key, query=query)
    assert answered.problem == "invalid-query"


def test_a_workspace_shows_what_was_done_in_it_and_the_organization_everything(desk: Desk) -> None:
    lab = desk.own("POST", f"{desk.organization}/workspaces", json_body={"slug": "lab"}).json["id"]
    in_lab = desk.own("POST", f"/v1/workspaces/{lab}/items", json_body={"path": "a.md", "body": "x"}).json["id"]
    here, everywhere = desk.entries(), desk.entries(desk.organization)
    assert {entry["workspace_id"] for entry in here} == {str(desk.lorebase.workspace_id)}
    assert {entry["workspace_id"] for entry in everywhere} == {str(desk.lorebase.workspace_id), lab, None}
    assert in_lab in {entry["subject"]["id"] for entry in everywhere}
    assert set(ids_of(here)) < set(ids_of(everywhere))


def test_it_is_for_owners_and_admins_alone(desk: Desk) -> None:
    outsider = desk.api.found("Outsiders")
    for ending in ("activity", "activity/export"):
        for where in (desk.workspace, desk.organization):
            assert desk.api.call("GET", f"{where}/{ending}", key=desk.editor_key).problem == "action-forbidden"
            assert desk.api.call("GET", f"{where}/{ending}", key=outsider.token).status == 404
    foreign = desk.api.call("GET", f"/v1/organizations/{outsider.organization.id}/activity", key=outsider.token)
    assert str(desk.lorebase.workspace_id) not in foreign.text


def test_an_owner_who_is_no_admin_reads_the_workspaces_activity_alone(desk: Desk) -> None:
    desk.own("PUT", f"{desk.workspace}/members/{desk.editor.id}", json_body={"role": "owner"})
    assert len(desk.entries(key=desk.editor_key)) > 0
    answered = desk.api.call("GET", f"{desk.organization}/activity", key=desk.editor_key)
    assert answered.problem == "action-forbidden"


def test_what_is_kept_from_owners_is_not_told_by_its_activity(desk: Desk) -> None:
    item_id = desk.add_item("diary.md", key=desk.editor_key)
    assert item_id in str(desk.entries())
    desk.keep_to(desk.editor.id, item_id)
    desk.own("PATCH", f"{desk.workspace}/items/{item_id}", key=desk.editor_key, json_body={"body": "Dear diary."})
    for where in (desk.workspace, desk.organization):
        assert item_id not in str(desk.entries(where, limit=200))
        assert item_id not in desk.own("GET", f"{where}/activity/export").text
        assert desk.entries(where, subject=item_id) == []
    desk.own("PUT", f"{desk.workspace}/members/{desk.editor.id}", json_body={"role": "owner"})
    assert [entry["action"] for entry in desk.entries(key=desk.editor_key, subject=item_id)] == [
        "item.changed",
        "item.created",
    ]
    with psycopg.connect(desk.lorebase.database.conninfo) as session:
        session.execute("delete from items where id = %s", [item_id])
    assert [entry["action"] for entry in desk.entries(subject=item_id)] == ["item.created"]
    assert len(desk.entries(key=desk.editor_key, subject=item_id)) == 2


def test_what_is_opened_again_is_told_again(desk: Desk) -> None:
    item_id = desk.add_item("diary.md", key=desk.editor_key)
    desk.keep_to(desk.editor.id, item_id)
    assert desk.entries(subject=item_id) == []
    desk.keep_to(desk.lorebase.owner.id, item_id)
    with psycopg.connect(desk.lorebase.database.conninfo) as session:
        session.execute(
            "update items set audience_id = (select id from audiences where clauses::text like %s) where id = %s",
            ["%workspace:%", item_id],
        )
    assert len(desk.entries(subject=item_id)) == 1


def test_an_export_is_json_lines_in_pages_and_is_recorded(desk: Desk) -> None:
    for number in range(5):
        desk.add_item(f"{number}.md")
    expected = ids_of(desk.entries(limit=200))
    lines: list[Any] = []
    query: dict[str, Any] = {"limit": 3, "subject_kind": "item"}
    pages = 0
    while True:
        answered = desk.own("GET", f"{desk.workspace}/activity/export", query=query)
        assert answered.headers["content-type"] == "application/x-ndjson"
        lines += [json.loads(line) for line in answered.text.splitlines()]
        pages += 1
        if "link" not in answered.headers:
            break
        target, relation = answered.headers["link"].split("; ")
        assert relation == 'rel="next"'
        query = parse_qs(urlsplit(target.strip("<>")).query)
    assert pages == 2
    assert ids_of(lines) == expected[:5]
    exports = desk.entries(action="activity.exported")
    assert [entry["after"] for entry in exports] == [
        {"count": 2, "subject_kind": "item"},
        {"count": 3, "subject_kind": "item"},
    ]
    assert exports[0]["subject"] == {"kind": "workspace", "id": str(desk.lorebase.workspace_id)}


def test_an_export_of_nothing_is_empty_and_recorded(desk: Desk) -> None:
    answered = desk.own("GET", f"{desk.organization}/activity/export", query={"subject": str(new_id())})
    assert answered.text == ""
    [latest, *_] = desk.entries(desk.organization)
    assert (latest["action"], latest["after"]["count"]) == ("activity.exported", 0)


def test_an_export_fits_into_an_answer_and_leads_on(desk: Desk) -> None:
    for number in range(6):
        desk.add_item(f"{number}.md")
    whole = ids_of(desk.entries(limit=200))
    desk.lorebase.configure(answer_bytes=2000)
    install_application(desk.lorebase.wired)
    first = desk.own("GET", f"{desk.workspace}/activity/export")
    count = len(first.text.splitlines())
    assert 1 <= count < len(whole)
    assert "link" in first.headers
    assert len(_fitting(["x" * 50] * 9, room=165)) == 3
    assert len(_fitting(["x" * 500], room=160)) == 1


def test_a_refusal_is_recorded_with_the_route_and_why(desk: Desk) -> None:
    answered = desk.api.call("GET", f"{desk.workspace}/jobs", key=desk.editor_key)
    assert answered.problem == "action-forbidden"
    [entry] = desk.entries(outcome="refused")
    assert (entry["action"], entry["actor"]["id"]) == ("request.refused", str(desk.editor.id))
    assert entry["after"] == {"route": "list_workspace_jobs", "reason": "action-forbidden"}
    assert entry["request_id"] == answered.headers["x-request-id"]
    assert entry["subject"] == {"kind": "route", "id": None}


def test_what_is_not_there_and_who_is_not_known_leave_nothing(desk: Desk) -> None:
    before = recorded(desk.lorebase.database)
    outsider = desk.api.found("Outsiders")
    assert desk.api.call("GET", f"{desk.workspace}/jobs", key=outsider.token).status == 404
    assert desk.api.call("GET", f"{desk.workspace}/jobs", key="lb_" + "x" * 40).status == 401
    assert desk.api.call("GET", f"{desk.workspace}/jobs").status == 401
    added = [entry for entry in recorded(desk.lorebase.database) if entry not in before]
    assert {entry["action"] for entry in added} == {"organization.created"}


def test_a_flood_of_refusals_is_counted_instead(desk: Desk) -> None:
    flood = REFUSALS_A_MINUTE + 7
    for _ in range(flood):
        desk.api.call("GET", f"{desk.workspace}/jobs", key=desk.editor_key)
    assert len(desk.entries(outcome="refused")) == REFUSALS_A_MINUTE
    desk.lorebase.clock.move(minutes=1)
    desk.api.call("GET", f"{desk.workspace}/jobs", key=desk.editor_key)
    refusals = desk.entries(desk.organization, outcome="refused")
    assert len(refusals) == REFUSALS_A_MINUTE + 2
    [counted] = [entry["after"]["count"] for entry in refusals if "count" in entry["after"]]
    assert counted == 7


def test_the_sweep_tells_the_number_of_refusals_of_who_never_comes_back(desk: Desk) -> None:
    for _ in range(REFUSALS_A_MINUTE + 1):
        desk.api.call("GET", f"{desk.workspace}/jobs", key=desk.editor_key)
    chore = chores_of(desk.lorebase.wired)["refusals"]
    assert chore() == 0
    desk.lorebase.clock.move(minutes=1)
    assert (chore(), chore()) == (1, 0)
    [latest, *_] = desk.entries(desk.organization, outcome="refused")
    assert (latest["actor"]["name"], latest["after"]["count"]) == ("editor", 1)


def test_a_refusal_is_answered_though_it_cannot_be_recorded(desk: Desk) -> None:
    with psycopg.connect(desk.lorebase.database.conninfo) as session:
        session.execute("drop table refusals")
    assert desk.api.call("GET", f"{desk.workspace}/jobs", key=desk.editor_key).problem == "action-forbidden"


def test_moments_before_and_after_all_time_are_taken(desk: Desk) -> None:
    whole = desk.entries(limit=200)
    assert ids_of(desk.entries(limit=200, since="0001-01-01T00:00:00+14:00", until="9999-12-31T23:59:59-12:00")) == (
        ids_of(whole)
    )
