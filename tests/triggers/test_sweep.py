"""Rounds of the sweep, asked for by its queue on AWS, by the day's schedule, or by the local ticker."""

from collections.abc import Mapping
from typing import Any

import pytest

from chalicelib.database.database import Database
from chalicelib.jobs.handlers import Registration
from chalicelib.jobs.model import JobState
from chalicelib.jobs.perform_job import Worker, perform_job
from chalicelib.triggers.sweep import RoundNotAskedFor, answer_sweep, sweep
from tests.fixtures.aws import sqs_event
from tests.fixtures.jobs import JobRoom, count

ASKED = sqs_event({"period": 1}, {"period": 2})
ALL_AGAIN = {"batchItemFailures": [{"itemIdentifier": record["messageId"]} for record in ASKED["Records"]]}
DONE: Mapping[str, Any] = {"batchItemFailures": []}


@pytest.fixture
def room(database: Database) -> JobRoom:
    return JobRoom(database)


def test_a_round_rings_again_for_what_waits(room: JobRoom) -> None:
    job_id = room.enqueue("a")
    room.bell.rings.clear()
    assert sweep({"source": "aws.scheduler"}, worker=room.worker({})) == {
        "rung": 1,
        "buried": 0,
        "deleted": 0,
        "open": 1,
        "oldest_seconds": 0,
        "open_for_now": 1,
    }
    assert [ring.job_id for ring in room.bell.rings] == [job_id]
    assert room.read(job_id).state is JobState.WAITING


def test_the_next_round_is_asked_for_while_a_job_is_open_and_not_any_more_once_none_is(room: JobRoom) -> None:
    worker = room.worker({"count": Registration(count)})
    job_id = room.enqueue("a")
    room.bell.announcements = 0
    assert answer_sweep(ASKED, worker=worker) == DONE
    assert room.bell.announcements == 1
    perform_job(worker, job_id)
    room.bell.announcements = 0
    assert answer_sweep(ASKED, worker=worker) == DONE
    assert room.bell.announcements == 0


def test_a_job_that_waits_for_its_next_attempt_is_open(room: JobRoom) -> None:
    def fail(_job: object) -> None:
        raise ZeroDivisionError

    worker = room.worker({"count": Registration(fail)})
    perform_job(worker, room.enqueue("a"))
    room.bell.announcements = 0
    assert answer_sweep({"source": "lorebase.schedule"}, worker=worker) == DONE
    assert room.bell.announcements == 1


def test_where_the_next_round_cannot_be_asked_for_the_messages_come_again(room: JobRoom) -> None:
    room.enqueue("a")
    room.bell.takes_announcements = False
    assert answer_sweep(ASKED, worker=room.worker({})) == ALL_AGAIN


def test_where_the_next_round_cannot_be_asked_for_the_schedule_tries_again(room: JobRoom) -> None:
    room.enqueue("a")
    room.bell.takes_announcements = False
    with pytest.raises(RoundNotAskedFor):
        answer_sweep({"source": "lorebase.schedule"}, worker=room.worker({}))


def test_a_database_that_is_away_is_asked_again_in_the_next_round(room: JobRoom) -> None:
    nowhere = Database("postgresql://nobody@127.0.0.1:1/none", acquire_seconds=0.1)
    worker = Worker(nowhere, room.queue, {}, "test/1")
    assert answer_sweep(ASKED, worker=worker) == DONE
    assert room.bell.announcements == 1
    nowhere.close()


def test_chores_are_done_each_round_and_harm_nobody_when_they_fail(room: JobRoom) -> None:
    def fail() -> int:
        raise ZeroDivisionError

    done: list[str] = []

    def note() -> int:
        done.append("good")
        return 1

    chores = {"bad": fail, "good": note}
    assert answer_sweep(ASKED, worker=room.worker({}), chores=chores) == DONE
    assert done == ["good"]
