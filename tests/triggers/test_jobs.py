"""The queue of jobs, event by event."""

from datetime import timedelta

import pytest

from chalicelib.database.database import Database
from chalicelib.errors import Rejected, Unavailable
from chalicelib.jobs.handlers import Registration
from chalicelib.jobs.lease import LeasedJob
from chalicelib.jobs.model import JobId
from chalicelib.platform.local.dispatcher import job_event
from chalicelib.platform.ports import Ring
from chalicelib.triggers.jobs import perform_jobs
from tests.fixtures.jobs import JobRoom, count


@pytest.fixture
def room(database: Database) -> JobRoom:
    return JobRoom(database)


def test_a_message_delivered_twice_in_one_batch_has_one_effect_and_both_are_acknowledged(room: JobRoom) -> None:
    ring = Ring(room.enqueue("a"), "count")
    worker = room.worker({"count": Registration(count)})
    assert perform_jobs(job_event(ring, ring), worker=worker) == {"batchItemFailures": []}
    assert room.effects() == {"a": 1}


@pytest.mark.parametrize("body", ["", "{}", "[]", "null", '{"job_id": 5}', '{"job_id": "x"}', "[" * 100_000])
def test_a_malformed_record_fails_alone(room: JobRoom, body: str) -> None:
    good, bad = job_event(Ring(room.enqueue("a"), "count"))["Records"][0], {"messageId": "bad", "body": body}
    answer = perform_jobs({"Records": [bad, good]}, worker=room.worker({"count": Registration(count)}))
    assert answer == {"batchItemFailures": [{"itemIdentifier": "bad"}]}
    assert room.effects() == {"a": 1}


def test_a_job_to_be_tried_again_is_rung_for_and_acknowledged_and_a_dead_one_is_reported(room: JobRoom) -> None:
    def fail(_job: LeasedJob) -> None:
        raise Unavailable("Away.")

    event = job_event(Ring(room.enqueue("a"), "count"))
    worker = room.worker({"count": Registration(fail)})
    failed = {"batchItemFailures": [{"itemIdentifier": event["Records"][0]["messageId"]}]}
    acknowledged: dict[str, list[str]] = {"batchItemFailures": []}
    for _ in range(2):
        room.bell.rings.clear()
        assert perform_jobs(event, worker=worker) == acknowledged
        assert perform_jobs(event, worker=worker) == acknowledged  # not due
        (ring,) = room.bell.rings
        assert timedelta(0) < ring.after == room.read(JobId(ring.job_id)).not_before - room.clock.now()
        room.clock.moment += ring.after
    assert [perform_jobs(event, worker=worker) for _ in range(3)] == [failed] * 3


def test_a_message_about_a_job_that_was_refused_is_acknowledged(room: JobRoom) -> None:
    def refuse(_job: LeasedJob) -> None:
        raise Rejected("No.")

    event = job_event(Ring(room.enqueue("a"), "count"))
    worker = room.worker({"count": Registration(refuse)})
    assert [perform_jobs(event, worker=worker) for _ in range(2)] == [{"batchItemFailures": []}] * 2
