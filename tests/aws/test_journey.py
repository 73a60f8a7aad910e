"""Documents in by S3 and SQS (moto's server over HTTP), cited passages out: the functions of AWS on recorded events."""

from random import Random
from typing import Any

import urllib3

from chalicelib.intake.model import UploadRequest
from chalicelib.intake.start_upload import StartedUpload, start_upload
from chalicelib.triggers.functions import handle_jobs
from tests.fixtures.journey import DONE, Journey
from tests.fixtures.reception import object_created

TRAVEL = "# Travel\n\nEmployees are reimbursed for railway tickets within ten days.\n"


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
