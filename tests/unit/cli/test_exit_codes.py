"""One rule for exit codes, whatever the command: they tell the kind of problem."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click
import httpx
import pytest

from chalicelib.cli.client import Client
from chalicelib.cli.errors import ServerProblem, exit_code_of_all
from chalicelib.cli.main import lorebase, run
from chalicelib.cli.printing import Printer
from chalicelib.cli.session import Session
from chalicelib.settings import Settings
from tests.fixtures.served import CommandLine

_ID = "01a22b6f-1501-73d0-b9ff-fba7d0792ddb"
_ARGUMENTS: dict[str, Sequence[str]] = {
    "upload": ["README.md"],
    "search": ["x"],
    "list": [],
    "tree": [],
    "show": ["a.md"],
    "status": [],
    "delete": ["a.md", "--yes"],
    "trash": [],
    "restore": ["a.md"],
    "move-folder": ["a", "b"],
    "retry": ["a.md"],
    "jobs list": [],
    "jobs cancel": [_ID],
    "jobs redrive": [_ID],
    "keys list": [],
    "keys create": ["k"],
    "keys revoke": [_ID],
    "keys rotate": [_ID],
    "activity": [],
    "invitations list": [],
    "invitations accept": ["t", "Ann"],
    "invitations revoke": [_ID],
    "teams list": [],
    "teams create": ["t"],
    "teams rename": [_ID, "t"],
    "teams delete": [_ID, "--yes"],
    "teams members": ["t"],
    "teams add": ["t", "Ann"],
    "teams remove": ["t", "Ann"],
    "environments list": [],
    "environments create": ["e"],
    "environments delete": ["e"],
    "identity-providers list": [],
    "identity-providers create": ["https://issuer.example", "--audience", "a"],
    "identity-providers change": [_ID, "--link"],
    "identity-providers delete": [_ID],
    "identity-providers test": [_ID, "README.md"],
    "identity-providers members": [_ID],
    "identity-providers forget": [_ID, _ID],
    "access show": ["a.md"],
    "access set": ["a.md", "--restrict"],
    "access list": [],
    "access forget": ["a/", "--yes"],
    "access why": ["a/"],
    "access readers": ["a.md"],
    "grant": ["a.md", "--to", "member:Ann"],
    "grants": ["a.md"],
    "revoke": ["a.md", "member:Ann"],
    "knowledge-bases list": [],
    "knowledge-bases create": ["k"],
    "knowledge-bases show": ["k"],
    "knowledge-bases change": ["k", "--name", "l"],
    "knowledge-bases delete": ["k"],
    "knowledge-bases add": ["k", "a.md"],
    "knowledge-bases remove": ["k", "a.md"],
    "knowledge-bases assign": ["k", "Scout"],
    "knowledge-bases unassign": ["k", "Scout"],
    "knowledge-bases grant": ["k", "--to", "member:Ann"],
    "knowledge-bases grants": ["k"],
    "knowledge-bases revoke": ["k", "member:Ann"],
    "citations of": ["a.md"],
    "citations by": ["page", "1"],
    "citations answer": [_ID],
    "workspaces list": [],
    "workspaces create": ["w"],
    "members list": [],
    "members add": ["agent", "Scout"],
    "members place": [_ID, "viewer"],
    "members remove": [_ID],
    "members environment": [_ID, "default"],
    "members invite": ["ann@example.org"],
    "members delete": [_ID, "--yes"],
    "contexts status": [],
    "contexts on": ["--yes"],
    "contexts off": [],
    "usage": [],
    "budget show": [],
    "budget set": ["--tokens", "1000"],
    "budget clear": [],
    "embedding show": [],
    "embedding change": ["e5-minilm/768", "--yes"],
    "embedding compare": [],
    "embedding swap": [],
    "embedding rollback": [],
    "embedding cancel": [],
    "embedding forget": ["--yes"],
    "reindex": [],
    "version": [],
}
_UNREACHABLE = 0
_CODES_BY_STATUS = {401: 4, 403: 4, 404: 3, 409: 1, 422: 1, 429: 5, 500: 5, 503: 5, _UNREACHABLE: 5}


def commands() -> list[str]:
    context = click.Context(lorebase)
    names = []
    for name in lorebase.list_commands(context):
        command = lorebase.get_command(context, name)
        names += [f"{name} {leaf}" for leaf in command.commands] if isinstance(command, click.Group) else [name]
    return names


@pytest.fixture
def answer(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[[int], None]:
    """Makes every request end with a problem of this status."""

    def make(status: int) -> None:
        def handle(request: httpx.Request) -> httpx.Response:
            if status == _UNREACHABLE:
                raise httpx.ConnectError("refused", request=request)
            problem = {"type": "urn:lorebase:problem:some", "title": "T", "status": status, "detail": "Some detail."}
            return httpx.Response(status, json=problem)

        def open_session(*, wants_json: bool, **_: Any) -> Session:
            client = Client(
                "http://127.0.0.1:1", lambda: "k", transport=httpx.MockTransport(handle), pause=lambda _: None
            )
            return Session(client, Printer(wants_json), Settings(data_folder=tmp_path), workspace=_ID)

        monkeypatch.setattr("chalicelib.cli.session.open_session", open_session)

    return make


def test_every_command_that_asks_the_server_is_tried_here() -> None:
    assert sorted(commands()) == sorted([*_ARGUMENTS, "evaluate", "recover-key", "serve"])


@pytest.mark.parametrize("command", _ARGUMENTS)
@pytest.mark.parametrize("status", _CODES_BY_STATUS)
def test_the_kind_of_problem_decides_the_code(
    command: str, status: int, answer: Callable[[int], None], capsys: pytest.CaptureFixture[str]
) -> None:
    if command == "version" and status == _UNREACHABLE:
        pytest.skip("tells the command's own version, and that no server answers")
    answer(status)
    assert run([*command.split(), *_ARGUMENTS[command]]) == _CODES_BY_STATUS[status]
    said = capsys.readouterr().err.splitlines()
    assert [line.startswith("lorebase: ") for line in said if not line.startswith("Workspace: ")] == [True]


@pytest.mark.parametrize(
    ("statuses", "is_any_done", "expected"),
    [([], True, 0), ([404, 404], False, 3), ([404], True, 1), ([404, 409], False, 1), ([503], False, 5)],
)
def test_of_several_problems_the_code_tells_the_common_kind(
    statuses: list[int], *, is_any_done: bool, expected: int
) -> None:
    errors = [ServerProblem({}, status=status) for status in statuses]
    assert exit_code_of_all(errors, is_any_done=is_any_done) == expected


def test_a_viewer_is_told_once_that_it_may_not(served: CommandLine) -> None:
    for name in ("a.md", "b.md"):
        (served.cwd / name).write_text(f"# {name}\n\nText.\n")
    assert served.run("upload", "a.md", "b.md").code == 0
    viewer = served.run("members", "add", "agent", "Scout", "--json").json["id"]
    served.run("members", "place", viewer, "viewer")
    key = served.run("keys", "create", "scout", "--member", viewer, "--scope", "write", "--json").json["token"]
    (served.cwd / "a.md").write_text("# A\n\nOther text.\n")

    for arguments in (
        ["upload", "a.md"],
        ["delete", "a.md", "b.md", "--yes"],
        ["retry", "a.md", "b.md"],
        ["jobs", "list"],
        ["members", "add", "agent", "Other"],
        ["workspaces", "create", "other"],
    ):
        ran = served.run(*arguments, LOREBASE_KEY=key)
        refusals = [line for line in (ran.out + ran.err).splitlines() if "lorebase: " in line or "failed  " in line]
        assert (arguments[0], ran.code, len(refusals)) == (arguments[0], 4, 1)
    assert served.run("list", "--json").json["items"][0]["revision"] == 1
