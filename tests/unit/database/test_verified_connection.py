"""Over TLS the pool connects to the server that it was told of and to no other, with the password of the moment."""

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict

from chalicelib.database.database import Database
from chalicelib.database.errors import DatabaseUnavailable
from chalicelib.database.statements import parse_statements
from tests.fixtures.tls_postgres import TlsPostgres

_SQL = parse_statements(
    """
-- name: session
-- What the server knows of this connection.
select session_user as role, current_setting('timezone') as timezone, pg_backend_pid() as pid
""",
    origin="test",
)
USER = "verified"


class Tokens:
    """A password that changes, and counts how often it was asked for."""

    def __init__(self, server: TlsPostgres) -> None:
        self._server = server
        self.asked = 0
        self.value = ""
        self.change()

    def change(self) -> None:
        self.value = f"token-{self.asked}-{id(self)}"
        self._server.set_password(USER, self.value)

    def __call__(self) -> str:
        self.asked += 1
        return self.value


@pytest.fixture
def tokens(tls_postgres: TlsPostgres) -> Tokens:
    return Tokens(tls_postgres)


@pytest.fixture
def opened(tokens: Tokens) -> Iterator[Callable[[str], Database]]:
    with ExitStack() as stack:

        def open_database(conninfo: str) -> Database:
            database = Database(conninfo, password=tokens, pool_size=1, acquire_seconds=1.0)
            stack.callback(database.close)
            return database

        yield open_database


def session_of(database: Database) -> dict[str, object]:
    with database.transaction() as tx:
        return dict(tx.fetch_one(_SQL["session"]) or {})


def test_the_right_host_under_the_right_authority_is_connected_to(
    tls_postgres: TlsPostgres, opened: Callable[[str], Database]
) -> None:
    session = session_of(opened(tls_postgres.conninfo(user=USER)))
    assert (session["role"], session["timezone"]) == (USER, "UTC")


def test_another_host_is_refused(tls_postgres: TlsPostgres, opened: Callable[[str], Database]) -> None:
    conninfo = tls_postgres.conninfo(user=USER, host="lorebase-dev.cluster-abcdef.eu-central-1.rds.amazonaws.com")
    with pytest.raises(DatabaseUnavailable) as refused:
        session_of(opened(conninfo))
    assert "does not match host name" in str(refused.value.__cause__)


def test_another_authority_of_the_same_name_is_refused(
    tls_postgres: TlsPostgres, opened: Callable[[str], Database]
) -> None:
    conninfo = tls_postgres.conninfo(user=USER, authority=tls_postgres.other_authority)
    with pytest.raises(DatabaseUnavailable) as refused:
        session_of(opened(conninfo))
    assert "SSL error" in str(refused.value.__cause__)


def test_each_new_connection_asks_for_the_password_of_the_moment(
    tls_postgres: TlsPostgres, tokens: Tokens, opened: Callable[[str], Database]
) -> None:
    database = opened(tls_postgres.conninfo(user=USER))
    session_of(database)
    session_of(database)
    assert tokens.asked == 1
    tokens.change()
    assert tls_postgres.end_sessions_of(USER) == 1
    assert session_of(database)["role"] == USER
    assert tokens.asked == 2


def test_a_session_that_the_server_ended_for_being_idle_is_replaced(
    tls_postgres: TlsPostgres, tokens: Tokens, opened: Callable[[str], Database]
) -> None:
    with psycopg.connect(tls_postgres.superuser, autocommit=True) as owner:
        owner.execute("alter role verified set idle_session_timeout = '20ms'")
        database = opened(tls_postgres.conninfo(user=USER))
        first = session_of(database)["pid"]
        deadline = time.monotonic() + 10
        while owner.execute("select from pg_stat_activity where pid = %s", [first]).rowcount:
            assert time.monotonic() < deadline
        owner.execute("alter role verified reset idle_session_timeout")
    assert session_of(database)["pid"] != first
    assert tokens.asked == 2


def test_the_password_is_in_no_conninfo_log_or_error(
    tls_postgres: TlsPostgres,
    tokens: Tokens,
    opened: Callable[[str], Database],
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    database = opened(tls_postgres.conninfo(user=USER))
    tls_postgres.set_password(USER, "another")
    with pytest.raises(DatabaseUnavailable) as refused:
        session_of(database)
    assert tokens.asked > 1
    assert "password authentication failed" in caplog.text
    assert "password" not in conninfo_to_dict(database.conninfo)
    assert tokens.value not in "".join(
        [caplog.text, database.conninfo, repr(refused.value), str(refused.value.__cause__)]
    )
