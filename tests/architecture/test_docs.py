"""The pages lead somewhere, and name every command, every setting that exists, and every recorded failure."""

import json
import re
from pathlib import Path

import pytest
from click import Command, Context, Group, Option

from chalicelib.cli.main import lorebase
from chalicelib.errors import LorebaseError
from chalicelib.http.search_resources import SearchResource
from chalicelib.intake import errors as intake_errors
from chalicelib.intake.errors import ExtractionFailed
from chalicelib.settings import Settings

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
PAGES = sorted([ROOT / "README.md", ROOT / "CHANGELOG.md", *DOCS.glob("*.md")])
OF_EVERY_COMMAND = {"--endpoint", "--key", "--workspace", "--on-behalf-of", "--simulate-as", "--json"}
OF_TESTS = {"LOREBASE_BENCHMARK_CACHE", "LOREBASE_TEST_POSTGRES"}


def anchor_of(heading: str) -> str:
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_leads_to_a_page_and_a_heading(page: Path) -> None:
    for target, anchor in re.findall(r"\]\((?!https?:|urn:)([^)#\s]*)#?([^)\s]*)\)", page.read_text("utf-8")):
        file = (page.parent / target).resolve() if target else page
        assert file.exists(), target
        if anchor:
            headings = re.findall(r"^#+ (.*)$", file.read_text("utf-8"), re.MULTILINE)
            assert anchor in map(anchor_of, headings), f"{target}#{anchor}"


def test_the_readme_leads_to_every_page() -> None:
    linked = set(re.findall(r"\]\(docs/([\w-]+\.md)\)", (ROOT / "README.md").read_text("utf-8")))
    assert linked == {page.name for page in DOCS.glob("*.md")}


@pytest.mark.parametrize("page", [ROOT / "README.md", DOCS / "getting-started.md"], ids=lambda page: page.name)
def test_the_example_uploads_as_many_pages_as_there_are(page: Path) -> None:
    counts = re.findall(r"^(\d+) added, 0 updated, 0 unchanged", page.read_text("utf-8"), re.MULTILINE)
    assert counts == [str(len(list(DOCS.glob("**/*.*"))))]


def test_the_example_goes_on_with_the_pages_that_it_uploaded() -> None:
    page = (DOCS / "getting-started.md").read_text("utf-8")
    pattern = r"^items +(\d+) ready|^uploads +(\d+) succeeded|items: (\d+) of|, (\d+) unchanged"
    shown = re.findall(pattern, page, re.MULTILINE)
    counts = ["".join(groups) for groups in shown if groups[-1] != "0"]
    assert counts == [str(len(list(DOCS.glob("**/*.*"))))] * 4


def test_the_example_of_an_answer_has_its_fields() -> None:
    page = (DOCS / "getting-started.md").read_text("utf-8")
    answer = json.loads(re.findall(r"^```json\n(.*?)^```", page, re.MULTILINE | re.DOTALL)[0])
    assert SearchResource.model_validate(answer).model_dump(mode="json", by_alias=True) == answer


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_no_page_names_a_setting_that_does_not_exist(page: Path) -> None:
    named = set(re.findall(r"\bLOREBASE_[A-Z_]*[A-Z]\b", page.read_text("utf-8")))
    assert named - OF_TESTS - {f"LOREBASE_{name.upper()}" for name in Settings.model_fields} == set()


def test_the_guide_to_the_command_line_names_every_command() -> None:
    page = (DOCS / "cli.md").read_text("utf-8")
    assert isinstance(lorebase, Group)
    names = lorebase.list_commands(Context(lorebase))
    assert [name for name in names if not re.search(rf"`{name}[ `]", page)] == []


def options_of(command: Command) -> set[str]:
    """Return the long names of a command's own options and of its subcommands', without those that all have."""
    inner = command.commands.values() if isinstance(command, Group) else ()
    own = {name for option in command.params if isinstance(option, Option) for name in option.opts}
    return {name for name in own if name.startswith("--")}.union(*map(options_of, inner)) - OF_EVERY_COMMAND


def test_the_pages_name_every_option_of_the_command_line() -> None:
    assert isinstance(lorebase, Group)
    pages = "".join(page.read_text("utf-8") for page in DOCS.glob("*.md"))
    context = Context(lorebase)
    missing = {
        name: sorted(option for option in options_of(command) if not re.search(rf"{option}\b", pages))
        for name in lorebase.list_commands(context)
        if (command := lorebase.get_command(context, name)) is not None
    }
    assert {name: options for name, options in missing.items() if options} == {}


def test_the_page_on_formats_names_every_reason_for_having_no_text() -> None:
    kinds = [
        kind for kind in vars(intake_errors).values() if isinstance(kind, type) and issubclass(kind, LorebaseError)
    ]
    reasons = {kind.problem_type() for kind in kinds if issubclass(kind, ExtractionFailed)} - {"extraction-failed"}
    assert {reason for reason in reasons if f"`{reason}`" not in (DOCS / "formats.md").read_text("utf-8")} == set()
    assert reasons


def test_the_page_on_architecture_names_every_table_and_every_package() -> None:
    page = (DOCS / "architecture.md").read_text("utf-8")
    migrations = "".join(file.read_text("utf-8") for file in (ROOT / "chalicelib/database/migrations").glob("*.sql"))
    tables = set(re.findall(r"^create table (\w+) \(", migrations, re.MULTILINE))
    packages = {f"chalicelib/{module.parent.name}" for module in (ROOT / "chalicelib").glob("*/__init__.py")}
    assert {name for name in tables | packages if f"`{name}`" not in page} == set()
    assert len(tables) > 10
