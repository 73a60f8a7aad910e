"""Checks where the database is before anybody connects."""

import psycopg
from psycopg.conninfo import conninfo_to_dict

from chalicelib.database.errors import DatabaseUrlMalformed


def checked_conninfo(conninfo: str) -> str:
    """Return the URL or connection string. Raises DatabaseUrlMalformed, which does not quote it."""
    try:
        conninfo_to_dict(conninfo)
    except psycopg.ProgrammingError:
        # Not `from` its cause: the driver's message quotes the URL, and with it the password.
        raise DatabaseUrlMalformed(
            "The URL of the database cannot be read. It looks like postgresql://user:password@host:5432/name,"
            " with anything special in the password written as %xx."
        ) from None
    return conninfo
