"""How hits are shown."""

import pytest

from chalicelib.cli.client import Json
from chalicelib.cli.search import marked_lines, places_of, reasons_of
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


@pytest.mark.parametrize(("flags", "said"), [({"lacks_vector": True}, "; no vector yet"), ({}, "")])
def test_a_score_is_explained_with_what_its_passage_lacks(flags: dict[str, bool], said: str) -> None:
    shares = {"lexical": 0.5, "semantic": 0.375}
    explanation = {"shares": shares, "words": {"bike": 2.0}, "factors": {}, "relevance": None, "exact": False}
    explained = reasons_of({**explanation, "lacks_vector": False, **flags}, score=0.875)
    assert explained == f"score 0.875 = 0.500 words + 0.375 meaning{said}; words: bike 2.0"


@pytest.mark.parametrize(
    ("hit", "expected"),
    [
        ((7, 25), ["   before", " \u2502 the hit", " \u2502 ", " \u2502 goes on", "   ", "   behind"]),
        ((0, 35), [" \u2502 before", " \u2502 the hit", " \u2502 ", " \u2502 goes on", " \u2502 ", " \u2502 behind"]),
        ((11, 14), ["   before", " \u2502 the hit", "   ", "   goes on", "   ", "   behind"]),
    ],
)
def test_the_lines_of_the_hit_are_told_from_those_around_it(hit: tuple[int, int], expected: list[str]) -> None:
    lines = list(marked_lines("before\nthe hit\r\n\ngoes on\n\x0cbehind", hit))
    assert [line.plain for line in lines] == expected


def test_what_of_a_line_is_not_the_hit_is_dim() -> None:
    (line,) = marked_lines("one two\x1b[2J three", (4, 7))
    dim = [line.plain[span.start : span.end] for span in line.spans if span.style == "dim"]
    assert (line.plain, dim) == (" \u2502 one two\\x1b[2J three", ["one ", "\\x1b[2J three"])


def test_a_widened_hit_is_marked_in_what_is_shown(served: CommandLine) -> None:
    sections = "\n\n".join(f"# Part {number}\n\n{'filler ' * 150}marker{number}." for number in range(3))
    (served.cwd / "a.md").write_text(sections)
    assert served.run("upload", "a.md").code == 0
    shown = served.run("search", "marker1", "--neighbours", "1", "--limit", "1").out.splitlines()
    marked = {line[:3] for line in shown if "marker1" in line}, {line[:3] for line in shown if "marker0" in line}
    assert marked == ({" \u2502 "}, {"   "})


def test_filters_that_nothing_passes_are_told_from_words_that_nothing_has(served: CommandLine) -> None:
    (served.cwd / "a.md").write_text("# A\n\nA sentence.\n")
    assert served.run("upload", "a.md", "--tag", "kept", "--class", "style").code == 0
    for options in (["--tag", "kept", "--tag", "lost"], ["--class", "legal"], ["--language", "fr"], ["--kind", "page"]):
        found = served.run("search", "sentence", *options)
        assert (options, found.code, found.err) == (options, 0, "Nothing found.\nNo item passes the filters.\n")
    missed = served.run("search", "zebra", "--tag", "kept", "--class", "style", "--kind", "file")
    assert (missed.code, missed.err) == (0, "Nothing found.\n")
