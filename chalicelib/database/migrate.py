"""Brings a database to the present schema: numbered SQL files, in order, each applied once."""

import hashlib
import time
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files

import psycopg

from chalicelib.database.conninfo import checked_conninfo
from chalicelib.database.translation import translated_errors
from chalicelib.errors import Conflict

_LOCK_KEY = 0x4C4F5245  # "LORE": one number for all starters to meet at
_POLL_SECONDS = 0.1
_OUTSIDE = "-- outside a transaction\n"


class MigrationChanged(Conflict):
    """A migration that was applied before has another content now."""


class SchemaIsNewer(Conflict):
    """The database was migrated by a newer version of Lorebase."""


@dataclass(frozen=True, slots=True)
class Migration:
    """One numbered file. One that begins with `-- outside a transaction` runs statement by statement."""

    number: int
    name: str
    text: str

    @property
    def checksum(self) -> str:
        """SHA-256 of the text, in hex."""
        return hashlib.sha256(self.text.encode()).hexdigest()


def list_migrations() -> Sequence[Migration]:
    """Return the migrations in order. Raises ValueError where the numbers have a gap."""
    folder = files("chalicelib.database").joinpath("migrations")
    names = sorted(entry.name for entry in folder.iterdir() if entry.name.endswith(".sql"))
    migrations = [Migration(int(name[:4]), name[5:-4], folder.joinpath(name).read_text("utf-8")) for name in names]
    if [migration.number for migration in migrations] != list(range(1, len(migrations) + 1)):
        raise ValueError(f"the migrations are not numbered without a gap: {names}")
    return migrations


def migrate(conninfo: str) -> Sequence[Migration]:
    """Apply what is missing and return it. Many may call it at once: one works, the others wait.

    Raises MigrationChanged, SchemaIsNewer, DatabaseUrlMalformed, DatabaseUnavailable.
    """
    with translated_errors(), psycopg.connect(checked_conninfo(conninfo), autocommit=True) as connection:
        # Servers set a limit for statements that serve; building an index may take longer.
        connection.execute("set statement_timeout = 0")
        _wait_for_lock(connection)
        connection.execute(
            "create table if not exists schema_migrations (number integer primary key, name text not null,"
            " checksum text not null, applied_at timestamptz not null default now())"
        )
        applied: dict[int, str] = dict(connection.execute("select number, checksum from schema_migrations").fetchall())
        migrations = list_migrations()
        _refuse_strangers(applied, migrations)
        missing = [migration for migration in migrations if migration.number not in applied]
        for migration in missing:
            _apply(connection, migration)
        return missing


def _wait_for_lock(connection: psycopg.Connection[tuple[object, ...]]) -> None:
    # Waiting inside pg_advisory_lock would keep a snapshot open, and `create index concurrently` of the one
    # who works waits for all older snapshots: a deadlock.
    while connection.execute("select pg_try_advisory_lock(%s)", [_LOCK_KEY]).fetchone() != (True,):
        time.sleep(_POLL_SECONDS)


def _refuse_strangers(applied: dict[int, str], migrations: Sequence[Migration]) -> None:
    if applied and max(applied) > len(migrations):
        raise SchemaIsNewer(
            f"The database is at migration {max(applied)}, this version knows {len(migrations)}."
            " Start the newer version."
        )
    for migration in migrations:
        if applied.get(migration.number, migration.checksum) != migration.checksum:
            raise MigrationChanged(
                f"Migration {migration.number:04} ({migration.name}) is not the one that was applied."
            )


def _apply(connection: psycopg.Connection[tuple[object, ...]], migration: Migration) -> None:
    try:
        _run(connection, migration)
    except psycopg.Error as error:
        error.add_note(f"in migration {migration.number:04} ({migration.name})")
        raise


def _run(connection: psycopg.Connection[tuple[object, ...]], migration: Migration) -> None:
    record = "insert into schema_migrations (number, name, checksum) values (%s, %s, %s)"
    row = [migration.number, migration.name, migration.checksum]
    if migration.text.startswith(_OUTSIDE):
        for statement in migration.text.removeprefix(_OUTSIDE).split(";\n"):
            if statement.strip():
                connection.execute(statement.encode())
        connection.execute(record, row)
        return
    with connection.transaction():
        connection.execute(migration.text.encode())
        connection.execute(record, row)
