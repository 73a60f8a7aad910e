"""Transactions on a real database: all or nothing."""

import threading
from collections.abc import Callable, Iterator
from contextlib import suppress

import psycopg
import pytest

from chalicelib.database.database import Database
from chalicelib.database.errors import DatabaseBusy, DatabaseUnavailable, TransactionConflict
from chalicelib.database.statements import parse_statements
from tests.fixtures.notes import NOTES, terminate

_SQL = {
    **NOTES,
    **parse_statements(
        """
-- name: copy_notes
-- Add many notes.
copy notes (id, text) from stdin (format binary)

-- name: list_notes
-- All notes in order.
select id, text from notes order by id

-- name: update_note
-- Change a note.
update notes set text = %(text)s where id = %(id)s

-- name: serializable
-- Ask for the strictest isolation.
set transaction isolation level serializable

-- name: nap
-- Keep a connection for a while.
select pg_sleep(0.01)

-- name: limit
-- How long a statement may take.
select current_setting('statement_timeout') as limit

-- name: fill_the_disk
-- Fail as the server does whose disk is full.
do $$ begin raise exception 'could not extend file' using errcode = 'disk_full'; end $$

-- name: give_up_early
-- Let statements time out.
set local statement_timeout = '10ms'

-- name: sleep_long
-- Take longer than that.
select pg_sleep(10)
""",
        origin="tests",
    ),
}


@pytest.fixture
def notes(empty_conninfo: str) -> Iterator[Database]:
    database = Database(empty_conninfo)
    with database.transaction() as tx:
        tx.execute(_SQL["create_notes"])
    yield database
    database.close()


def _texts(database: Database) -> list[str]:
    with database.transaction() as tx:
        return [row["text"] for row in tx.fetch_all(_SQL["list_notes"])]


def _insert(database: Database, number: int, text: str) -> None:
    with database.transaction() as tx:
        assert tx.execute(_SQL["insert_note"], id=number, text=text) == 1


def test_a_block_that_ends_is_committed_and_one_that_raises_is_not(notes: Database) -> None:
    _insert(notes, 1, "kept")
    with pytest.raises(LookupError), notes.transaction() as tx:
        tx.execute(_SQL["insert_note"], id=2, text="lost")
        raise LookupError
    assert _texts(notes) == ["kept"]


def test_rows_arrive_by_copy_and_in_batches(notes: Database) -> None:
    with notes.transaction() as tx:
        tx.copy_rows(_SQL["copy_notes"], [(1, "ä"), (2, "b")], ["int4", "text"])
        tx.execute_many(_SQL["insert_note"], [{"id": 3, "text": "c"}, {"id": 4, "text": "d"}])
    assert _texts(notes) == ["ä", "b", "c", "d"]


def test_what_waits_for_the_commit_runs_after_it_and_sees_it(notes: Database) -> None:
    seen: list[list[str]] = []
    with notes.transaction() as tx:
        tx.execute(_SQL["insert_note"], id=1, text="a")
        tx.after_commit(lambda: seen.append(_texts(notes)))
        assert seen == []
    assert seen == [["a"]]


def test_what_waits_for_a_commit_that_never_comes_does_not_run(notes: Database) -> None:
    rung: list[str] = []
    with pytest.raises(LookupError), notes.transaction() as tx:
        tx.after_commit(lambda: rung.append("bell"))
        raise LookupError
    assert rung == []


def test_what_comes_before_the_commit_runs_last_and_once_and_nobody_sees_the_effects_yet(notes: Database) -> None:
    seen: list[list[str]] = []

    def look() -> None:
        seen.append(_texts(notes))

    with notes.transaction() as tx:
        tx.before_commit(look)
        tx.execute(_SQL["insert_note"], id=1, text="a")
        tx.before_commit(look)
        tx.after_commit(look)
        assert seen == []
    assert seen == [[], ["a"]]


def test_what_comes_before_a_commit_can_still_prevent_it(notes: Database) -> None:
    def refuse() -> None:
        raise LookupError

    with pytest.raises(LookupError), notes.transaction() as tx:
        tx.execute(_SQL["insert_note"], id=1, text="a")
        tx.before_commit(refuse)
    assert _texts(notes) == []


def test_a_savepoint_undoes_its_block_alone_with_what_it_promised(notes: Database) -> None:
    rung: list[str] = []
    with notes.transaction() as tx:
        tx.execute(_SQL["insert_note"], id=1, text="a")
        tx.after_commit(lambda: rung.append("outer"))
        tx.before_commit(lambda: rung.append("announced"))
        with pytest.raises(psycopg.errors.UniqueViolation), tx.savepoint():
            tx.before_commit(lambda: rung.append("inner announced"))
            tx.after_commit(lambda: rung.append("inner"))
            tx.execute(_SQL["insert_note"], id=2, text="b")
            tx.execute(_SQL["insert_note"], id=1, text="again")
        tx.execute(_SQL["insert_note"], id=3, text="c")
    assert (_texts(notes), rung) == (["a", "c"], ["announced", "outer"])


