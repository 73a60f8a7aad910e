"""D-INF-1: one bad message in a batch does not make the others run again."""

from datetime import timedelta

from chalicelib.database.database import Database
from chalicelib.jobs.handlers import Registration
from chalicelib.jobs.lease import LeasedJob
from chalicelib.jobs.model import JobId, JobState
from chalicelib.platform.local.dispatcher import job_event
from chalicelib.platform.ports import Ring
from chalicelib.triggers.jobs import perform_jobs
from tests.fixtures.jobs import JobRoom, count


def test_one_bad_message_of_ten_is_retried_alone_and_dies_with_its_document_marked_failed(database: Database) -> None:
    room = JobRoom(database)
    failed_documents: list[str] = []

    def handle(job: LeasedJob) -> None:
        if job.job.key == "4":
            raise ZeroDivisionError
        count(job)

    worker = room.worker({"count": Registration(handle, lambda _tx, job, _problem: failed_documents.append(job.key))})
    rings = [Ring(room.enqueue(str(n)), "count") for n in range(1, 11)]
    batch = job_event(*rings, rings[6])
    bad = batch["Records"][3]
    only_the_bad = {"batchItemFailures": [{"itemIdentifier": bad["messageId"]}]}
    assert perform_jobs(batch, worker=worker) == only_the_bad
    room.clock.moment += timedelta(minutes=7)
    assert perform_jobs({"Records": [batch["Records"][6]]}, worker=worker) == {"batchItemFailures": []}
    for _ in range(2):
        assert perform_jobs({"Records": [bad]}, worker=worker) == only_the_bad
        room.clock.move(minutes=7)
    assert room.read(JobId(rings[3].job_id)).state is JobState.DEAD
    assert failed_documents == ["4"]
    assert room.effects() == {str(n): 1 for n in range(1, 11) if n != 4}
