"""The function refuses what it does not understand, in words that its caller passes on."""

import json
from collections.abc import Sequence
from io import StringIO
from logging import StreamHandler, getLogger
from pathlib import Path
from typing import Any

import pytest

from chalicelib.telemetry.log_lines import JsonLines
from chalicelib.telemetry.metrics import Metrics
from functions.embed import handler
from functions.embed.served_model import load_model


@pytest.mark.parametrize(
    ("event", "kind"),
    [
        ({}, "texts-malformed"),
        ({"texts": "x"}, "texts-malformed"),
        ({"texts": [1]}, "texts-malformed"),
        ({"texts": ["x"], "purpose": "y"}, "purpose-unknown"),
        ({"texts": ["x", "y"], "purpose": "query"}, "purpose-unknown"),
        ({"texts": [""] * 513}, "too-many-texts"),
    ],
)
def test_a_malformed_request_is_answered_with_an_error(event: dict[str, Any], kind: str) -> None:
    assert handler.handle(event)["error"]["type"] == kind


def test_a_missing_model_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(handler, "_model", lambda: load_model(tmp_path, engine="openvino"))
    assert handler.handle({"texts": ["x"]})["error"]["type"] == "embedder-unavailable"


@pytest.mark.model
def test_tokens_are_counted_in_the_answer_and_as_a_metric(
    served_folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    model = load_model(served_folder, engine="openvino")
    monkeypatch.setattr(handler, "_model", lambda: model)
    monkeypatch.setattr(handler, "_metrics", lambda: Metrics(stage="prod", is_on=True))
    answer = handler.handle({"texts": ["the cat sat", "", "on the mat " * 200]})
    assert answer["tokens"] == 603
    line = json.loads(capsys.readouterr().out)
    assert (line["EmbeddingTokens"], line["Stage"]) == (603, "prod")
    assert "cat" not in json.dumps(line)


def test_a_defect_is_logged_under_the_callers_id_and_raised_without_the_text(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    said = StringIO()
    listener = StreamHandler(said)
    listener.setFormatter(JsonLines())

    class Broken:
        def embed(self, texts: Sequence[str], _purpose: str) -> None:
            raise ValueError(f"cannot read {texts}")

    monkeypatch.setattr(handler, "_model", Broken)
    getLogger("functions").addHandler(listener)
    with pytest.raises(handler.EmbeddingFailed) as raised:
        handler.handle({"texts": ["a secret"], "correlation_id": "request-1"})
    getLogger("functions").removeHandler(listener)
    line = json.loads(said.getvalue())
    assert (line["correlation_id"], line["causes"]) == ("request-1", ["builtins.ValueError"])
    assert "secret" not in said.getvalue() + str(raised.value)
