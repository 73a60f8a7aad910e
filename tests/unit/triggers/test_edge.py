"""The edge of a function: log lines bear its id, and what Lambda writes out quotes nothing."""

import logging
from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

import pytest

from chalicelib.telemetry.correlation import current_correlation_id
from chalicelib.triggers.edge import FunctionFailed, at_the_edge


@at_the_edge
def answer(event: Mapping[str, Any]) -> str | None:
    if "fails" in event:
        raise ValueError(event["fails"])
    return current_correlation_id()


def test_the_id_of_the_invocation_is_that_of_log_lines() -> None:
    assert answer({}, SimpleNamespace(aws_request_id="invocation-1")) == "invocation-1"
    assert answer({}) is None


def test_an_error_is_logged_and_raised_without_what_it_quotes(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR), pytest.raises(FunctionFailed) as raised:
        answer({"fails": "a secret"}, SimpleNamespace(aws_request_id="invocation-1"))
    assert str(raised.value) == "ValueError; the log has the rest under invocation-1."
    assert raised.value.__suppress_context__
    (record,) = caplog.records
    assert record.exc_info is not None
    assert isinstance(record.exc_info[1], ValueError)
