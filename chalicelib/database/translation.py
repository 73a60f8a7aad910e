"""Translates the driver's errors into ours, once."""

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from psycopg import errors as pg
from psycopg_pool import PoolTimeout, TooManyRequests

from chalicelib.database.errors import DatabaseBusy, DatabaseUnavailable, TextRefused, TransactionConflict

_CONFLICTS = (pg.SerializationFailure, pg.DeadlockDetected)
_BUSY = (PoolTimeout, TooManyRequests, pg.TooManyConnections, pg.LockNotAvailable, pg.QueryCanceled)
_TEXT = (pg.CharacterNotInRepertoire, pg.UntranslatableCharacter)
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
    except pg.DiskFull as error:
        raise DatabaseUnavailable("The disk of the database is full; make room on it and try again.") from error
    except _GONE as error:
        raise DatabaseUnavailable("The connection to the database was lost; try again.") from error
    except psycopg.DataError as error:
        # The driver refuses NUL by itself, without a state; the server does inside JSON.
        if error.sqlstate is None or isinstance(error, _TEXT):
            raise TextRefused("Text cannot hold the character U+0000; leave it out.") from error
        raise
    except psycopg.OperationalError as error:
        if error.sqlstate is None or error.sqlstate.startswith(("08", "53", "57")):
            raise DatabaseUnavailable("The database is out of reach; try again.") from error
        raise
