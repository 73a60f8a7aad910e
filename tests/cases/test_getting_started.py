"""The commands of docs/getting-started.md do what the page shows."""

import re
import shlex
from pathlib import Path

import pytest

from tests.fixtures.served import CommandLine, command_line, served

__all__ = ["command_line", "served"]

_ROOT = Path(__file__).resolve().parents[2]
_PAGE = (_ROOT / "docs" / "getting-started.md").read_text("utf-8")
_ID = r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_VARYING = ("search", "status")
"""What these print depends on the model, and on how long the pages are."""


def shown_commands() -> list[tuple[list[str], str]]:
    """Return each `lorebase` command of the page with what the page shows of its output."""
    commands: list[tuple[list[str], str]] = []
    for block in re.findall(r"```console\n(.*?)```", _PAGE, re.DOTALL):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE):
            line, _, output = part.partition("\n")
            if line.startswith("lorebase "):
                commands.append((shlex.split(line)[1:], output))
    return commands


def skeleton(text: str) -> str:
    """Leave out what differs from one run to the next."""
    text = re.sub(r"lb_[\w-]+|lb_…", "TOKEN", re.sub(_ID, "ID", text))
    return re.sub(r"\d+", "N", text)


@pytest.mark.slow
def test_each_command_of_the_page_runs_and_says_what_is_shown(served: CommandLine) -> None:
    served.cwd = _ROOT
    commands = shown_commands()
    assert {arguments[0] for arguments, _ in commands} >= {"upload", "search", "status", "delete", "members", "keys"}
    member = ""
    for arguments, shown in commands:
        ran = served.run(*[re.sub(_ID, member, argument) for argument in arguments])
        assert (arguments, ran.code) == (arguments, 0)
        member = member or (re.search(_ID, ran.out) or [""])[0]
        if arguments[0] not in _VARYING:
            assert sorted(skeleton(ran.out + ran.err).splitlines()) == sorted(skeleton(shown).splitlines())
