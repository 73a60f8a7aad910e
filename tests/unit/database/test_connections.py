"""Connections: each is alive and clean when a transaction begins on it, and there are only so many."""

import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import pytest
from psycopg.conninfo import make_conninfo

from chalicelib.database.database import Database
from chalicelib.database.errors import DatabaseBusy, DatabaseUnavailable
from chalicelib.database.statements import parse_statements
from tests.fixtures.notes import NOTES, terminate

_SQL = {
    **NOTES,
    **parse_statements(
        """
-- name: count_notes
-- How many notes there are.
select count(*) as notes from notes

-- name: set_work_mem
-- Change a setting of the session.
set work_mem = '1MB'

-- name: nap
-- Keep a connection for a while.
select pg_sleep(0.01)
""",
        origin="tests",
    ),
}


def test_the_next_user_of_a_connection_finds_no_transaction_and_no_setting_of_the_last(empty_conninfo: str) -> None:
    database = Database(empty_conninfo, pool_size=1)
    with pytest.raises(LookupError), database.transaction() as tx:
        tx.execute(_SQL["create_notes"])
        raise LookupError
    with database.transaction() as tx:
        tx.execute(_SQL["set_work_mem"])
        first = tx.fetch_one(_SQL["backend"])
    with database.transaction() as tx:
        second = tx.fetch_one(_SQL["backend"])
        tx.execute(_SQL["create_notes"])
    database.close()
    assert first is not None
    assert second is not None
    assert (first["pid"], first["work_mem"]) == (second["pid"], "1MB")
    assert second["work_mem"] != "1MB"
    assert second["timezone"] == "UTC"


def test_a_killed_idle_connection_is_replaced_before_the_next_statement(empty_conninfo: str) -> None:
    database = Database(empty_conninfo, pool_size=1)
    with database.transaction() as tx:
        tx.execute(_SQL["create_notes"])
        first = tx.fetch_one(_SQL["backend"])
    assert first is not None
    terminate(empty_conninfo, first["pid"])
    with database.transaction() as tx:
        assert tx.execute(_SQL["insert_note"], id=1, text="a") == 1
    assert _count_notes(database) == 1
    database.close()


def test_each_idle_connection_of_a_server_that_ended_them_all_is_replaced(empty_conninfo: str) -> None:
    database = Database(empty_conninfo, pool_size=3)
    with ExitStack() as several:
        backends = [several.enter_context(database.transaction()).fetch_one(_SQL["backend"]) for _ in range(3)]
    for backend in backends:
        assert backend is not None
        terminate(empty_conninfo, backend["pid"])
    with database.transaction() as tx:
        replaced = tx.fetch_one(_SQL["backend"])
    database.close()
    assert replaced is not None
    assert replaced["pid"] not in [backend["pid"] for backend in backends if backend]


def test_a_server_that_is_not_there_is_unavailable(empty_conninfo: str) -> None:
    database = Database(make_conninfo(empty_conninfo, host="/nonexistent"), acquire_seconds=0.5)
    with pytest.raises(DatabaseUnavailable), database.transaction():
        pytest.fail("there is no server")
    database.close()


def test_who_waits_less_for_a_connection_than_others_is_answered_sooner(empty_conninfo: str) -> None:
    database = Database(make_conninfo(empty_conninfo, host="/nonexistent"), acquire_seconds=60)
    began = time.monotonic()
    with pytest.raises(DatabaseUnavailable), database.transaction(acquire_seconds=0.1):
        pytest.fail("there is no server")
    assert time.monotonic() - began < 30
    database.close()


def test_two_hundred_threads_share_few_connections(empty_conninfo: str) -> None:
    database = Database(empty_conninfo, pool_size=4)
    with database.transaction() as tx:
        tx.execute(_SQL["create_notes"])

    def work(number: int) -> None:
        with database.transaction() as tx:
            tx.execute(_SQL["nap"])
            tx.execute(_SQL["insert_note"], id=number, text=str(number))

    with ThreadPoolExecutor(200) as threads:
        list(threads.map(work, range(200)))
    assert _count_notes(database) == 200
    database.close()


def test_who_waits_too_long_for_a_connection_is_told_that_the_database_is_busy(empty_conninfo: str) -> None:
    database = Database(empty_conninfo, pool_size=1, acquire_seconds=0.2)
    with database.transaction(), pytest.raises(DatabaseBusy), database.transaction():
        pytest.fail("there is one connection")
    database.close()


def _count_notes(database: Database) -> int:
    with database.transaction() as tx:
        row = tx.fetch_one(_SQL["count_notes"])
    assert row is not None
    return int(row["notes"])
