"""Cases D-EXT-1, 2, 4 to 7 and D-ING-2, at the level of extraction."""

from collections.abc import Callable
from pathlib import Path

import pytest

from chalicelib.intake.errors import NoTextFound, PasswordRequired
from chalicelib.intake.extract.formats import extract
from chalicelib.intake.extract.model import Extract, ExtractLimits
from chalicelib.intake.sniff import sniff_file
from chalicelib.items.hygiene import clean_json

Read = Callable[[str], Extract]


@pytest.fixture
def read(shared: Path) -> Read:
    def read_input(name: str) -> Extract:
        path = shared / "cases" / "inputs" / name
        return extract(path, sniff_file(path, name), filename=name, limits=ExtractLimits())

    return read_input


def test_d_ing_2_nul_is_removed_and_counted(read: Read) -> None:
    found = read("nul.txt")
    assert "oer credits" in found.body
    assert [(each.code, each.count) for each in found.warnings] == [("nul", 2)]
    assert clean_json({"author": "A\x00B"}) == ({"author": "AB"}, {"nul": 1})


def test_d_ext_1_csv_with_line_ends_and_a_long_cell_is_taken(read: Read) -> None:
    assert "line one\nline two" in read("newline.csv").body
    assert len(read("longcell.csv").body) > 140_000


def test_d_ext_2_utf8_is_tried_over_the_whole_content(read: Read) -> None:
    found = read("late_utf8.txt")
    assert found.body.rstrip().endswith("café — naïve")
    assert found.charset == "utf-8"


def test_d_ext_4_content_controls_and_insertions_are_read_in_order(read: Read) -> None:
    body = read("controls.docx").body
    for words in ("CONTROLLED-PARA", "NESTED-CELL", "HEADER-CELL", "INSERTED-200"):
        assert body.count(words) == 1
    assert "DELETED-100" not in body


def test_d_ext_5_owner_password_opens_and_user_password_is_named(read: Read) -> None:
    assert "Owner locked text" in read("owner_only.pdf").body
    with pytest.raises(PasswordRequired) as refused:
        read("needs_password.pdf")
    assert refused.value.reason == "password_required"


@pytest.mark.parametrize("name", ["scan.pdf", "empty.txt", "blank.md"])
def test_d_ext_6_no_text_is_said(read: Read, name: str) -> None:
    with pytest.raises(NoTextFound):
        read(name)


def test_d_ext_6_the_page_without_text_is_named(read: Read) -> None:
    found = read("mixed.pdf")
    assert len(found.page_starts) == 4
    assert [(each.code, each.count) for each in found.warnings] == [("pages_without_text", 1)]
    assert "Page 3 " in found.warnings[0].detail


def test_d_ext_7_lists_headings_and_code_survive_boilerplate_removal(read: Read) -> None:
    body = read("main.html").body
    places = [body.index(words) for words in ("## Your rights", "- RIGHT-TO-ACCESS", "    return 1", "3. STEP-THREE")]
    assert places == sorted(places)
    assert not any(words in body for words in ("SCRIPT-TEXT", "Pricing", "cookies", "Imprint"))
