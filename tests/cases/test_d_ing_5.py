"""D-ING-5: a document whose worker is killed finishes by itself, or is failed with a reason within the bound."""

import subprocess
import sys
from pathlib import Path

import pytest

from chalicelib.database.database import Database
from chalicelib.jobs.handlers import Registration
from chalicelib.jobs.hold_leases import end_leases_of_the_dead
from chalicelib.jobs.lease import LeasedJob
from chalicelib.jobs.model import JobId, JobState
from chalicelib.jobs.perform_job import Worker, perform_job
from chalicelib.platform.local.clock import SystemClock
from tests.fixtures.jobs import EFFECTS, JobRoom


@pytest.fixture
def room(database: Database) -> JobRoom:
    return JobRoom(database, clock=SystemClock())


def _killed(conninfo: str, job_id: JobId) -> int:
    command = [sys.executable, "-m", "tests.fixtures.mortal_worker", conninfo, str(job_id)]
    return subprocess.run(command, check=False, timeout=60, cwd=Path(__file__).parents[2]).returncode


def _write_20_chunks(job: LeasedJob) -> None:
    with job.finish() as tx:
        for chunk in range(1, 21):
            tx.execute(EFFECTS["insert_effect"], key=str(chunk), fence=job.job.fence)


def _restart(room: JobRoom, failed: list[str]) -> Worker:
    """Start as the local server does: the leases of the dead process end at once."""
    handlers = {"index": Registration(_write_20_chunks, lambda _tx, _job, problem: failed.append(problem.detail))}
    worker = room.worker(handlers, "local/next")
    end_leases_of_the_dead(worker, prefix="local/")
    return worker


def test_a_worker_killed_once_leaves_exactly_20_chunks_in_the_end(room: JobRoom, conninfo: str) -> None:
    job_id = room.enqueue("document", kind="index")
    assert _killed(conninfo, job_id) == 9
    assert room.read(job_id).state is JobState.RUNNING
    assert room.effects() == {}
    assert perform_job(_restart(room, []), job_id) == "done"
    assert room.effects() == {str(chunk): 1 for chunk in range(1, 21)}


def test_a_worker_killed_each_time_leaves_a_failed_document_with_a_reason(room: JobRoom, conninfo: str) -> None:
    job_id = room.enqueue("document", kind="index")
    failed: list[str] = []
    for _ in range(3):
        assert _killed(conninfo, job_id) == 9
        worker = _restart(room, failed)
    assert perform_job(worker, job_id) == "died"
    assert room.read(job_id).state is JobState.DEAD
    assert failed == ["The work was cut off 3 times without a result. Retry, or use a smaller document."]
    assert room.effects() == {}
