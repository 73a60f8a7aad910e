"""The threat model names every resource of the API, and the tests that it leans on are there."""

import ast
import re
from pathlib import Path

from chalicelib.http.blueprints import RESOURCES

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "threat-model.md").read_text("utf-8")


def names_of_tests() -> set[str]:
    return {
        node.name
        for module in (ROOT / "tests").rglob("test_*.py")
        for node in ast.walk(ast.parse(module.read_text("utf-8")))
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    }


def test_every_test_that_it_names_is_there() -> None:
    named = set(re.findall(r"`(test_\w+)`", PAGE))
    assert named - names_of_tests() == set()
    assert len(named) > 60


def test_every_door_has_its_proof_but_those_that_are_to_come() -> None:
    doors = PAGE.partition("## Doors")[2].partition("## What is left")[0]
    rows = [row for row in re.findall(r"^\| (.*) \|$", doors, re.MULTILINE) if not row.startswith(("---", "Door"))]
    assert [row.split(" | ")[0] for row in rows if "`test_" not in row] == ["The Git mirror and connectors"]


def test_every_resource_of_the_api_is_a_door() -> None:
    assert [routes.resource for routes in RESOURCES if f"`{routes.resource}`" not in PAGE] == []
