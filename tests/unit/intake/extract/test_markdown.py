from pathlib import Path

import pytest

from chalicelib.intake.extract.headings import first_heading
from chalicelib.intake.extract.markdown import read_front_matter
from tests.fixtures.documents import read


@pytest.fixture
def note(tmp_path: Path) -> Path:
    return tmp_path / "my note.md"


def test_front_matter_becomes_metadata_and_the_body_stays_verbatim(note: Path) -> None:
    found = read(note, "---\r\ntitle: T\ndate: 2024-05-06\ntags: [a, b]\n---\n\n#  B \n  text\n")
    assert found.metadata == {"title": "T", "date": "2024-05-06", "tags": ["a", "b"]}
    assert (found.title, found.body) == ("T", "\n#  B \n  text\n")


@pytest.mark.parametrize(
    ("yaml", "why"),
    [
        ("a: [1", "flow sequence"),
        ("just words", "no mapping"),
        ("a: &a [x]\nb: *a", "aliases"),
        ("a: " + "[" * 65 + "]" * 65, "64 levels"),
        ("a: !!python/object:os.system x", "python/object"),
        ("d: 2024-99-99", "month"),
    ],
)
def test_broken_front_matter_stays_as_text_and_is_named(note: Path, yaml: str, why: str) -> None:
    text = f"---\n{yaml}\n---\n# Title\n"
    found = read(note, text)
    assert (found.body, found.metadata, found.title) == (text, {}, "Title")
    assert [each.code for each in found.warnings] == ["front_matter_broken"]
    assert why in found.warnings[0].detail


def test_an_alias_bomb_is_refused_before_it_unfolds() -> None:
    bomb = "\n".join(
        [f"a0: &a0 [x{', x' * 9}]", *(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 30))]
    )
    with pytest.raises(ValueError, match="aliases"):
        read_front_matter(bomb)


def test_a_rule_at_the_start_is_no_front_matter(note: Path) -> None:
    assert read(note, "---\ntext without an end\n").metadata == {}


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("# One #\n", "One"),
        ("# C#\n", "C#"),
        ("#no heading\n# Yes", "Yes"),
        ("# ##\n# Second", "Second"),
        ("## Two\nSet\n===\n", "Set"),
        ("```\n# fenced\n```\n# Out", "Out"),
        ("~~~\n```\n# fenced\n", None),
        ("    # code\n", None),
        ("# Set up <em>before</em> `on_boarding` [here](https://x.example)\n", "Set up before on_boarding here"),
        ("Set *up*\n===\n", "Set up"),
        ('# <img src="logo.png">\n# Brand\n', "Brand"),
    ],
)
def test_the_title_is_the_first_level_one_heading_outside_fences(text: str, title: str | None) -> None:
    assert first_heading(text) == title


def test_a_title_in_front_matter_is_shown_without_markup(note: Path) -> None:
    assert read(note, "---\ntitle: Set up <em>before</em> A &amp; B\n---\n# Other\n").title == "Set up before A & B"
    assert read(note, '---\ntitle: "<br>"\n---\n# Other\n').title == "Other"
    assert read(note, "---\ntitle: Set up <em>before</em>\n---\nx\n").metadata == {"title": "Set up <em>before</em>"}


def test_without_any_title_the_file_name_is_it(note: Path) -> None:
    assert read(note, "words").title == "my note"
