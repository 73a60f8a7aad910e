"""Embedding spaces over HTTP: shown, changed, swapped and undone."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from chalicelib.bootstrap import install_application
from chalicelib.database.database import Database
from chalicelib.identity.model import WorkspaceRole
from chalicelib.knowledge_bases.model import Mode
from tests.fixtures.api import ORIGIN, Answered, Api
from tests.fixtures.embedders import WordEmbedder
from tests.fixtures.lorebases import Lorebase

_OLD, _NEW = "words/32", "others/48"


class Desk:
    """The owner of an organization with three items, whose server offers two models."""

    def __init__(self, lorebase: Lorebase) -> None:
        self.lorebase, self.api = lorebase, Api(lorebase.wired)
        self.embedding = f"/v1/organizations/{lorebase.owner.organization_id}/embedding"
        self.workspace = f"/v1/workspaces/{lorebase.workspace_id}"
        for number in range(3):
            lorebase.add_item(f"{number}.md", f"The plan number{number} is ours", title=f"Plan {number}")
        lorebase.drain()

    def ask(self, method: str, path: str, body: Any = None, **options: Any) -> Answered:
        options.setdefault("key", self.lorebase.foundation.token)
        return self.api.call(method, path, json_body=body, **options)

    def change(self) -> Answered:
        return self.ask("POST", f"{self.embedding}/changes", {"space": _NEW})

    def found(self, query: str) -> list[str]:
        answered = self.ask("POST", f"{self.workspace}/search", {"query": query, "mode": Mode.SEMANTIC})
        assert answered.status == 200, answered.text
        return [hit["path"] for hit in answered.json["hits"]]


@pytest.fixture
def desk(database: Database, tmp_path: Path) -> Iterator[Desk]:
    lorebase = Lorebase(database, tmp_path, embedder=WordEmbedder(), offered=[WordEmbedder(_NEW)])
    lorebase.configure(cors_origins=[ORIGIN])
    install_application(lorebase.wired)
    yield Desk(lorebase)
    install_application(None)
    lorebase.wired.close()


def test_a_change_from_its_estimate_to_the_end_of_the_former_space(desk: Desk) -> None:
    shown = desk.ask("GET", desk.embedding).json
    assert (shown["active"], shown["filling"], shown["former"], shown["progress"]) == (_OLD, None, None, None)
    assert [(each["space"], each["dimensions"], each["is_default"]) for each in shown["offered"]] == [
        (_OLD, 32, True),
        (_NEW, 48, False),
    ]
    estimate = desk.ask("GET", f"{desk.embedding}/estimate", query={"space": _NEW}).json
    assert (estimate["chunks"], estimate["seconds"], estimate["money"]) == (3, None, None)

    started = desk.change()
    assert (started.status, started.json["filling"], started.json["progress"]["state"]) == (202, _NEW, "filling")
    assert desk.ask("POST", f"{desk.embedding}/swap").problem == "embedding-change-not-ready"
    assert desk.found("plan number2")[0] == "2.md"
    desk.lorebase.drain()
    progress = desk.ask("GET", desk.embedding).json["progress"]
    assert (progress["state"], progress["chunks_done"], progress["chunks_total"]) == ("ready", 3, 3)

    compared = desk.ask("POST", f"{desk.embedding}/compare", {"workspace_id": str(desk.lorebase.workspace_id)}).json
    assert (compared["questions"], compared["other"]["space"], compared["other"]["mrr"]) == (3, _NEW, 1.0)
    swapped = desk.ask("POST", f"{desk.embedding}/swap").json
    assert (swapped["active"], swapped["filling"], swapped["former"], swapped["better"]) == (_NEW, None, _OLD, _OLD)
    assert desk.found("plan number2")[0] == "2.md"
    status = desk.ask("GET", f"{desk.workspace}/status").json
    assert (status["embedding_space"], status["better_embedding_space"]) == (_NEW, _OLD)
    assert desk.ask("POST", f"{desk.embedding}/rollback").json["active"] == _OLD
    assert desk.ask("DELETE", f"{desk.embedding}/former").json["former"] is None
    assert desk.ask("DELETE", f"{desk.embedding}/former").problem == "former-space-not-found"


def test_a_start_that_is_repeated_begins_one_change(desk: Desk) -> None:
    headers = {"Idempotency-Key": "k"}
    first, again = (desk.ask("POST", f"{desk.embedding}/changes", {"space": _NEW}, headers=headers) for _ in range(2))
    assert (first.status, again.status) == (202, 202)
    assert desk.change().problem == "embedding-change-running"
    assert desk.ask("DELETE", f"{desk.embedding}/changes/current").json["filling"] is None


def test_members_see_the_space_and_admins_alone_what_there_is(desk: Desk) -> None:
    desk.change()
    member = desk.lorebase.member(WorkspaceRole.OWNER)
    issued = desk.ask(
        "POST",
        f"/v1/organizations/{desk.lorebase.owner.organization_id}/api-keys",
        {"name": "theirs", "member_id": str(member.id)},
    )
    key = issued.json["token"]
    shown = desk.ask("GET", desk.embedding, key=key).json
    assert (shown["active"], shown["filling"], shown["progress"]) == (_OLD, _NEW, None)
    for method, path in (("POST", "/swap"), ("DELETE", "/changes/current"), ("POST", "/rollback")):
        assert desk.ask(method, f"{desk.embedding}{path}", key=key).problem == "action-forbidden"
    assert desk.ask("GET", f"{desk.embedding}/estimate", key=key, query={"space": _NEW}).status == 403


def test_the_space_of_an_embedder_that_is_gone_is_said_to_be_missing(desk: Desk) -> None:
    desk.lorebase.withdraw_embedders()
    install_application(desk.lorebase.wired)
    status = desk.ask("GET", f"{desk.workspace}/status").json
    assert (status["embedding_space"], status["missing_embedding_space"]) == (None, _OLD)
    refused = desk.ask("POST", f"{desk.workspace}/search", {"query": "plan", "mode": Mode.SEMANTIC})
    assert refused.json["detail"] == "No embedder of your space is offered here; search in the mode lexical."
    health = desk.api.call("GET", "/v1/health").json
    assert health["embedder"] == "none"
