"""The command changes the embedding space of a server that offers two models."""

from pathlib import Path
from typing import Any

import httpx
import pytest

from chalicelib.cli.client import Client
from chalicelib.cli.main import run
from chalicelib.cli.printing import Printer
from chalicelib.cli.session import Session
from chalicelib.settings import Settings
from tests.fixtures.served import CommandLine

_WORKSPACE_ID = "01a22b6f-1501-73d0-b9ff-fba7d0792ddb"
_ME = {
    "organization": {"id": "01a22b6f-1501-73d0-b9ff-fba7d0792dda"},
    "workspaces": [{"id": _WORKSPACE_ID, "slug": "main"}],
}


@pytest.fixture
def embedding(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What the server shows; tests change it."""
    shown: dict[str, Any] = {
        "active": "b/8",
        "is_active_offered": True,
        "filling": None,
        "former": None,
        "offered": [],
        "progress": None,
        "better": "a/8",
    }

    def handle(request: httpx.Request) -> httpx.Response:
        return httpx.Response(200, json=_ME if request.url.path == "/v1/me" else shown)

    def open_session(*, wants_json: bool, **_: Any) -> Session:
        client = Client("http://127.0.0.1:1", lambda: "k", transport=httpx.MockTransport(handle))
        return Session(client, Printer(wants_json), Settings(home=Path("/nowhere")))

    monkeypatch.setattr("chalicelib.cli.session.open_session", open_session)
    return shown


def test_without_an_embedder_words_find_and_no_change_begins(served: CommandLine) -> None:
    shown = served.run("embedding", "show", "--json")
    assert (shown.code, shown.json["active"], shown.json["offered"]) == (0, None, [])
    refused = served.run("embedding", "change", "unheard-of/8", "--yes", "--json")
    assert (refused.code, refused.problem["type"]) == (1, "urn:lorebase:problem:embedding-space-unknown")
    assert served.run("embedding", "rollback").code == 3
    assert served.run("embedding", "forget").code == 2


def test_nothing_is_stale_unless_chunks_have_another_size(served: CommandLine) -> None:
    (served.cwd / "a.md").write_text("# A\n\nA sentence.\n")
    assert served.run("upload", "a.md").code == 0
    done = served.run("reindex")
    assert (done.code, done.out) == (0, "indexed again  0 of 0 items\n")


def test_another_default_is_pointed_at_unless_the_way_back_leads_there(
    embedding: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["embedding", "show"]) == 0
    assert "`lorebase embedding change a/8`" in capsys.readouterr().err
    embedding["former"] = "a/8"
    assert run(["embedding", "show"]) == 0
    told = capsys.readouterr()
    assert (told.out, told.err) == ("active   b/8\nformer   a/8\n", "")


def test_what_blocks_a_change_is_told_with_the_name_of_its_workspace(
    embedding: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    problems = [{"workspace_id": name, "detail": "It died."} for name in (_WORKSPACE_ID, "elsewhere")]
    embedding["progress"] = {"state": "blocked", "problems": problems, "failures": {}}
    assert run(["embedding", "show"]) == 0
    told = capsys.readouterr().out.splitlines()
    assert told[1:] == ["problem  workspace main: It died.", "problem  workspace elsewhere: It died."]
