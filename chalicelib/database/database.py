"""The pool and its transactions."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
from pgvector.psycopg import register_vector
from psycopg.pq import TransactionStatus
from psycopg.rows import DictRow, dict_row
from psycopg_pool import ConnectionPool, PoolTimeout

from chalicelib.database.conninfo import checked_conninfo
from chalicelib.database.errors import DatabaseUnavailable
from chalicelib.database.transaction import Transaction
from chalicelib.database.translation import translated_errors

_ACQUIRE_SECONDS = 20.0
# A prepared statement is planned for its parameters each time. From the sixth time on PostgreSQL may take one plan for
# all, blind to filters that are null and to how many rows a term has: searches took ten times as long (docs/why.md).
_SESSION = "-c timezone=UTC -c plan_cache_mode=force_custom_plan"

# Together with what undoes an earlier user's settings of the session, and with a limit, in one trip to the server.
_BEGIN = b"reset all; begin"
_BEGIN_PROXIED = b"begin"
_LIMIT = b"; set local statement_timeout = %d"


class Database:
    """A pool of connections to one PostgreSQL database. Thread-safe; opens on first use.

    A connection that was cut meanwhile (a frozen function, a killed backend, a restarted server) is told by the
    transaction that cannot begin on it, and replaced before a statement runs: no write is ever repeated blindly.
    """

    def __init__(
        self,
        conninfo: str,
        *,
        password: Callable[[], str] | None = None,
        pool_size: int = 8,
        proxied: bool = False,
        acquire_seconds: float = _ACQUIRE_SECONDS,
    ) -> None:
        """`password` is asked at every new connection, for one that changes; `conninfo` needs none then.

        `proxied` for a server behind a proxy that gives a connection to somebody else after each transaction:
        nothing is prepared and nothing is set for a session, so that the role must have its time zone from the
        database (application_role.py). What is not prepared is planned each time.

        Who waits longer than `acquire_seconds` for a connection gets DatabaseBusy, or DatabaseUnavailable where
        the server cannot be reached at all; the default leaves a paused Aurora the time to resume.
        Raises DatabaseUrlMalformed.
        """
        self.conninfo = checked_conninfo(conninfo)
        self._password = password
        self._proxied = proxied
        self._acquire_seconds = acquire_seconds
        # RESET would bind a proxy's connection to us.
        self._begin = _BEGIN_PROXIED if proxied else _BEGIN
        self._pool: ConnectionPool[psycopg.Connection[DictRow]] = ConnectionPool(
            conninfo,
            connection_class=psycopg.Connection[DictRow],
            kwargs=self._arguments,
            min_size=0,
            max_size=pool_size,
            max_idle=300.0,
            timeout=acquire_seconds,
            reconnect_timeout=acquire_seconds,
            configure=_configure,
            open=False,
            name="lorebase",
        )

    def _arguments(self) -> dict[str, Any]:
        """Return the arguments of a new connection; the pool asks at each one."""
        # Set at the start of a session, a parameter would bind a proxy's connection to us for good.
        session = {"prepare_threshold": None} if self._proxied else {"options": _SESSION}
        # The driver's own BEGIN would be a trip of its own to the server, before the one that limits time.
        return {"row_factory": dict_row, "password": self._asked_password(), "autocommit": True, **session}

    def _asked_password(self) -> str | None:
        return None if self._password is None else self._password()

    @contextmanager
    def transaction(
        self, *, acquire_seconds: float | None = None, statement_seconds: float | None = None
    ) -> Iterator[Transaction]:
        """Run the block in one transaction: committed at its end, rolled back if it raises.

        `acquire_seconds` is how long this caller waits for a connection, where that is not as long as any other, and
        `statement_seconds` how long each of its statements may take, where that is not as long as the server lets it.
        Raises DatabaseUnavailable, DatabaseBusy or TransactionConflict where that is what went wrong.
        What the block registered with `after_commit` runs once the connection is back in the pool.
        """
        self._pool.open()
        with translated_errors(), self._begun(acquire_seconds, statement_seconds) as connection:
            transaction = Transaction(connection)
            yield transaction
            _refuse_silent_rollback(connection)
            transaction.run_before_commit()
            _refuse_silent_rollback(connection)
        transaction.run_after_commit()

    @contextmanager
    def _begun(
        self, acquire_seconds: float | None, statement_seconds: float | None
    ) -> Iterator[psycopg.Connection[DictRow]]:
        limit = b"" if statement_seconds is None else _LIMIT % max(int(statement_seconds * 1000), 1)
        try:
            connection = self._begin_where_alive(
                self._begin + limit, self._acquire_seconds if acquire_seconds is None else acquire_seconds
            )
        except PoolTimeout:
            # The pool does not say why it had none to give; a server that cannot be reached says so itself.
            psycopg.connect(self.conninfo, password=self._asked_password(), connect_timeout=2).close()
            raise
        try:
            with connection:
                yield connection
        finally:
            self._pool.putconn(connection)

    def _begin_where_alive(self, begin: bytes, seconds: float) -> psycopg.Connection[DictRow]:
        deadline = time.monotonic() + seconds
        while True:
            connection = self._pool.getconn(deadline - time.monotonic())
            try:
                connection.execute(begin, prepare=False)
            except BaseException as error:
                is_dead = isinstance(error, psycopg.Error) and connection.closed
                self._pool.putconn(connection)
                if not is_dead:
                    raise
            else:
                return connection

    def close(self) -> None:
        """Give all connections back to the server."""
        self._pool.close()


def _refuse_silent_rollback(connection: psycopg.Connection[DictRow]) -> None:
    # PostgreSQL answers COMMIT after a failed statement with a rollback, and no error.
    if connection.info.transaction_status == TransactionStatus.INERROR:
        raise RuntimeError("a statement failed and the block went on: nothing of it can be committed")
    # The driver says nothing of a connection that is gone by the end of a block.
    if connection.closed:
        raise DatabaseUnavailable("The connection to the database was lost; try again.")


def _configure(connection: psycopg.Connection[DictRow]) -> None:
    known = connection.execute("select to_regtype('vector') is not null as known").fetchone()
    if known is not None and known["known"]:
        register_vector(connection)
    connection.commit()
