"""How hits are shown."""

import pytest

from chalicelib.cli.client import Json
from chalicelib.cli.search import places_of
from tests.fixtures.served import CommandLine


@pytest.mark.parametrize(
    ("hit", "expected"),
    [
        ({"lanes": {"lexical": {"rank": 1}, "semantic": {"rank": 3}}, "weak": False}, "words 1, meaning 3"),
        ({"lanes": {"lexical": {"rank": 2}}, "weak": False}, "words 2"),
        ({"lanes": {"semantic": {"rank": 1}}, "weak": True}, "meaning 1; weak match"),
    ],
)
def test_a_hit_tells_at_which_place_each_lane_has_it(hit: Json, expected: str) -> None:
    assert places_of(hit) == expected


def test_filters_that_nothing_passes_are_told_from_words_that_nothing_has(served: CommandLine) -> None:
    (served.cwd / "a.md").write_text("# A\n\nA sentence.\n")
    assert served.run("upload", "a.md", "--tag", "kept", "--class", "style").code == 0
    for options in (["--tag", "kept", "--tag", "lost"], ["--class", "legal"], ["--language", "fr"], ["--kind", "page"]):
        found = served.run("search", "sentence", *options)
        assert (options, found.code, found.err) == (options, 0, "Nothing found.\nNo item passes the filters.\n")
    missed = served.run("search", "zebra", "--tag", "kept", "--class", "style", "--kind", "file")
    assert (missed.code, missed.err) == (0, "Nothing found.\n")
