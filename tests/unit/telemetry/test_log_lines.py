"""Log lines are one JSON object each, or readable; they say where errors came from, and nothing that errors quote."""

import json
import logging
import re
from collections.abc import Iterator
from io import StringIO

import psycopg
import pytest

from chalicelib.telemetry.correlation import correlated
from chalicelib.telemetry.log_lines import JsonLines, ReadableLines, write_log_lines

SECRET = "the body of a page"


@pytest.fixture(autouse=True)
def untouched_loggers() -> Iterator[None]:
    root, handlers = logging.getLogger(), logging.getLogger().handlers[:]
    loggers = [root, *(logging.getLogger(name) for name in ("chalicelib", "functions", "app"))]
    levels = [logger.level for logger in loggers]
    yield
    root.handlers[:] = handlers
    for logger, level in zip(loggers, levels, strict=True):
        logger.setLevel(level)


def fail() -> None:
    try:
        raise psycopg.errors.UniqueViolation(f"Key (body)=({SECRET}) already exists.")
    except psycopg.Error as error:
        raise ValueError(f"cannot keep {SECRET}") from error


def logged_failure() -> logging.LogRecord:
    try:
        fail()
    except ValueError as error:
        return logging.LogRecord(
            "chalicelib.a", logging.ERROR, __file__, 1, "It failed.", None, (type(error), error, error.__traceback__)
        )
    raise AssertionError


def test_a_line_is_one_json_object_with_the_id_of_the_request() -> None:
    stream = StringIO()
    write_log_lines(JsonLines(), level="INFO", stream=stream)
    with correlated("request-1"):
        logging.getLogger("chalicelib.a").info("two\nlines %d", 7, extra={"route": "GET /v1/me"})
    line = json.loads(stream.getvalue())
    assert stream.getvalue().count("\n") == 1
    assert line.pop("timestamp").endswith("+00:00")
    assert line == {
        "level": "INFO",
        "logger": "chalicelib.a",
        "message": "two\nlines 7",
        "correlation_id": "request-1",
        "route": "GET /v1/me",
    }


@pytest.mark.parametrize("lines", [JsonLines(), ReadableLines()], ids=["json", "readable"])
def test_an_error_keeps_its_classes_and_its_way_and_loses_its_message(lines: logging.Formatter) -> None:
    said = lines.format(logged_failure())
    assert SECRET not in said
    assert "builtins.ValueError" in said
    assert "psycopg.errors.UniqueViolation" in said
    assert said.count(f"{__file__}:") == 3


def test_other_packages_are_kept_from_saying_more_than_warnings() -> None:
    stream = StringIO()
    write_log_lines(ReadableLines(), level="DEBUG", stream=stream)
    logging.getLogger("botocore.endpoint").debug(SECRET)
    logging.getLogger("chalicelib.a").debug("ours")
    assert [line.endswith("DEBUG chalicelib.a: ours") for line in stream.getvalue().splitlines()] == [True]


class Unspeakable:
    def __str__(self) -> str:
        raise ValueError(SECRET)


def test_a_line_that_cannot_be_written_is_told_without_its_arguments() -> None:
    stream = StringIO()
    write_log_lines(JsonLines(), level="INFO", stream=stream)
    logging.getLogger("chalicelib.a").info("said", extra={"asked": Unspeakable()})
    assert re.fullmatch(r"chalicelib\.a:\d+ could not be logged: ValueError\n", stream.getvalue())


def test_the_handler_of_lambdas_runtime_goes() -> None:
    class LambdaLoggerHandler(logging.Handler):
        __module__ = "awslambdaric.bootstrap"

    handler = LambdaLoggerHandler()
    logging.getLogger().addHandler(handler)
    write_log_lines(JsonLines(), level="INFO", stream=StringIO())
    assert handler not in logging.getLogger().handlers


def test_the_handler_of_before_is_replaced() -> None:
    first, second = StringIO(), StringIO()
    write_log_lines(JsonLines(), level="INFO", stream=first)
    write_log_lines(JsonLines(), level="WARNING", stream=second)
    logging.getLogger("chalicelib.a").warning("once")
    logging.getLogger("chalicelib.a").info("never")
    assert (first.getvalue(), second.getvalue().count("\n")) == ("", 1)


@pytest.mark.parametrize("lines", [JsonLines(), ReadableLines()], ids=["json", "readable"])
def test_what_is_logged_neither_begins_a_line_nor_commands_a_terminal(lines: logging.Formatter) -> None:
    hostile = "a.md\n2026-01-01 CRITICAL forged\x1b[2J\x9b31m\u2028\u202e\ud800 ü"
    record = logging.makeLogRecord({"msg": "Took %s.", "args": (hostile,), "path": hostile})
    said = lines.format(record)
    assert said.isprintable()
    assert said.count("forged") == 2
    assert said.count("ü") == 2
    said.encode()
    if isinstance(lines, JsonLines):
        assert json.loads(said)["path"] == hostile
