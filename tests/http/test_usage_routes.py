"""Usage and budgets over HTTP."""

from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from chalicelib.bootstrap import install_application
from chalicelib.database.database import Database
from chalicelib.identity.model import WorkspaceRole
from chalicelib.usage.gate import TRUST_SECONDS
from chalicelib.usage.model import Grouping, ModelKind, Month, Purpose
from chalicelib.usage.prices import Price
from chalicelib.usage.store import sum_usage
from tests.fixtures.api import ORIGIN, Api
from tests.fixtures.embedders import WordEmbedder
from tests.fixtures.lorebases import Lorebase


class Desk:
    """The organization's admin before the API."""

    def __init__(self, api: Api, lorebase: Lorebase) -> None:
        self.api, self.lorebase, self.key = api, lorebase, lorebase.foundation.token
        self.organization = f"/v1/organizations/{lorebase.owner.organization_id}"
        self.workspace = f"/v1/workspaces/{lorebase.workspace_id}"

    def call(self, method: str, path: str, *, key: str | None = None, **options: Any) -> Any:
        return self.api.call(method, path, key=key or self.key, **options)

    def spend(self, tokens: int, *, purpose: Purpose = Purpose.INDEX, model: str = "acme/embed") -> None:
        account = self.lorebase.wired.metering.account(purpose, workspace_id=self.lorebase.workspace_id)
        account.count(kind=ModelKind.EMBED, model=model, input_tokens=tokens)

    def key_of(self, role: WorkspaceRole) -> str:
        body = {"kind": "user", "name": str(role)}
        member = self.call("POST", f"{self.organization}/members", json_body=body).json["id"]
        self.call("PUT", f"{self.workspace}/members/{member}", json_body={"role": str(role)})
        issued = {"name": "k", "member_id": member, "scopes": ["read", "write", "admin"]}
        return str(self.call("POST", f"{self.organization}/api-keys", json_body=issued).json["token"])


@pytest.fixture
def desk(whole_api: Api, lorebase: Lorebase) -> Desk:
    lorebase.clock.move(days=9)
    return Desk(whole_api, lorebase)


@pytest.fixture
def embedding_desk(database: Database, tmp_path: Path) -> Iterator[Desk]:
    lorebase = Lorebase(database, tmp_path, embedder=WordEmbedder(), cors_origins=[ORIGIN])
    install_application(lorebase.wired)
    yield Desk(Api(lorebase.wired), lorebase)
    install_application(None)
    lorebase.wired.close()


def test_a_month_is_shown_by_what_was_asked_with_what_was_just_used(desk: Desk) -> None:
    desk.spend(100)
    desk.spend(10, purpose=Purpose.QUESTION, model="multilingual-e5-small-q4/384")
    shown = desk.call("GET", f"{desk.organization}/usage").json
    used = {"calls": 1, "output_tokens": 0, "known_cost": "0.000000"}
    assert shown["entries"] == [
        {**used, "name": "index", "slug": None, "in_house": False, "input_tokens": 100, "cost": None}
        | {"unpriced_tokens": 100},
        {**used, "name": "question", "slug": None, "in_house": True, "input_tokens": 10, "cost": "0.000000"}
        | {"unpriced_tokens": 0},
    ]
    assert (shown["total"]["input_tokens"], shown["total"]["cost"], shown["month"]) == (110, None, "2030-01")
    assert shown["forecast"] == {"tokens": round(110 * 31 / 9), "cost": None}
    (entry,) = desk.call("GET", f"{desk.workspace}/usage", query={"by": "workspace"}).json["entries"]
    assert (entry["name"], entry["slug"]) == (str(desk.lorebase.workspace_id), "main")
    assert desk.call("GET", f"{desk.organization}/usage", query={"month": "2029-12"}).json["entries"] == []


@pytest.mark.parametrize(("query", "status"), [({"month": "2030-13"}, 422), ({"by": "colour"}, 400)])
def test_what_cannot_be_asked_for_is_refused(desk: Desk, query: dict[str, str], status: int) -> None:
    assert desk.call("GET", f"{desk.organization}/usage", query=query).status == status


def test_a_budget_is_set_shown_and_cleared(desk: Desk) -> None:
    for place in (desk.organization, desk.workspace):
        path = f"{place}/budget"
        assert desk.call("GET", path).status == 404
        assert desk.call("PUT", path, json_body={"tokens": 200}).status == 200
        desk.spend(180)
        shown = desk.call("GET", f"{place}/usage").json["budgets"][-1]
        assert shown == desk.call("GET", path).json
        desk.call("PUT", path, json_body={"tokens": 100})
        assert desk.call("GET", path).json["state"] == "spent"
        assert desk.call("GET", path).json["resets_at"] == "2030-02-01T00:00:00Z"
        assert desk.call("DELETE", path).status == 204
        assert desk.call("DELETE", path).status == 404


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"tokens": -1},
        {"tokens": 10**30},
        {"tokens": "5"},
        {"money": 5},
        {"money": -0.01},
        {"money": "much"},
        {"tokens": 5, "days": 3},
    ],
)
def test_a_budget_that_makes_no_sense_is_refused(desk: Desk, body: dict[str, object]) -> None:
    assert desk.call("PUT", f"{desk.organization}/budget", json_body=body).status == 422
    assert desk.call("GET", f"{desk.organization}/budget").status == 404


