"""How many trivial jobs a second two local workers do: `python -m tests.benchmarks.jobs [JOBS]`."""

import sys
import tempfile
import threading
import time
from pathlib import Path

from psycopg.conninfo import make_conninfo

from chalicelib.database.database import Database
from chalicelib.database.migrate import migrate
from chalicelib.jobs.handlers import Registration
from chalicelib.jobs.lease import LeasedJob
from chalicelib.jobs.model import JobPolicy
from chalicelib.platform.local.clock import SystemClock
from chalicelib.platform.local.doorbell import LocalDoorbell
from chalicelib.platform.local.postgres.binaries import embedded_binaries
from chalicelib.platform.local.postgres.launcher import start_postgres
from chalicelib.triggers.local_jobs import local_dispatcher, local_worker_name
from tests.fixtures.jobs import JobRoom, count

_JOBS = int(sys.argv[1]) if len(sys.argv) > 1 else 1000


def main() -> None:
    """Enqueue, each in its own durable transaction, then perform; print both rates."""
    with (
        tempfile.TemporaryDirectory() as folder,
        start_postgres(Path(folder) / "postgres", binaries=embedded_binaries()) as server,
    ):
        conninfo = make_conninfo(server.conninfo)
        migrate(conninfo)
        database = Database(conninfo)
        doorbell = LocalDoorbell()
        room = JobRoom(database, clock=SystemClock(), doorbell=doorbell, policy=JobPolicy())
        started = time.perf_counter()
        for n in range(_JOBS):
            room.enqueue(str(n), serial_key=f"item:{n}")
        enqueued = time.perf_counter()
        done = threading.Semaphore(0)

        def handle(job: LeasedJob) -> None:
            count(job)
            done.release()

        worker = room.worker({"count": Registration(handle)}, local_worker_name())
        dispatcher = local_dispatcher(worker, doorbell, workers=2, sweep_seconds=60)
        dispatcher.start()
        for _ in range(_JOBS):
            done.acquire()
        performed = time.perf_counter()
        dispatcher.stop()
        database.close()
    sys.stdout.write(
        f"enqueued {_JOBS / (enqueued - started):.0f}/s, performed {_JOBS / (performed - enqueued):.0f}/s\n"
    )


if __name__ == "__main__":
    main()
