"""One id from a request through the job and its message to the worker's log, and what all of them measure."""

import io
import json
import logging
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from chalicelib.bootstrap import install_application
from chalicelib.platform.aws.doorbell import message_of
from chalicelib.platform.ports import Ring
from chalicelib.telemetry.log_lines import JsonLines
from chalicelib.telemetry.metrics import Metrics
from chalicelib.triggers.jobs import perform_jobs
from chalicelib.triggers.originals import Reception, receive_originals
from tests.fixtures.api import Api
from tests.fixtures.aws import sqs_event, sqs_record
from tests.fixtures.jobs import RememberingDoorbell
from tests.fixtures.reception import object_created

REQUEST = "request-of-a-test"


@pytest.fixture
def lines() -> Iterator[list[dict[str, Any]]]:
    written: list[dict[str, Any]] = []

    class Keeper(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            written.append(json.loads(JsonLines().format(record)))

    keeper = Keeper()
    logging.getLogger("chalicelib").addHandler(keeper)
    yield written
    logging.getLogger("chalicelib").removeHandler(keeper)


@pytest.fixture
def measured(whole_api: Api) -> io.StringIO:
    stream = io.StringIO()
    whole_api.application = replace(whole_api.application, metrics=Metrics(stage="test", is_on=True, stream=stream))
    install_application(whole_api.application)
    return stream


def values_of(stream: io.StringIO) -> dict[str, float]:
    known = ("Items", "Uploads", "Files", "Jobs", "Search", "Lexical", "Semantic", "Lanes")
    lines = [json.loads(line) for line in stream.getvalue().splitlines()]
    stream.truncate(0)
    stream.seek(0)
    return {name: value for line in lines for name, value in line.items() if name.startswith(known)}


def rings_of(api: Api) -> list[Ring]:
    bell = api.application.jobs.doorbell
    assert isinstance(bell, RememberingDoorbell)
    rings = list(bell.rings)
    bell.rings.clear()
    return rings


def deliver(api: Api) -> None:
    """Hand every ring to the worker as SQS would."""
    while rings := rings_of(api):
        records = [sqs_record(message_of(ring)) for ring in rings]
        worker = api.application.worker("test/1")
        perform_jobs({"Records": records}, worker=worker, metrics=api.application.metrics)


def test_the_id_of_a_request_is_in_the_message_and_a_refused_document_is_counted(
    whole_api: Api, measured: io.StringIO
) -> None:
    acme = whole_api.found("Other")
    path = f"/v1/workspaces/{acme.workspace.id}"
    answer = whole_api.call(
        "POST",
        f"{path}/uploads/direct",
        key=acme.token,
        raw=b"%PDF-1.7 nothing that can be read",
        query={"path": "broken.pdf"},
        headers={"X-Request-Id": REQUEST, "Content-Type": "application/octet-stream"},
    )
    assert answer.status == 202
    assert values_of(measured) == {"UploadsAccepted": 1}
    (ring,) = rings_of(whole_api)
    assert json.loads(message_of(ring))["correlation_id"] == REQUEST
    whole_api.application.jobs.doorbell.ring([ring])
    deliver(whole_api)
    assert {"JobsRefused", "FilesRefused"} <= values_of(measured).keys()


def test_an_item_and_a_search_are_measured(whole_api: Api, measured: io.StringIO) -> None:
    acme = whole_api.found("Other")
    path = f"/v1/workspaces/{acme.workspace.id}"
    body = {"path": "a.md", "title": "A", "body": "The ferry leaves at noon on every weekday."}
    assert whole_api.call("POST", f"{path}/items", key=acme.token, json_body=body).status == 201
    assert values_of(measured) == {"ItemsCreated": 1}
    deliver(whole_api)
    assert values_of(measured) == {"JobsDone": 1}
    found = whole_api.call("POST", f"{path}/search", key=acme.token, json_body={"query": "ferry at noon"})
    assert len(found.json["hits"]) == 1
    values = values_of(measured)
    assert values.keys() == {"SearchTime", "LexicalLaneTime", "LanesDropped"}
    assert values["SearchTime"] >= values["LexicalLaneTime"] > 0


def test_a_refused_file_is_counted_at_the_door(whole_api: Api, measured: io.StringIO) -> None:
    acme = whole_api.found("Other")
    answer = whole_api.call(
        "POST",
        f"/v1/workspaces/{acme.workspace.id}/uploads/direct",
        key=acme.token,
        raw=b"MZ" + bytes(200),
        query={"path": "a.exe"},
        headers={"Content-Type": "application/octet-stream"},
    )
    assert answer.status == 415
    assert values_of(measured) == {"FilesRefused": 1}


def test_what_the_stores_event_leads_to_bears_the_id_of_the_request_that_began_it(whole_api: Api) -> None:
    application = whole_api.application
    acme = whole_api.found("Other")
    started = whole_api.call(
        "POST",
        f"/v1/workspaces/{acme.workspace.id}/uploads",
        key=acme.token,
        json_body={"path": "a.md", "bytes": 5},
        headers={"X-Request-Id": REQUEST},
    ).json["upload"]["id"]
    key = f"staging/{acme.workspace.id}/{started}"
    application.originals.put(key, io.BytesIO(b"hello"))
    rings_of(whole_api)
    reception = Reception(application.database, application.intake_rules, application.clock)
    assert receive_originals(sqs_event(object_created(key, size=5)), reception=reception) == {"batchItemFailures": []}
    assert [ring.correlation_id for ring in rings_of(whole_api)] == [REQUEST]


def test_a_defect_of_a_job_is_logged_under_the_id_of_its_request(
    whole_api: Api, lines: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    acme = whole_api.found("Other")
    body = {"path": "a.md", "title": "A", "body": "The ferry leaves at noon on every weekday."}
    url = f"/v1/workspaces/{acme.workspace.id}/items"
    whole_api.call("POST", url, key=acme.token, json_body=body, headers={"X-Request-Id": REQUEST})

    def fail(*_: object, **__: object) -> None:
        raise ZeroDivisionError(body["body"])

    monkeypatch.setattr("chalicelib.jobs.perform_job._handle", fail)
    lines.clear()
    records = [sqs_record(message_of(ring)) for ring in rings_of(whole_api)]
    perform_jobs({"Records": records}, worker=whole_api.application.worker("test/1"))
    (defect,) = [line for line in lines if line["level"] == "ERROR"]
    assert (defect["correlation_id"], defect["causes"]) == (REQUEST, ["builtins.ZeroDivisionError"])
