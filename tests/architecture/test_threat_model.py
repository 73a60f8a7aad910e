"""The threat model names every resource of the API, and the tests that it leans on are there and are about the door."""

import ast
import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path

from chalicelib.http.blueprints import RESOURCES

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "threat-model.md").read_text("utf-8")


def rows_of_doors() -> list[list[str]]:
    """Return the cells of each row: the door, what could go wrong, what holds, and the proof."""
    doors = PAGE.partition("## Doors")[2].partition("## What is left")[0]
    rows = [row for row in re.findall(r"^\| (.*) \|$", doors, re.MULTILINE) if not row.startswith(("---", "Door"))]
    return [row.split(" | ") for row in rows]


def proofs_in(text: str) -> Sequence[str]:
    return re.findall(r"`(test_\w+)`", text)


def subjects_by_test() -> dict[str, str]:
    """Return what each test is about, as far as its own name and its file's name and docstring say."""
    subjects: defaultdict[str, str] = defaultdict(str)
    for module in (ROOT / "tests").rglob("test_*.py"):
        tree = ast.parse(module.read_text("utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                subjects[node.name] += f" {node.name} {module.stem} {ast.get_docstring(tree) or ''}"
    return subjects


def stems(text: str) -> frozenset[str]:
    """Return the first four letters of each word."""
    return frozenset(word[:4] for word in re.findall(r"[a-z]{4,}", text.lower().replace("_", " ")))


def strangers(rows: Sequence[Sequence[str]], proofs: Sequence[Sequence[str]]) -> Sequence[tuple[str, str]]:
    """Return the proofs that share no word with what their row says, each with its door.

    Words on more than a tenth of the rows tell nothing of a door, and do not count.
    """
    subjects = subjects_by_test()
    said = [stems(" ".join(row[:-1])) for row in rows]
    uses = Counter(stem for found in said for stem in found)
    telling = {stem for stem, count in uses.items() if count <= len(rows) / 10}
    return [
        (row[0], test)
        for row, found, named in zip(rows, said, proofs, strict=True)
        for test in named
        if not found & telling & stems(subjects[test])
    ]


def test_every_test_that_it_names_is_there() -> None:
    named = set(proofs_in(PAGE))
    assert named - set(subjects_by_test()) == set()
    assert len(named) > 60


def test_every_door_has_its_proof_but_those_that_are_to_come() -> None:
    assert [row[0] for row in rows_of_doors() if not proofs_in(row[-1])] == ["The Git mirror and connectors"]


def test_no_proof_stands_for_two_doors() -> None:
    uses = Counter(test for row in rows_of_doors() for test in proofs_in(row[-1]))
    assert [test for test, count in uses.items() if count > 1] == []


def test_a_proof_is_about_its_door_as_far_as_words_tell() -> None:
    rows = rows_of_doors()
    assert strangers(rows, [proofs_in(row[-1]) for row in rows]) == []


def test_most_proofs_of_another_door_would_be_found() -> None:
    rows = rows_of_doors()
    moved = [proofs_in(row[-1]) for row in rows[len(rows) // 2 :] + rows[: len(rows) // 2]]
    assert len(strangers(rows, moved)) > sum(len(proofs) for proofs in moved) / 2


def test_every_resource_of_the_api_is_a_door() -> None:
    doors = " ".join(row[0] for row in rows_of_doors())
    assert [routes.resource for routes in RESOURCES if f"`{routes.resource}`" not in doors] == []
