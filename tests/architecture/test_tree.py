"""The tree keeps its shape: tests mirror the source, modules say what they are for and stay small."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("chalicelib", "functions", "infra")
SOURCE = sorted([*(module for package in PACKAGES for module in (ROOT / package).rglob("*.py")), ROOT / "app.py"])
TESTS = sorted((ROOT / "tests").rglob("*.py"))

LINES = 300
LINES_OF_CONSTRUCTS = 250
LONGER: dict[str, str] = {}
"""Modules above the limit, each with the reason why it has one subject all the same."""

ROOMS = {
    "access",
    "access_attacks",
    "architecture",
    "aws",
    "benchmarks",
    "cases",
    "contracts",
    "fixtures",
    "http",
    "infra",
    "triggers",
    "unit",
}
EMPTY_NAMES = {"base", "common", "helper", "helpers", "manager", "misc", "service", "util", "utils"}


def test_unit_tests_lie_where_what_they_test_lies() -> None:
    unit = ROOT / "tests" / "unit"
    folders = {module.parent.relative_to(unit) for module in unit.rglob("test_*.py")}
    absent = [
        folder
        for folder in folders
        if not (ROOT / "chalicelib" / folder).is_dir()
        and not (folder.parts[0] == "functions" and (ROOT / folder).is_dir())
    ]
    assert absent == []


def test_every_test_lies_in_a_room_of_its_kind() -> None:
    assert {module.relative_to(ROOT / "tests").parts[0] for module in TESTS} - ROOMS == {"conftest.py"}


@pytest.mark.parametrize("module", [*SOURCE, *TESTS], ids=lambda module: str(module.relative_to(ROOT)))
def test_a_module_is_as_long_as_one_subject_needs(module: Path) -> None:
    lines = len(module.read_text("utf-8").splitlines())
    limit = LINES_OF_CONSTRUCTS if module.is_relative_to(ROOT / "infra") else LINES
    assert (lines > limit) == (str(module.relative_to(ROOT)) in LONGER)


@pytest.mark.parametrize("module", SOURCE, ids=lambda module: str(module.relative_to(ROOT)))
def test_a_module_says_what_it_is_for(module: Path) -> None:
    said = ast.get_docstring(ast.parse(module.read_text("utf-8")))
    assert said, "a docstring of a sentence or two opens each module"


@pytest.mark.parametrize("module", SOURCE, ids=lambda module: str(module.relative_to(ROOT)))
def test_only_the_command_line_prints(module: Path) -> None:
    calls = [node.func for node in ast.walk(ast.parse(module.read_text("utf-8"))) if isinstance(node, ast.Call)]
    prints = [call for call in calls if isinstance(call, ast.Name) and call.id == "print"]
    assert not prints or module.is_relative_to(ROOT / "chalicelib" / "cli")


def test_names_of_modules_say_something() -> None:
    said = {module: {*module.stem.replace("knowledge_base", "").split("_"), module.parent.name} for module in SOURCE}
    assert [module for module, names in said.items() if EMPTY_NAMES & names] == []
