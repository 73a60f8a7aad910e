"""D-INF-1: one bad message in a batch does not make the others run again."""

from collections import Counter

import pytest

from chalicelib.database.database import Database
from chalicelib.jobs.handlers import Registration
from chalicelib.jobs.lease import LeasedJob
from chalicelib.jobs.model import JobId, JobState
from chalicelib.jobs.perform_job import Worker
from chalicelib.platform.local.dispatcher import job_event
from chalicelib.platform.ports import Ring
from chalicelib.triggers.jobs import perform_jobs
from infra.queues import DELIVERIES
from tests.fixtures.aws import Aws
from tests.fixtures.dead_letters import QueueWithDeadLetters
from tests.fixtures.jobs import JobRoom, count

DONE: dict[str, list[str]] = {"batchItemFailures": []}


class Documents:
    """Ten documents to index, of which the fourth always fails."""

    def __init__(self, database: Database) -> None:
        self.room = JobRoom(database)
        self.attempts: Counter[str] = Counter()
        self.failed: list[str] = []
        self.rings = [Ring(self.room.enqueue(str(n), kind="index_item"), "index_item") for n in range(1, 11)]

    @property
    def worker(self) -> Worker:
        registration = Registration(self._handle, lambda _tx, job, _problem: self.failed.append(job.key))
        return self.room.worker({"index_item": registration})

    def _handle(self, job: LeasedJob) -> None:
        self.attempts[job.job.key] += 1
        if job.job.key == "4":
            raise ZeroDivisionError
        count(job)

    def assert_only_the_fourth_failed(self) -> None:
        assert self.failed == ["4"]
        assert self.room.read(JobId(self.rings[3].job_id)).state is JobState.DEAD
        assert self.room.effects() == {str(n): 1 for n in range(1, 11) if n != 4}
        assert self.attempts == Counter({str(n): 1 for n in range(1, 11)} | {"4": 3})


def test_the_bad_message_is_retried_alone_and_one_delivered_thrice_has_one_effect(database: Database) -> None:
    documents = Documents(database)
    room, worker = documents.room, documents.worker
    batch = job_event(*documents.rings, documents.rings[6])
    room.bell.rings.clear()
    assert perform_jobs(batch, worker=worker) == DONE
    (retry,) = room.bell.rings
    assert retry == Ring(documents.rings[3].job_id, "index_item", after=retry.after)
    room.clock.move(minutes=7)
    assert perform_jobs({"Records": [batch["Records"][6]]}, worker=worker) == DONE
    assert perform_jobs(job_event(retry), worker=worker) == DONE
    room.clock.move(minutes=7)
    last = job_event(retry)
    assert perform_jobs(last, worker=worker) == {
        "batchItemFailures": [{"itemIdentifier": last["Records"][0]["messageId"]}]
    }
    documents.assert_only_the_fourth_failed()


@pytest.fixture
def queue(aws: Aws) -> QueueWithDeadLetters:
    """Return a queue of moto's that gives up on a message as the stage's queue of index jobs does."""
    return QueueWithDeadLetters(aws, receives=DELIVERIES["index"].receives)


def test_only_the_bad_message_ends_among_the_dead_letters(database: Database, queue: QueueWithDeadLetters) -> None:
    documents = Documents(database)
    queue.send(*documents.rings, documents.rings[6])
    for _ in range(3 + DELIVERIES["index"].receives):
        documents.room.bell.rings.clear()
        queue.deliver(lambda event: perform_jobs(event, worker=documents.worker))
        queue.send(*documents.room.bell.rings)  # the retries, as if their delay were over
        documents.room.clock.move(hours=1)
    documents.assert_only_the_fourth_failed()
    dead = queue.dead_letters()
    assert [letter["job_id"] for letter in dead] == [str(documents.rings[3].job_id)]
    assert queue.waiting() == 0


def test_a_job_that_is_given_up_on_by_nobody_leaves_no_dead_letter(
    database: Database, queue: QueueWithDeadLetters
) -> None:
    room = JobRoom(database)
    ring = Ring(room.enqueue("a"), "count")
    worker = room.worker({"count": Registration(count)})
    queue.send(*[ring] * 12)
    for _ in range(8):
        queue.deliver(lambda event: perform_jobs(event, worker=worker))
    assert (queue.dead_letters(), queue.waiting()) == ([], 0)
    assert room.effects() == {"a": 1}
