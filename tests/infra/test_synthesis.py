"""Whoever deploys a stage is shown no warning that is nothing to them."""

import json
from pathlib import Path

from infra.configuration import Deployment


def test_a_synthesis_warns_of_nothing(assembly: Path, deployment: Deployment) -> None:
    told = json.loads((assembly / f"{deployment.name}.metadata.json").read_text("utf-8"))
    entries = [(path, entry["type"], entry.get("data")) for path, found in told.items() for entry in found]
    assert [entry for entry in entries if entry[1] in {"aws:cdk:warning", "aws:cdk:error"}] == []
    assert any(kind == "aws:cdk:logicalId" for _, kind, _ in entries)