def test_a_block_that_swallows_a_failed_statement_does_not_pass_for_committed(notes: Database) -> None:
    rung: list[str] = []
    _insert(notes, 1, "a")
    with pytest.raises(RuntimeError, match="nothing of it can be committed"), notes.transaction() as tx:
        tx.execute(_SQL["insert_note"], id=2, text="b")
        tx.after_commit(lambda: rung.append("bell"))
        with pytest.raises(psycopg.errors.UniqueViolation):
            tx.execute(_SQL["insert_note"], id=1, text="again")
    assert (_texts(notes), rung) == (["a"], [])


def test_a_connection_killed_in_a_transaction_fails_it_and_repeats_nothing(notes: Database) -> None:
    attempts = 0
    with pytest.raises(DatabaseUnavailable), notes.transaction() as tx:
        attempts += 1
        tx.execute(_SQL["insert_note"], id=1, text="a")
        backend = tx.fetch_one(_SQL["backend"])
        assert backend is not None
        terminate(notes.conninfo, backend["pid"])
        tx.execute(_SQL["insert_note"], id=2, text="b")
    assert (attempts, _texts(notes)) == (1, [])


def test_a_block_that_goes_on_without_its_connection_does_not_pass_for_committed(notes: Database) -> None:
    rung: list[str] = []
    with pytest.raises(DatabaseUnavailable), notes.transaction() as tx:
        tx.after_commit(lambda: rung.append("bell"))
        tx.execute(_SQL["insert_note"], id=1, text="a")
        backend = tx.fetch_one(_SQL["backend"])
        assert backend is not None
        terminate(notes.conninfo, backend["pid"])
        with suppress(DatabaseUnavailable):
            tx.execute(_SQL["insert_note"], id=2, text="b")
    assert (rung, _texts(notes)) == ([], [])


def test_what_fails_and_is_swallowed_before_the_commit_prevents_it(notes: Database) -> None:
    def fail() -> None:
        with suppress(psycopg.errors.UniqueViolation):
            tx.execute(_SQL["insert_note"], id=1, text="again")

    with pytest.raises(RuntimeError, match="nothing of it can be committed"), notes.transaction() as tx:
        tx.execute(_SQL["insert_note"], id=1, text="a")
        tx.before_commit(fail)
    assert _texts(notes) == []


def test_a_full_disk_is_named_to_who_can_make_room(notes: Database) -> None:
    with pytest.raises(DatabaseUnavailable, match=r"disk .* full"), notes.transaction() as tx:
        tx.execute(_SQL["fill_the_disk"])


def test_a_statement_that_times_out_is_busy(notes: Database) -> None:
    with pytest.raises(DatabaseBusy), notes.transaction() as tx:
        tx.execute(_SQL["give_up_early"])
        tx.execute(_SQL["sleep_long"])


def test_a_limit_on_statements_ends_with_its_transaction(empty_conninfo: str) -> None:
    database = Database(empty_conninfo, pool_size=1)
    with pytest.raises(DatabaseBusy), database.transaction(statement_seconds=0.005) as tx:
        tx.execute(_SQL["nap"])
    with database.transaction(statement_seconds=5) as tx:
        tx.execute(_SQL["nap"])
        limited = tx.fetch_one(_SQL["limit"])
    with database.transaction() as tx:
        tx.execute(_SQL["nap"])
        free = tx.fetch_one(_SQL["limit"])
    database.close()
    assert (limited, free) == ({"limit": "5s"}, {"limit": "0"})


def test_two_changes_that_meet_are_a_conflict_that_may_be_repeated(notes: Database) -> None:
    _insert(notes, 1, "a")
    with pytest.raises(TransactionConflict), notes.transaction() as tx:
        tx.execute(_SQL["serializable"])
        tx.fetch_all(_SQL["list_notes"])
        _in_thread(lambda: _update(notes, "first"))
        tx.execute(_SQL["update_note"], id=1, text="second")
    assert _texts(notes) == ["first"]


def _update(database: Database, text: str) -> None:
    with database.transaction() as tx:
        tx.execute(_SQL["update_note"], id=1, text=text)


def _in_thread(action: Callable[[], None]) -> None:
    thread = threading.Thread(target=action)
    thread.start()
    thread.join()
