"""What reaches a terminal does not steer it."""

import json
import re
from pathlib import Path

import pytest

from chalicelib.cli.search import highlighted
from chalicelib.cli.text import as_json, harmless, harmless_body, money_of, size_of


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("\x1b[2Jgone", "\\x1b[2Jgone"),
        ("\x9b31mred", "\\x9b31mred"),
        ("two\r\nlines\tand a tab", "two lines and a tab"),
        ("txt.\u202eexe", "txt.\\u202eexe"),
        ("bad\udce4name", "bad\\udce4name"),
        ("[bold]not markup[/bold]", "[bold]not markup[/bold]"),
        ("日本 über", "日本 über"),
    ],
)
def test_harmful_characters_are_shown_as_escapes(text: str, expected: str) -> None:
    assert expected == harmless(text)


@pytest.mark.parametrize(
    ("amount", "shown"),
    [
        ("0.2255975", "0.23"),
        ("20", "20.00"),
        ("1234567.895", "1,234,567.90"),
        ("0.00412", "0.0041"),
        ("0.1", "0.10"),
        ("4E-7", "0.00000040"),
        ("0", "0.00"),
        ("0E-6", "0.00"),
    ],
)
def test_money_is_rounded_for_people(amount: str, shown: str) -> None:
    assert money_of(amount) == shown


def test_no_command_shows_money_as_it_comes() -> None:
    sources = (Path(__file__).parents[3] / "chalicelib" / "cli").glob("*.py")
    shown = re.compile(r"\{(?!money_of\()[^{}]*\['(?:\w*cost|money\w*)'\][^{}]*\}")
    assert [(source.name, found[0]) for source in sources for found in shown.finditer(source.read_text("utf-8"))] == []


def test_body_keeps_lines_and_tabs() -> None:
    assert harmless_body("a\n\tb\r\n\x1b]0;title\x07") == "a\n\tb\n\\x1b]0;title\\x07"


def test_json_is_the_same_document_without_raw_controls() -> None:
    document = {"title": "\x1b[31m \x9b31m \u202e \x7f \udce4 ü\n"}

    printed = as_json(document)

    assert json.loads(printed) == document
    assert not set(printed) & set("\x1b\x9b\u202e\x7f\udce4")
    assert "ü" in printed


def test_highlights_stay_in_place_although_escapes_are_longer() -> None:
    text = highlighted("a\x1b[1mb travel\nc", [[7, 13]])

    assert text.plain == "a\\x1b[1mb travel c"
    assert [text.plain[span.start : span.end] for span in text.spans] == ["travel"]


def test_overlapping_highlights_are_shown_once() -> None:
    assert highlighted("travel costs", [[0, 6], [3, 9], [7, 12]]).plain == "travel costs"


def test_sizes_are_for_people() -> None:
    assert [size_of(count) for count in (0, 999, 1500, 2_000_000, 10_737_418_240)] == [
        "0 B",
        "999 B",
        "1.5 kB",
        "2.0 MB",
        "10.7 GB",
    ]
