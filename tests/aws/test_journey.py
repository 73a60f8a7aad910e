"""Documents in by S3 and SQS (moto's server over HTTP), cited passages out: the functions of AWS on recorded events."""

import json
from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import Any
from urllib.parse import quote_plus

import pytest
import urllib3

from chalicelib.bootstrap import Application, install_application, wire_aws
from chalicelib.identity.found_organization import Foundation, found_organization
from chalicelib.intake.model import UploadRequest
from chalicelib.intake.start_upload import StartedUpload, start_upload
from chalicelib.search.model import Hit, Question
from chalicelib.search.search import SearchRules, search
from chalicelib.settings import Settings
from chalicelib.triggers.functions import handle_jobs, handle_originals
from tests.fixtures.aws import Aws, sqs_event
from tests.fixtures.reception import EVENTS, object_created

DONE: dict[str, list[str]] = {"batchItemFailures": []}
TRAVEL = "# Travel\n\nEmployees are reimbursed for railway tickets within ten days.\n"


class Journey:
    """A deployment whose bucket and queues are moto's, with one workspace, `acme`."""

    def __init__(self, aws: Aws, wired: Application) -> None:
        self.aws = aws
        self.wired = wired
        with wired.database.transaction() as tx:
            self.foundation: Foundation = found_organization(
                tx, name="Acme", workspace_slug="acme", owner_name="Ada", pepper=wired.pepper
            )

    def put(self, key: str, text: str) -> None:
        self.aws.clients.s3.put_object(Bucket=self.aws.bucket, Key=key, Body=text.encode())

    def tell(self, *events: Mapping[str, Any]) -> None:
        assert handle_originals(sqs_event(*events)) == DONE

    def take_jobs(self) -> list[dict[str, Any]]:
        urls = self.aws.queue_urls_by_kind.values()
        return [record for url in urls for record in self.aws.take_messages(url)]

    def drain(self) -> None:
        """Do what waits in the queues of jobs until they are empty."""
        while records := self.take_jobs():
            assert handle_jobs({"Records": records}) == DONE

    def search(self, query: str) -> Sequence[Hit]:
        return search(
            database=self.wired.database,
            principal=self.foundation.owner,
            workspace_id=self.foundation.workspace.id,
            question=Question(query=query),
            embedder=self.wired.embedder,
            rules=SearchRules(),
        ).hits

    def found(self, query: str) -> list[tuple[str, int]]:
        return [(hit.path, hit.revision) for hit in self.search(query)]


@pytest.fixture
def journey(aws: Aws, conninfo: str) -> Iterator[Journey]:
    settings = Settings(
        platform="aws",
        database_url=conninfo,
        originals_bucket=aws.bucket,
        intake_queue_url=aws.queue_urls_by_kind["extract_upload"],
        index_queue_url=aws.queue_urls_by_kind["index_item"],
        secret_prefix=f"{aws.bucket}/",
        aws_endpoint_url=aws.endpoint_url,
        embedder="none",
    )
    wired = wire_aws(settings)
    install_application(wired)
    yield Journey(aws, wired)
    install_application(None)
    wired.close()


def bucket_event(key: str) -> dict[str, Any]:
    """Return the recorded event of a bucket without EventBridge, whose keys are form-encoded."""
    event: dict[str, Any] = json.loads((EVENTS / "bucket_object_created.json").read_text(encoding="utf-8"))
    event["Records"][0]["s3"]["object"]["key"] = quote_plus(key)
    return event


def test_an_object_put_in_the_bucket_is_found_with_its_source(journey: Journey) -> None:
    journey.put("drop/acme/handbook/travel.md", TRAVEL)
    journey.tell(object_created("drop/acme/handbook/travel.md"))
    journey.drain()
    (hit,) = journey.search("how do I get reimbursed for railway tickets")
    assert (hit.path, hit.title, hit.revision) == ("handbook/travel.md", "Travel", 1)
    assert TRAVEL[slice(*hit.span)].strip() in TRAVEL
    assert "reimbursed" in hit.snippet.text


def test_a_presigned_upload_is_found_once_its_event_came(journey: Journey) -> None:
    with journey.wired.database.transaction() as tx:
        started = start_upload(
            tx,
            principal=journey.foundation.owner,
            workspace_id=journey.foundation.workspace.id,
            request=UploadRequest(path="travel.md", filename="travel.md", attributes={}, bytes=len(TRAVEL)),
            rules=journey.wired.intake_rules,
            now=journey.wired.clock.now(),
        )
    assert isinstance(started, StartedUpload)
    target = started.target
    with urllib3.PoolManager() as client:
        answer = client.request(target.method, target.url, headers=dict(target.headers), body=TRAVEL.encode())
    assert answer.status == 200
    journey.tell(object_created(started.upload.source_key, size=len(TRAVEL)))
    journey.drain()
    assert journey.found("railway") == [("travel.md", 1)]
    keys = [stored.key for stored in journey.wired.originals.walk("")]
    assert [key.partition("/")[0] for key in keys] == ["originals"]


@pytest.mark.parametrize("shape", ["EventBridge", "bucket"])
def test_true_keys_are_fetched_indexed_and_found(journey: Journey, shape: str) -> None:
    paths = ["q1 + q2/überblick (1).txt", "x%2By.txt"]
    for path in paths:
        journey.put(f"drop/acme/{path}", f"railway tickets of {len(path)} employees")
    event = object_created if shape == "EventBridge" else bucket_event
    journey.tell(*(event(f"drop/acme/{path}") for path in paths))
    journey.drain()
    assert sorted(journey.found("railway")) == [(path, 1) for path in sorted(paths)]


def test_a_replaced_object_becomes_the_next_revision(journey: Journey) -> None:
    key = "drop/acme/travel.md"
    for sequencer, text in (("01", TRAVEL), ("02", TRAVEL.replace("railway", "ferry"))):
        journey.put(key, text)
        journey.tell(object_created(key, sequencer=sequencer))
        journey.drain()
    journey.tell(object_created(key, sequencer="01"), object_created(key, sequencer="02"))
    journey.drain()
    assert journey.found("railway") == []
    assert journey.found("ferry") == [("travel.md", 2)]


def test_told_late_and_told_twice_come_to_the_same(journey: Journey) -> None:
    key = "drop/acme/travel.md"
    journey.put(key, TRAVEL)
    journey.put(key, TRAVEL.replace("railway", "ferry"))
    first, second = (object_created(key, sequencer=sequencer) for sequencer in ("01", "02"))
    journey.tell(second, first, second)
    journey.tell(first)
    journey.drain()
    assert journey.found("railway") == []
    assert journey.found("ferry") == [("travel.md", 1)]


def test_jobs_delivered_twice_and_in_any_order_have_one_effect(journey: Journey) -> None:
    order = Random(7)
    for number in range(6):
        journey.put(f"drop/acme/{number}.md", TRAVEL.replace("ten", f"ten plus {number}"))
    journey.tell(*(object_created(f"drop/acme/{number}.md") for number in range(6)))
    delivered: list[dict[str, Any]] = []
    while records := journey.take_jobs():
        delivered += records
        batch = [*records, *records]
        order.shuffle(batch)
        assert handle_jobs({"Records": batch}) == DONE
    assert handle_jobs({"Records": delivered}) == DONE
    assert journey.take_jobs() == []
    assert sorted(journey.found("railway")) == [(f"{number}.md", 1) for number in range(6)]
