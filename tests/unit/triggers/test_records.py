import json
import logging
from typing import TYPE_CHECKING, Any

import pytest

from chalicelib.platform.errors import OriginalsUnavailable
from chalicelib.telemetry.correlation import current_correlation_id
from chalicelib.triggers.records import answer_records
from tests.fixtures.aws import sqs_event

if TYPE_CHECKING:
    from collections.abc import Mapping


def test_only_what_failed_comes_again(caplog: pytest.LogCaptureFixture) -> None:
    event = sqs_event(*({"number": number} for number in range(5)))
    seen: list[int] = []

    def is_done(record: "Mapping[str, Any]") -> bool:
        number = int(json.loads(record["body"])["number"])
        seen.append(number)
        if number == 1:
            raise OriginalsUnavailable("The bucket is out of reach.")
        if number == 3:
            raise ZeroDivisionError
        return number != 4

    with caplog.at_level(logging.WARNING):
        response = answer_records(event, is_done)
    ids = [record["messageId"] for record in event["Records"]]
    assert response == {"batchItemFailures": [{"itemIdentifier": ids[number]} for number in (1, 3, 4)]}
    assert seen == [0, 1, 2, 3, 4]
    assert [record.levelname for record in caplog.records] == ["WARNING", "ERROR"]
    assert all(ids[number] in caplog.text for number in (1, 3))


def test_an_empty_batch_fails_nothing() -> None:
    assert answer_records({"Records": []}, bool) == {"batchItemFailures": []}


@pytest.mark.parametrize("named", ["", None, 5, ["a"], {"a": 1}, "\ud800", "a\x00", "a\n\x1b[31m", "x" * 129])
def test_an_id_that_would_harm_rows_or_messages_gives_way_to_that_of_the_message(named: object) -> None:
    event = sqs_event({"correlation_id": named}, {"correlation_id": "request-1"})
    ids: list[str | None] = []

    def is_done(_: "Mapping[str, Any]") -> bool:
        ids.append(current_correlation_id())
        return True

    assert answer_records(event, is_done) == {"batchItemFailures": []}
    assert ids == [event["Records"][0]["messageId"], "request-1"]
