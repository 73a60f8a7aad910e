"""The queue of jobs, event by event."""

import pytest

from chalicelib.database.database import Database
from chalicelib.errors import Unavailable
from chalicelib.jobs.handlers import Registration
from chalicelib.jobs.lease import LeasedJob
from chalicelib.jobs.model import JobState
from chalicelib.platform.local.dispatcher import job_event
from chalicelib.platform.ports import Ring
from chalicelib.triggers.jobs import perform_jobs
from chalicelib.triggers.sweep import sweep
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


def test_a_job_that_failed_is_reported_and_one_that_is_not_due_is_acknowledged(room: JobRoom) -> None:
    def fail(_job: LeasedJob) -> None:
        raise Unavailable("Away.")

    event = job_event(Ring(room.enqueue("a"), "count"))
    worker = room.worker({"count": Registration(fail)})
    failed = {"batchItemFailures": [{"itemIdentifier": event["Records"][0]["messageId"]}]}
    assert perform_jobs(event, worker=worker) == failed
    assert perform_jobs(event, worker=worker) == {"batchItemFailures": []}


def test_the_schedule_rings_again_for_what_waits(room: JobRoom) -> None:
    job_id = room.enqueue("a")
    room.bell.rings.clear()
    assert sweep({"source": "aws.scheduler"}, worker=room.worker({})) == {
        "rung": 1,
        "buried": 0,
        "deleted": 0,
        "open": 1,
        "oldest_seconds": 0,
    }
    assert [ring.job_id for ring in room.bell.rings] == [job_id]
    assert room.read(job_id).state is JobState.WAITING
