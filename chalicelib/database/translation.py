"""Translates the driver's errors into ours, once."""

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from psycopg import errors as pg
from psycopg_pool import PoolTimeout, TooManyRequests

from chalicelib.database.errors import DatabaseBusy, DatabaseUnavailable, TransactionConflict

_CONFLICTS = (pg.SerializationFailure, pg.DeadlockDetected)
_BUSY = (PoolTimeout, TooManyRequests, pg.TooManyConnections, pg.LockNotAvailable, pg.QueryCanceled)
_GONE = (pg.AdminShutdown, pg.CrashShutdown, pg.CannotConnectNow, pg.ReadOnlySqlTransaction, psycopg.InterfaceError)


@contextmanager
def translated_errors() -> Iterator[None]:
    """Raise ours for what the caller can wait out. Constraint violations pass: stores know what they mean."""
    try:
        yield
    except _CONFLICTS as error:
        raise TransactionConflict("Two changes met; repeat the request.") from error
    except _BUSY as error:
        raise DatabaseBusy("The database did not answer in time; try again.") from error
    except _GONE as error:
        raise DatabaseUnavailable("The connection to the database was lost; try again.") from error
    except psycopg.OperationalError as error:
        if error.sqlstate is None or error.sqlstate.startswith(("08", "53", "57")):
            raise DatabaseUnavailable("The database is out of reach; try again.") from error
        raise
