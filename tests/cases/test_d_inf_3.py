"""D-INF-3: connections die while a function is frozen, the database starts anew, and bursts find no room."""

import os
import signal
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest

from chalicelib.database.database import Database
from chalicelib.database.errors import DatabaseBusy, DatabaseUnavailable
from chalicelib.database.statements import parse_statements
from chalicelib.platform.local.postgres.binaries import Binaries
from chalicelib.platform.local.postgres.launcher import start_postgres

_SQL = parse_statements(
    """
-- name: backend
-- The server process of this connection.
select pg_backend_pid() as pid

-- name: create_visits
-- A table for what is written.
create table visits (id integer primary key)

-- name: visit
-- Write once, and take a moment about it.
insert into visits (id) select %(id)s from pg_sleep(0.05)

-- name: count_visits
-- Count what was written.
select count(*) as n from visits
""",
    origin="D-INF-3",
)
_FUNCTIONS = 200
_ROOM = 50


@pytest.fixture
def small_server(tmp_path: Path, postgres_binaries: Binaries) -> Iterator[str]:
    settings = {"max_connections": str(_ROOM), "fsync": "off"}
    with start_postgres(tmp_path / "postgres", binaries=postgres_binaries, settings=settings) as server:
        yield server.conninfo


def test_a_database_that_started_anew_between_two_calls_is_met_by_a_new_connection(small_server: str) -> None:
    database = Database(small_server, pool_size=1)
    with database.transaction() as tx:
        tx.execute(_SQL["create_visits"])
        before = tx.fetch_one(_SQL["backend"])
    assert before is not None
    # The end of one process without notice makes the server end all others and recover, as after a crash.
    os.kill(before["pid"], signal.SIGKILL)
    with database.transaction() as tx:
        tx.execute(_SQL["visit"], id=1)
        after = tx.fetch_one(_SQL["backend"])
    database.close()
    assert after is not None
    assert after["pid"] != before["pid"]


@pytest.mark.slow
def test_a_burst_beyond_the_connections_waits_or_is_told_to_come_again(small_server: str) -> None:
    first = Database(small_server, pool_size=1)
    with first.transaction() as tx:
        tx.execute(_SQL["create_visits"])
    together = Barrier(_FUNCTIONS)

    def start_cold(number: int) -> str:
        database = Database(small_server, pool_size=2, acquire_seconds=10)
        together.wait(60)
        try:
            with database.transaction() as tx:
                tx.execute(_SQL["visit"], id=number)
        except (DatabaseBusy, DatabaseUnavailable):
            return "come again"
        finally:
            database.close()
        return "written"

    with ThreadPoolExecutor(_FUNCTIONS) as functions:
        answers = Counter(functions.map(start_cold, range(_FUNCTIONS)))
    with first.transaction() as tx:
        written = tx.fetch_one(_SQL["count_visits"])
    first.close()
    assert answers.total() == _FUNCTIONS
    assert written == {"n": answers["written"]}
    assert answers["written"] >= _ROOM - 10
