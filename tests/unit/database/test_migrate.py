"""Migrations: each once, in order, all or nothing, however many start at once."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from chalicelib.database import migrate as module
from chalicelib.database.migrate import Migration, MigrationChanged, SchemaIsNewer, list_migrations, migrate

_FIRST = Migration(1, "first", "create table first (id integer)")
_SECOND = Migration(2, "second", "create table second (id integer); insert into second values (1)")
_BROKEN = Migration(2, "broken", "create table half (id integer); select 1 / 0")
_OUTSIDE = Migration(2, "index", "-- outside a transaction\ncreate index concurrently first_id on first (id);\n")


def _known(monkeypatch: pytest.MonkeyPatch, *migrations: Migration) -> None:
    def listed() -> Sequence[Migration]:
        return migrations

    monkeypatch.setattr(module, "list_migrations", listed)


def _tables(conninfo: str) -> list[str]:
    with psycopg.connect(conninfo) as connection:
        rows = connection.execute("select tablename from pg_tables where schemaname = 'public' order by 1").fetchall()
    return [name for (name,) in rows]


def test_our_migrations_build_the_schema_and_are_not_applied_again(empty_conninfo: str) -> None:
    assert [migration.number for migration in migrate(empty_conninfo)] == [
        migration.number for migration in list_migrations()
    ]
    assert migrate(empty_conninfo) == []


def test_our_migrations_are_numbered_without_a_gap() -> None:
    assert [migration.number for migration in list_migrations()] == list(range(1, len(list_migrations()) + 1))


def test_only_what_is_missing_is_applied(empty_conninfo: str, monkeypatch: pytest.MonkeyPatch) -> None:
    _known(monkeypatch, _FIRST)
    assert migrate(empty_conninfo) == [_FIRST]
    _known(monkeypatch, _FIRST, _SECOND)
    assert migrate(empty_conninfo) == [_SECOND]
    assert _tables(empty_conninfo) == ["first", "schema_migrations", "second"]


@pytest.mark.parametrize("second", [_SECOND, _OUTSIDE])
def test_of_eight_that_start_at_once_one_works_and_the_others_wait(
    empty_conninfo: str, monkeypatch: pytest.MonkeyPatch, second: Migration
) -> None:
    _known(monkeypatch, _FIRST, second)
    with ThreadPoolExecutor(8) as threads:
        applied = list(threads.map(migrate, [empty_conninfo] * 8))
    assert sorted(map(len, applied)) == [0] * 7 + [2]


def test_a_migration_that_fails_leaves_nothing_of_itself(empty_conninfo: str, monkeypatch: pytest.MonkeyPatch) -> None:
    _known(monkeypatch, _FIRST, _BROKEN)
    with pytest.raises(psycopg.errors.DivisionByZero):
        migrate(empty_conninfo)
    assert _tables(empty_conninfo) == ["first", "schema_migrations"]
    _known(monkeypatch, _FIRST, _SECOND)
    assert migrate(empty_conninfo) == [_SECOND]


def test_a_migration_that_changed_after_it_was_applied_is_refused(
    empty_conninfo: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    _known(monkeypatch, _FIRST)
    migrate(empty_conninfo)
    _known(monkeypatch, Migration(1, "first", "create table other (id integer)"), _SECOND)
    with pytest.raises(MigrationChanged, match="0001"):
        migrate(empty_conninfo)
    assert _tables(empty_conninfo) == ["first", "schema_migrations"]


def test_a_schema_of_a_newer_version_is_refused(empty_conninfo: str, monkeypatch: pytest.MonkeyPatch) -> None:
    _known(monkeypatch, _FIRST, _SECOND)
    migrate(empty_conninfo)
    _known(monkeypatch, _FIRST)
    with pytest.raises(SchemaIsNewer, match="at migration 2, this version knows 1"):
        migrate(empty_conninfo)


def test_a_migration_may_take_longer_than_a_statement_that_serves(
    empty_conninfo: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    _known(monkeypatch, Migration(1, "slow", "select pg_sleep(0.3); create table slow ();"))
    assert len(migrate(make_conninfo(empty_conninfo, options="-c statement_timeout=250"))) == 1
    assert _tables(empty_conninfo) == ["schema_migrations", "slow"]
