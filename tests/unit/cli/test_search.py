"""How hits are shown, and what is said where there are none."""

from pathlib import Path
from typing import Any

import httpx
import pytest

from chalicelib.cli.client import Client, Json
from chalicelib.cli.main import run
from chalicelib.cli.printing import Printer
from chalicelib.cli.search import marked_lines, on_their_way, places_of, reasons_of
from chalicelib.cli.session import Session
from chalicelib.items.model import IndexState
from chalicelib.settings import Settings
from tests.fixtures.served import CommandLine

_ID = "01a22b6f-1501-73d0-b9ff-fba7d0792ddb"


def status(**given: int) -> Json:
    """Return what the server counts."""
    states = {str(state): given.get(state, 0) for state in IndexState}
    uploads = {"pending": 0, "running": given.get("running", 0)}
    return {"items": states, "uploads": uploads, "embedding_space": "a/8"}


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


@pytest.mark.parametrize(
    ("shown", "mode", "said"),
    [
        (status(ready=5, text_ready=2, no_text=1, failed=1), "hybrid", ""),
        (status(pending=1), "hybrid", "1 document on the way"),
        (status(pending=1, indexing=2, running=3, text_ready=4), "lexical", "6 documents on the way"),
        (status(text_ready=1), "semantic", "1 item found by words alone so far"),
        ({**status(text_ready=1), "embedding_space": None}, "semantic", ""),
    ],
)
def test_what_cannot_be_found_yet_is_counted(shown: Json, mode: str, said: str) -> None:
    sentence = f"Not all is in search yet: {said}; `lorebase status` shows how far it is."
    assert on_their_way(shown, mode=mode) == (sentence if said else "")


@pytest.mark.parametrize(("arguments", "asked"), [([], 1), (["--json"], 0)])
def test_where_nothing_is_found_it_is_said_what_is_on_the_way(
    arguments: list[str], asked: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    paths: list[str] = []

    def handle(request: httpx.Request) -> httpx.Response:
        paths.append(request.url.path.rpartition("/")[2])
        me = {"organization": {"id": _ID}, "workspaces": [{"id": _ID, "slug": "main"}]}
        found = {"hits": [], "lanes": {}, "stages": {}, "mode": "hybrid"}
        return httpx.Response(200, json={"me": me, "search": found, "status": status(indexing=2)}[paths[-1]])

    def open_session(*, wants_json: bool, **_: Any) -> Session:
        client = Client("http://127.0.0.1:1", lambda: "k", transport=httpx.MockTransport(handle))
        return Session(client, Printer(wants_json), Settings(home=Path("/nowhere")))

    monkeypatch.setattr("chalicelib.cli.session.open_session", open_session)
    assert run(["search", "zebra", *arguments]) == 0
    assert paths.count("status") == asked
    said = "Nothing found.\nNot all is in search yet: 2 documents on the way;"
    assert (said in capsys.readouterr().err) == bool(asked)
