import json
import logging
from collections.abc import Mapping
from typing import Any

import pytest

from chalicelib.platform.errors import OriginalNotFound, OriginalsUnavailable
from chalicelib.triggers.records import handle_records
from tests.fixtures.aws import sqs_event


def test_only_what_failed_comes_again(caplog: pytest.LogCaptureFixture) -> None:
    event = sqs_event(*({"number": number} for number in range(5)))
    seen: list[int] = []

    def handle(record: Mapping[str, Any]) -> None:
        number = json.loads(record["body"])["number"]
        seen.append(number)
        if number == 1:
            raise OriginalsUnavailable("The bucket is out of reach.")
        if number == 2:
            raise OriginalNotFound("The original is gone.")
        if number == 3:
            raise ZeroDivisionError

    with caplog.at_level(logging.WARNING):
        response = handle_records(event, handle)
    ids = [record["messageId"] for record in event["Records"]]
    assert response == {"batchItemFailures": [{"itemIdentifier": ids[1]}, {"itemIdentifier": ids[3]}]}
    assert seen == [0, 1, 2, 3, 4]
    assert [record.levelname for record in caplog.records] == ["WARNING", "WARNING", "ERROR"]
    assert all(ids[number] in caplog.text for number in (1, 2, 3))


def test_an_empty_batch_fails_nothing() -> None:
    assert handle_records({"Records": []}, print) == {"batchItemFailures": []}
