"""Reranking and expansion over HTTP: asked for in a body or an address, told in the answer, counted in the ledger."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from chalicelib.bootstrap import install_application
from chalicelib.database.statements import Statement
from tests.fixtures.api import Answered, Api
from tests.fixtures.language_models import WrittenModel
from tests.fixtures.lorebases import Lorebase

_LEDGER = Statement(
    "ledger", "Read what was used.", b"select purpose, model, calls, input_tokens, output_tokens from model_usage"
)


def answer(told: Mapping[str, Any]) -> Mapping[str, object]:
    """Word a question in one other way, and find every passage relevant."""
    return {"relevance": 3} if "passage" in told else {"reformulations": ["another sentence"]}


class Room:
    """A workspace with one item, asked by its owner."""

    def __init__(self, api: Api, lorebase: Lorebase) -> None:
        self.api, self.lorebase, self.key = api, lorebase, lorebase.foundation.token
        self.url = f"/v1/workspaces/{lorebase.workspace_id}/search"
        lorebase.add_item("a.md", "A sentence.")
        lorebase.drain()

    def ask(self, **body: Any) -> Answered:
        return self.api.call("POST", self.url, key=self.key, json_body={"query": "sentence", **body})


@pytest.fixture
def model(lorebase: Lorebase) -> WrittenModel:
    written = WrittenModel(answer)
    lorebase.wired = replace(lorebase.wired, language_model=written)
    return written


@pytest.fixture
def room(model: WrittenModel, whole_api: Api, lorebase: Lorebase) -> Room:
    assert model is lorebase.wired.language_model
    install_application(lorebase.wired)
    return Room(whole_api, lorebase)


def test_stages_are_told_where_they_are_asked_for(room: Room, model: WrittenModel) -> None:
    assert room.ask().json["stages"] == {}
    assert model.prompts == []
    asked = room.ask(expand=True, rerank=True).json
    assert {name: stage["state"] for name, stage in asked["stages"].items()} == {"expansion": "ok", "rerank": "ok"}
    assert [hit["score"] for hit in asked["hits"]] == [1.0]
    linked = room.api.call("GET", room.url, key=room.key, query={"q": "sentence", "rerank": "true"}).json
    assert set(linked["stages"]) == {"rerank"}


def test_the_other_wordings_of_a_question_are_told(room: Room, model: WrittenModel) -> None:
    stages = room.ask(expand=True, rerank=True).json["stages"]
    assert {name: stage["wordings"] for name, stage in stages.items()} == {
        "expansion": ["another sentence"],
        "rerank": [],
    }
    model.is_down = True
    assert room.ask(expand=True).json["stages"]["expansion"]["wordings"] == []


def test_tokens_are_counted_by_what_they_were_for(room: Room, lorebase: Lorebase) -> None:
    assert room.ask(expand=True, rerank=True).status == 200
    lorebase.wired.metering.meter.flush()
    with lorebase.database.transaction() as tx:
        counted = {row["purpose"]: row for row in tx.fetch_all(_LEDGER)}
    assert set(counted) == {"expansion", "rerank"}
    for row in counted.values():
        assert (row["model"], row["calls"], row["input_tokens"], row["output_tokens"]) == ("written/1", 1, 10, 2)


def test_a_model_out_of_reach_costs_no_search(room: Room, model: WrittenModel) -> None:
    model.is_down = True
    answered = room.ask(expand=True, rerank=True)
    assert answered.status == 200
    assert [hit["path"] for hit in answered.json["hits"]] == ["a.md"]
    assert {stage["state"] for stage in answered.json["stages"].values()} == {"dropped"}
    assert answered.json["stages"]["rerank"]["reason"] == "The reranker is out of reach"


def test_a_spent_budget_leaves_searches_without_models(room: Room, model: WrittenModel, lorebase: Lorebase) -> None:
    budget = f"/v1/workspaces/{lorebase.workspace_id}/budget"
    assert room.api.call("PUT", budget, key=room.key, json_body={"tokens": 0}).status == 200
    answered = room.ask(expand=True, rerank=True).json
    assert [hit["path"] for hit in answered["hits"]] == ["a.md"]
    reasons = {stage["reason"] for stage in answered["stages"].values()}
    assert reasons == {"The month's budget for models is spent"}
    assert model.prompts == []
