"""Paths: what is taken as it is, and what is refused."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalicelib.items.errors import InvalidPath
from chalicelib.items.paths import checked_folder, checked_path, folder_of, name_of


@pytest.mark.parametrize(
    "path",
    [
        "a.md",
        "handbook/travel/guide.md",
        "q1 + q2/überblick (1).pdf",
        "x%2By.txt",
        "con.txt",
        ".htaccess",
        'semi;colon & quote\' "x".txt',
        "نص عربي.txt",
        "📊 Bericht 🚀.md",
        "...",
    ],
)
def test_odd_but_harmless_paths_stay_as_they_are(path: str) -> None:
    assert checked_path(path) == unicodedata.normalize("NFC", path)


@pytest.mark.parametrize(
    "path",
    [
        "",
        "/etc/passwd",
        "../../../../etc/cron.d/evil.txt",
        "a/../b",
        "a/./b",
        "a//b",
        "a/",
        "a\\b",
        "nul\x00.txt",
        "line\nbreak",
        "esc\x1b[2J",
        "\ud800",
        "evil\u202efdp.exe",
        " leading",
        "trailing /x",
        "x" * 1001,
        "ü" * 200,
        "/".join("a" * 40),
    ],
)
def test_paths_that_climb_hide_or_overflow_are_refused(path: str) -> None:
    with pytest.raises(InvalidPath) as raised:
        checked_path(path)
    assert raised.value.status == 422
    str(raised.value.members).encode()  # what is said of it can be sent


def test_composed_and_decomposed_accents_are_one_path() -> None:
    assert checked_path("u\u0308ber.md") == "\u00fcber.md"


@given(st.text(max_size=60))
def test_checking_twice_changes_nothing(path: str) -> None:
    try:
        checked = checked_path(path)
    except InvalidPath:
        return
    assert checked_path(checked) == checked


def test_the_root_folder_is_empty() -> None:
    assert [checked_folder(folder) for folder in ("", "/", "a/b/", "/a")] == ["", "", "a/b", "a"]


def test_a_path_is_its_folder_and_its_name() -> None:
    assert (folder_of("a/b/c.md"), name_of("a/b/c.md")) == ("a/b", "c.md")
