"""The function refuses what it does not understand, in words that its caller passes on."""

from pathlib import Path
from typing import Any

import pytest

from chalicelib.platform.local.embedder import LocalEmbedder
from functions.embed import handler


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
    monkeypatch.setattr(handler, "_embedder", lambda: LocalEmbedder(tmp_path, fetch=False))
    assert handler.handle({"texts": ["x"]})["error"]["type"] == "embedder-unavailable"
