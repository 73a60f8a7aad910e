"""Says where the database is, and checks it before anybody connects."""

from pathlib import Path

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo

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


def verified_conninfo(*, host: str, port: int, name: str, user: str, root_certificates: Path) -> str:
    """Return how to connect over TLS to the host that it names and no other; the password is not in it."""
    return make_conninfo(
        host=host,
        port=port,
        dbname=name,
        user=user,
        sslmode="verify-full",
        sslrootcert=str(root_certificates),
        # A function that was frozen while the database moved to another machine would wait for minutes.
        tcp_user_timeout=15_000,
        application_name="lorebase",
    )


def with_password(conninfo: str, password: str) -> str:
    """Return `conninfo` with a password in it: for connections that are made at once, and never to be shown."""
    return make_conninfo(conninfo, password=password)
