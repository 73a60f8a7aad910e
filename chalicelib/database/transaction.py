"""One transaction: runs named statements and remembers what to do after commit."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import psycopg
from psycopg.rows import DictRow

from chalicelib.database.statements import Statement
from chalicelib.database.translation import translated_errors

Row = Mapping[str, Any]


class Transaction:
    """Given out by `Database.transaction`; not shared between threads, of no use after its block."""

    def __init__(self, connection: psycopg.Connection[DictRow]) -> None:
        self._connection = connection
        self._before_commit: dict[Callable[[], object], None] = {}
        self._after_commit: list[Callable[[], None]] = []

    def fetch_all(self, statement: Statement, **parameters: object) -> Sequence[Row]:
        """Run a statement and return its rows."""
        with translated_errors():
            return self._connection.execute(statement.text, parameters).fetchall()

    def fetch_one(self, statement: Statement, **parameters: object) -> Row | None:
        """Run a statement and return its first row, or None."""
        with translated_errors():
            return self._connection.execute(statement.text, parameters).fetchone()

    def execute(self, statement: Statement, **parameters: object) -> int:
        """Run a statement and return how many rows it touched."""
        with translated_errors():
            return self._connection.execute(statement.text, parameters).rowcount

    def execute_many(self, statement: Statement, rows: Iterable[Mapping[str, object]]) -> None:
        """Run a statement once a row, pipelined."""
        with translated_errors(), self._connection.cursor() as cursor:
            cursor.executemany(statement.text, rows)

    def copy_rows(self, statement: Statement, rows: Iterable[Sequence[object]], types: Sequence[str]) -> None:
        """Stream rows through a `copy … from stdin (format binary)` statement; `types` names the columns' types."""
        with translated_errors(), self._connection.cursor() as cursor, cursor.copy(statement.text) as copy:
            copy.set_types(types)
            for row in rows:
                copy.write_row(row)

    @contextmanager
    def savepoint(self) -> Iterator[None]:
        """Undo what the block did if it raises, what it registered included, and let the transaction go on."""
        promised, before = dict(self._before_commit), len(self._after_commit)
        try:
            with translated_errors(), self._connection.transaction():
                yield
        except BaseException:
            self._before_commit = promised
            del self._after_commit[before:]
            raise

    def before_commit(self, action: Callable[[], object]) -> None:
        """Call `action` as the last thing before the transaction commits, once however often it is registered."""
        self._before_commit[action] = None

    def after_commit(self, action: Callable[[], None]) -> None:
        """Call `action` once the transaction has committed; never if it has not."""
        self._after_commit.append(action)

    def run_before_commit(self) -> None:
        """Run and forget the actions; called by Database."""
        actions, self._before_commit = self._before_commit, {}
        for action in actions:
            action()

    def run_after_commit(self) -> None:
        """Run and forget the actions; called by Database."""
        actions, self._after_commit = self._after_commit, []
        for action in actions:
            action()
