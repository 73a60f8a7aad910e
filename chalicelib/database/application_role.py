"""The role that serves: it reads and writes rows, and can neither alter, drop nor truncate what holds them."""

import psycopg
from psycopg import sql
from psycopg.rows import DictRow, dict_row

from chalicelib.database.conninfo import checked_conninfo
from chalicelib.database.statements import load_statements
from chalicelib.database.translation import translated_errors

_SQL = load_statements(__package__, "application_role.sql")
_STEPS = (
    "keep_utc",
    "close_database",
    "open_database",
    "close_schema",
    "open_schema",
    "close_tables",
    "open_tables",
    "protect_history",
    "protect_activity",
    "protect_citations",
    "open_later_tables",
)


def grant_application_role(conninfo: str, *, role: str) -> None:
    """Make the role, or make it right again, in one transaction; to be called after each migration.

    `conninfo` is the owner's: whoever migrates. Everybody else but the owner loses what PostgreSQL gives to
    all by default, so the database should be ours alone. Where there is a role `rds_iam`, as on Aurora, the
    role logs in by IAM. Raises DatabaseUnavailable.
    """
    with translated_errors(), psycopg.connect(checked_conninfo(conninfo), row_factory=dict_row) as connection:
        names = {"role": role, "database": connection.info.dbname}
        _execute(connection, "take_turns", names)
        if not _is_there(connection, role):
            _execute(connection, "create_role", names)
        if _is_there(connection, "rds_iam"):
            _execute(connection, "admit_by_iam", names)
        for step in _STEPS:
            _execute(connection, step, names)
        for row in connection.execute(_SQL["list_functions_of_owner"].text).fetchall():
            _execute(connection, "open_function", names, function=row["signature"])


def _is_there(connection: psycopg.Connection[DictRow], name: str) -> bool:
    row = connection.execute(_SQL["find_role"].text, {"name": name}).fetchone()
    return row is not None and row["found"]


def _execute(
    connection: psycopg.Connection[DictRow], statement: str, names: dict[str, str], *, function: str = ""
) -> None:
    """Run a statement with names written into it, where PostgreSQL takes no parameters.

    `function` comes quoted from the server.
    """
    text = _SQL[statement].text.replace(b"<function>", function.encode())
    for place, name in names.items():
        text = text.replace(b"<%b>" % place.encode(), sql.Identifier(name).as_bytes(connection))
    connection.execute(text)