def test_money_comes_back_as_it_was_written(desk: Desk, whole_api: Api) -> None:
    priced = replace(desk.lorebase.wired.metering.prices, by_prefix={"acme/": Price(Decimal("0.1"))})
    desk.lorebase.wired.metering.prices = priced
    for written in ("12.30", 0.1, 7):
        shown = whole_api.call("PUT", f"{desk.organization}/budget", key=desk.key, json_body={"money": written}).json
        assert Decimal(shown["money"]) == Decimal(str(written))
    desk.spend(5_000_000)
    assert Decimal(desk.call("GET", f"{desk.organization}/usage").json["total"]["cost"]) == Decimal("0.5")


def test_usage_and_budgets_are_shown_to_admins_and_owners_alone(desk: Desk) -> None:
    desk.spend(7)
    for place in (desk.organization, desk.workspace):
        desk.call("PUT", f"{place}/budget", json_body={"tokens": 200})
    owner, editor = desk.key_of(WorkspaceRole.OWNER), desk.key_of(WorkspaceRole.EDITOR)
    for path in ("usage", "budget"):
        assert desk.call("GET", f"{desk.workspace}/{path}", key=owner).status == 200
        assert desk.call("GET", f"{desk.organization}/{path}", key=owner).status == 403
        assert desk.call("GET", f"{desk.workspace}/{path}", key=editor).status == 403
    shown = desk.call("GET", f"{desk.workspace}/usage", key=owner).json["budgets"]
    assert [budget["workspace_id"] for budget in shown] == [str(desk.lorebase.workspace_id)]
    for method in ("PUT", "DELETE"):
        body = {"json_body": {"tokens": 10**6}} if method == "PUT" else {}
        assert desk.call(method, f"{desk.workspace}/budget", key=owner, **body).status == 403


def test_another_organizations_usage_is_not_there(desk: Desk) -> None:
    desk.spend(7)
    foreign = desk.lorebase.found("Other").token
    for path in (f"{desk.organization}/usage", f"{desk.organization}/budget", f"{desk.workspace}/usage"):
        assert desk.call("GET", path, key=foreign).status == 404
    assert desk.call("PUT", f"{desk.workspace}/budget", key=foreign, json_body={"tokens": 1}).status == 404
    other = desk.lorebase.found("Third")
    shown = desk.call("GET", f"/v1/organizations/{other.organization.id}/usage", key=other.token).json
    assert (shown["entries"], shown["total"]["calls"]) == ([], 0)


def test_questions_are_counted_and_written_together(embedding_desk: Desk) -> None:
    desk, lorebase = embedding_desk, embedding_desk.lorebase
    lorebase.add_item("a", "The quick brown fox")
    lorebase.drain()
    lorebase.wired.metering.meter.flush()
    desk.call("PUT", f"{desk.organization}/budget", json_body={"tokens": 0})
    for _ in range(3):
        found = desk.call("POST", f"{desk.workspace}/search", json_body={"query": "quick fox"})
        assert found.json["lanes"]["semantic"]["state"] == "ok"
    assert written(lorebase) == []
    lorebase.clock.move(seconds=5)
    desk.call("GET", "/v1/me")
    assert written(lorebase) == [("question", 3, 6)]


def test_what_waits_for_a_budget_is_found_first_where_its_words_match_best(embedding_desk: Desk) -> None:
    desk, lorebase = embedding_desk, embedding_desk.lorebase
    lorebase.add_item("old", "A fox sleeps in the den behind the hedge")
    lorebase.drain()
    lorebase.wired.metering.meter.flush()
    desk.call("PUT", f"{desk.organization}/budget", json_body={"tokens": 0})
    lorebase.clock.move(seconds=TRUST_SECONDS)
    lorebase.add_item("new", "The quick brown fox jumps over the lazy dog")
    lorebase.drain()
    found = desk.call("POST", f"{desk.workspace}/search", json_body={"query": "quick lazy fox", "explain": True}).json
    assert {name: lane["state"] for name, lane in found["lanes"].items()} == {"lexical": "ok", "semantic": "ok"}
    told = [(hit["path"], list(hit["lanes"]), hit["explanation"]["lacks_vector"]) for hit in found["hits"]]
    assert told == [("new", ["lexical"], True), ("old", ["lexical", "semantic"], False)]


def written(lorebase: Lorebase) -> list[tuple[str | None, int, int]]:
    """Return what the ledger has of questions."""
    with lorebase.database.transaction() as tx:
        month = Month.of(lorebase.clock.now())
        lines = sum_usage(
            tx,
            lorebase.owner.organization_id,
            workspace_id=None,
            by=Grouping.PURPOSE,
            since=month.first_day,
            until=month.next.first_day,
        )
    shown = [(line.name, line.counts.calls, line.counts.input_tokens) for line in lines]
    return [line for line in shown if line[0] == "question"]
