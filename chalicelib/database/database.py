"""The pool and its transactions."""

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from pgvector.psycopg import register_vector
from psycopg.pq import TransactionStatus
from psycopg.rows import DictRow, dict_row
from psycopg_pool import ConnectionPool, PoolTimeout

from chalicelib.database.conninfo import checked_conninfo
from chalicelib.database.transaction import Transaction
from chalicelib.database.translation import translated_errors

_ACQUIRE_SECONDS = 20.0


class Database:
    """A pool of connections to one PostgreSQL database. Thread-safe; opens on first use.

    A connection is checked when it is taken, so that one that was cut meanwhile (a frozen function, a
    killed backend, a restarted server) is replaced before a statement runs on it, and no write is
    ever repeated blindly.
    """

    def __init__(
        self, conninfo: str, *, pool_size: int = 8, prepare: bool = True, acquire_seconds: float = _ACQUIRE_SECONDS
    ) -> None:
        """`prepare=False` for a server behind a transaction pooler, which keeps no prepared statements.

        Who waits longer than `acquire_seconds` for a connection gets DatabaseBusy, or DatabaseUnavailable where
        the server cannot be reached at all; the default leaves a paused Aurora the time to resume.
        Raises DatabaseUrlMalformed.
        """
        self.conninfo = checked_conninfo(conninfo)
        self._pool: ConnectionPool[psycopg.Connection[DictRow]] = ConnectionPool(
            conninfo,
            connection_class=psycopg.Connection[DictRow],
            kwargs={
                "row_factory": dict_row,
                "prepare_threshold": 5 if prepare else None,
                "options": "-c timezone=UTC",
            },
            min_size=0,
            max_size=pool_size,
            max_idle=300.0,
            timeout=acquire_seconds,
            reconnect_timeout=acquire_seconds,
            check=_check,
            configure=_configure,
            open=False,
            name="lorebase",
        )

    @contextmanager
    def transaction(self, *, acquire_seconds: float | None = None) -> Iterator[Transaction]:
        """Run the block in one transaction: committed at its end, rolled back if it raises.

        `acquire_seconds` is how long this caller waits for a connection, where that is not as long as any other.
        Raises DatabaseUnavailable, DatabaseBusy or TransactionConflict where that is what went wrong.
        What the block registered with `after_commit` runs once the connection is back in the pool.
        """
        self._pool.open()
        with translated_errors(), self._connection(acquire_seconds) as connection:
            transaction = Transaction(connection)
            yield transaction
            _refuse_silent_rollback(connection)
        transaction.run_after_commit()

    @contextmanager
    def _connection(self, acquire_seconds: float | None) -> Iterator[psycopg.Connection[DictRow]]:
        try:
            connection = self._pool.getconn(acquire_seconds)
        except PoolTimeout:
            # The pool does not say why it had none to give; a server that cannot be reached says so itself.
            psycopg.connect(self.conninfo, connect_timeout=2).close()
            raise
        try:
            with connection:
                yield connection
        finally:
            self._pool.putconn(connection)

    def close(self) -> None:
        """Give all connections back to the server."""
        self._pool.close()


def _check(connection: psycopg.Connection[DictRow]) -> None:
    """Raise where the connection is dead, and undo what an earlier user set for the session."""
    connection.autocommit = True
    connection.execute("reset all", prepare=False)
    connection.autocommit = False


def _refuse_silent_rollback(connection: psycopg.Connection[DictRow]) -> None:
    # PostgreSQL answers COMMIT after a failed statement with a rollback, and no error.
    if connection.info.transaction_status == TransactionStatus.INERROR:
        raise RuntimeError("a statement failed and the block went on: nothing of it can be committed")


def _configure(connection: psycopg.Connection[DictRow]) -> None:
    known = connection.execute("select to_regtype('vector') is not null as known").fetchone()
    if known is not None and known["known"]:
        register_vector(connection)
    connection.commit()
