"""A heading is shown as its reader sees it: without markup, on one line, and not endless."""

import time

import pytest

from chalicelib.index.heading_title import LONGEST_TITLE, heading_title


@pytest.mark.parametrize(
    ("source", "title"),
    [
        ("Plain", "Plain"),
        ("With {#anchor}", "With"),
        ("With {: #id .class }", "With"),
        ("A [link](https://x.example/a_(b) 'title') here", "A link here"),
        ("[Leave][ref] and [[page|its name]]", "Leave and its name"),
        ("![Logo](logo.png) Brand", "Logo Brand"),
        ('<a name="x"></a>Anchored <em>text</em><!-- note -->', "Anchored text"),
        ("**Bold**, *slanted*, ***both***, ~~gone~~", "Bold, slanted, both, gone"),
        ("The _whole phrase_ and snake_case_name", "The whole phrase and snake_case_name"),
        ("`__init__` and __repr__ and __two words__", "__init__ and __repr__ and two words"),
        ("``a ` tick`` *x*", "a ` tick x"),
        (r"Not \*slanted\* &amp; safe", "Not *slanted* & safe"),
        ("2 * 3 * 4 < 5 > x", "2 * 3 * 4 < 5 > x"),
        ("over\n  two   lines", "over two lines"),
    ],
)
def test_markup_is_read_away_and_names_stay(source: str, title: str) -> None:
    assert heading_title(source) == title


@pytest.mark.parametrize("unit", ["word ", "x", "*a ", "_a ", "`a", "[", "<!--", "<a ", "{#", "\\", "長", " "])
def test_a_giant_heading_is_cut_and_read_in_little_time(unit: str) -> None:
    started = time.process_time()
    title = heading_title(unit * 200_000)
    assert len(title) <= LONGEST_TITLE
    assert time.process_time() - started < 0.5
