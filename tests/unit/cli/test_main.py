"""The command by itself: its start, its usage, its exit codes without a server."""

import importlib
import os
import re
import subprocess
import sys

import click
import pytest

from chalicelib.cli.main import lorebase
from tests.fixtures.served import COMMAND, CommandLine


def test_help_loads_neither_server_nor_client(command_line: CommandLine) -> None:
    script = (
        "import sys; from chalicelib.cli.main import run; code = run(['--help']);"
        " heavy = {'httpx', 'rich', 'pydantic', 'psycopg', 'chalice', 'boto3'} & set(sys.modules);"
        " sys.exit(f'loaded {heavy}' if heavy else code)"
    )

    done = subprocess.run(
        [sys.executable, "-c", script], env=command_line.variables(), capture_output=True, text=True, check=False
    )

    assert (done.returncode, done.stderr) == (0, "")
    assert "upload" in done.stdout


@pytest.mark.parametrize("name", lorebase.list_commands(click.Context(lorebase)))
def test_every_command_is_there_and_takes_json_but_the_server(name: str) -> None:
    context = click.Context(lorebase)
    command = lorebase.get_command(context, name)
    assert command is not None
    leaves = [*command.commands.values()] if isinstance(command, click.Group) else [command]
    for leaf in leaves:
        options = {option for parameter in leaf.params for option in parameter.opts}
        assert ("--json" in options) == (name != "serve")
        assert leaf.help


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["search"], 2, "Missing argument"),
        (["search", "x", "--limit", "0"], 2, "--limit"),
        (["nonsense"], 2, "nonsense"),
        (["upload", "missing.md"], 2, "missing.md"),
        (["upload", ".", "--to", "../up"], 2, "--to"),
        (["status"], 4, "lorebase serve"),
        (["status", "--key", "lb_x", "--endpoint", "http://127.0.0.1:1"], 5, "lorebase serve"),
        (["status", "--endpoint", "https://example.org"], 4, "LOREBASE_KEY"),
        (["status", "--key", ""], 4, "--key is set but empty"),
        (["--key", "", "status"], 4, "--key is set but empty"),
        (["upload", "."], 1, "no files"),
    ],
)
def test_exit_code_and_message_tell_what_went_wrong(
    command_line: CommandLine, arguments: list[str], code: int, says: str
) -> None:
    ran = command_line.run(*arguments)

    assert (ran.code, ran.out) == (code, "")
    assert says in ran.err
    assert "Traceback" not in ran.err


@pytest.mark.parametrize("position", [0, 1])
def test_problem_is_a_document_where_json_is_asked_for(command_line: CommandLine, position: int) -> None:
    arguments = ["status"]
    arguments.insert(position, "--json")

    ran = command_line.run(*arguments)

    assert (ran.code, ran.problem["type"], ran.problem["status"]) == (4, "urn:lorebase:problem:key-missing", 401)
    usage = command_line.run("search", "--json")
    assert (usage.code, usage.problem["type"]) == (2, "urn:lorebase:problem:wrong-usage")


@pytest.mark.parametrize(("name", "value"), [("LOREBASE_PORT", "many"), ("LOREBASE_CORS_ORIGINS", "https://a.example")])
def test_setting_that_makes_no_sense_is_named(command_line: CommandLine, name: str, value: str) -> None:
    ran = command_line.run("status", **{name: value})

    assert ran.code == 2
    assert f"A setting is wrong: {name}: " in ran.err
    assert "Traceback" not in ran.err


def test_setting_that_is_refused_by_a_rule_of_ours_is_told_in_our_words(command_line: CommandLine) -> None:
    ran = command_line.run("status", LOREBASE_LANGUAGE_MODEL="gpt")

    assert "wrong: LOREBASE_LANGUAGE_MODEL: a model is named as provider:model, or none\n" in ran.err


@pytest.mark.parametrize("arguments", [["--help"], ["search", "--help"], ["version"], ["version", "--json"]])
def test_reader_that_went_away_is_no_failure_of_ours(command_line: CommandLine, arguments: list[str]) -> None:
    reading_end, writing_end = os.pipe()
    os.close(reading_end)
    try:
        done = subprocess.run(
            [*COMMAND, *arguments],
            env=command_line.variables(LOREBASE_ENDPOINT="http://127.0.0.1:1"),
            stdout=writing_end,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    finally:
        os.close(writing_end)

    assert (done.returncode, done.stderr) == (141, "")


def test_set_but_empty_key_is_refused(command_line: CommandLine) -> None:
    ran = command_line.run("status", LOREBASE_KEY="")

    assert ran.code == 4
    assert "LOREBASE_KEY is set but empty" in ran.err


def test_serve_command_leads_to_the_server() -> None:
    assert callable(importlib.import_module("chalicelib.cli.serve").serve)


def test_the_version_of_the_command_takes_no_server_and_no_key(command_line: CommandLine) -> None:
    ran = command_line.run("--version")
    assert (ran.code, ran.err) == (0, "")
    assert re.fullmatch(r"lorebase \d[\w.+]*\n", ran.out)
