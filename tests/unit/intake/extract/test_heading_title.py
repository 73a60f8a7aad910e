"""A heading is shown as its reader sees it: without markup, on one line, and not endless."""

import pytest

from chalicelib.intake.extract.heading_title import LONGEST_TITLE, heading_title, without_tags
from tests.fixtures.effort import least_seconds


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
        ("See <https://x.example/a?b=c>, <me@x.example>", "See https://x.example/a?b=c, me@x.example"),
        ("Line<br/>break, <hr /> and a < b > c", "Linebreak, and a < b > c"),
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


@pytest.mark.parametrize(
    ("title", "shown"),
    [
        ("Set up <em>before</em> onboarding", "Set up before onboarding"),
        ('<span class="x"><b>Bold <i>and</i></b> more</span> &amp; 5 &lt; 6', "Bold and more & 5 < 6"),
        ("<em>: The Emphasis element", "<em>: The Emphasis element"),
        ("Vec<T> and __init__, *args, AT&T and R&notes", "Vec<T> and __init__, *args, AT&T and R&notes"),
        ("<b>a</i>", "<b>a</i>"),
    ],
)
def test_a_title_loses_its_tags_and_no_word(title: str, shown: str) -> None:
    assert without_tags(title) == shown


@pytest.mark.parametrize("unit", ["<b>", "<b", "<i>x</i>", "&", "<span ", "</b>"])
def test_a_giant_title_is_read_in_little_time(unit: str) -> None:
    assert least_seconds(lambda: without_tags(unit * 20_000), enough=0.5) < 0.5


@pytest.mark.parametrize(
    "unit", ["word ", "x", "*a ", "_a ", "`a", "[", "<!--", "<a ", "<a:", "<a@", "{#", "\\", "長", " "]
)
def test_a_giant_heading_is_cut_and_read_in_little_time(unit: str) -> None:
    giant = unit * 200_000
    assert len(heading_title(giant)) <= LONGEST_TITLE
    assert least_seconds(lambda: heading_title(giant), enough=0.5) < 0.5
