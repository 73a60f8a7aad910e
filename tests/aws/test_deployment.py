"""A deployment's step: migrates, grants, founds; again it changes nothing; what fails says why and shows no values."""

import json
import logging
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

import psycopg
import pytest

from chalicelib.aws_database import database_ownership
from chalicelib.database import migrate as migrations
from chalicelib.database.database import Database
from chalicelib.database.errors import DatabaseUnavailable
from chalicelib.database.migrate import Migration, SchemaIsNewer, list_migrations, migrate
from chalicelib.database.wait_for_server import wait_for_server
from chalicelib.identity.authenticate import authenticate
from chalicelib.settings import load_settings
from chalicelib.triggers.deployment import DatabaseNotPrepared
from chalicelib.triggers.functions import handle_migrations
from tests.fixtures.aurora import PASSWORD
from tests.fixtures.prepared import Stage


@pytest.fixture(autouse=True)
def fresh_settings(stage: Stage) -> Iterator[None]:  # noqa: ARG001 - its environment is what is read afresh
    load_settings.cache_clear()
    yield
    load_settings.cache_clear()


def test_an_empty_database_is_prepared(stage: Stage) -> None:
    report = handle_migrations({}, None)
    names = [f"{migration.number:04}_{migration.name}" for migration in list_migrations()]
    assert report == {"schema": "current", "applied": names, "organization": "founded"}
    assert stage.aurora.run("select count(*) from organizations") == [(1,)]
    assert stage.aurora.run(f"select has_table_privilege('{stage.aurora.role}', 'items', 'insert')") == [(True,)]
    tables = stage.aurora.run("select distinct tableowner::text from pg_tables where schemaname = 'public'")
    assert tables == [("lorebase_master",)]


def test_the_key_in_the_store_opens_what_was_founded(stage: Stage) -> None:
    handle_migrations({}, None)
    database = Database(stage.aurora.master_conninfo)
    with database.transaction() as tx:
        owner = authenticate(tx, stage.secret("owner-key"), pepper=b"p" * 43, now=datetime.now(UTC))
    database.close()
    assert owner.name == "Owner"


def test_the_next_deployment_finds_everything_in_place(stage: Stage) -> None:
    handle_migrations({}, None)
    key = stage.secret("owner-key")
    assert handle_migrations({}, None) == {"schema": "current", "applied": [], "organization": "kept"}
    assert stage.secret("owner-key") == key
    assert stage.aurora.run("select count(*) from organizations") == [(1,)]


def test_neither_report_nor_log_has_a_secret(stage: Stage, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, logger="chalicelib")
    caplog.set_level(logging.DEBUG, logger="psycopg")
    said = json.dumps(handle_migrations({}, None)) + caplog.text
    assert "The database is prepared" in said
    for secret in (PASSWORD, stage.secret("owner-key"), "p" * 43):
        assert secret not in said
    with database_ownership(stage.settings) as ownership:
        assert PASSWORD not in repr(ownership)
        assert PASSWORD in ownership.conninfo


def test_older_code_on_a_newer_schema_succeeds_and_does_nothing(stage: Stage) -> None:
    handle_migrations({}, None)
    stage.aurora.run("insert into schema_migrations (number, name, checksum) values (999, 'of the future', '')")
    stage.aurora.run(f"revoke all on items from {stage.aurora.role}")
    assert handle_migrations({}, None) == {"schema": "newer", "applied": [], "organization": "kept"}
    assert stage.aurora.run(f"select has_table_privilege('{stage.aurora.role}', 'items', 'insert')") == [(False,)]
    with pytest.raises(SchemaIsNewer):
        migrate(stage.aurora.master_conninfo)


def test_a_migration_that_fails_fails_the_deployment_by_name_and_without_rows(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    number = len(list_migrations()) + 1
    broken = Migration(
        number, "doubled", "create table t (a text unique); insert into t values ('row-of-a-user'), ('row-of-a-user')"
    )
    known = [*list_migrations(), broken]
    monkeypatch.setattr(migrations, "list_migrations", lambda: known)
    with pytest.raises(DatabaseNotPrepared) as failed:
        handle_migrations({}, None)
    assert f"UniqueViolation in migration {number:04} (doubled)" in str(failed.value)
    assert "row-of-a-user" not in str(failed.value)
    assert failed.value.__suppress_context__
    assert stage.aurora.run("select max(number) from schema_migrations") == [(number - 1,)]


def test_a_migration_that_changed_fails_the_deployment_in_our_words(stage: Stage) -> None:
    handle_migrations({}, None)
    stage.aurora.run("update schema_migrations set checksum = 'other' where number = 2")
    with pytest.raises(DatabaseNotPrepared, match=r"^Migration 0002 \(jobs\) is not the one that was applied\.$"):
        handle_migrations({}, None)


def test_without_the_masters_secret_the_deployment_fails_and_says_so(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOREBASE_DATABASE_MASTER_SECRET", "rds!cluster-absent")
    assert stage.settings.database_master_secret == "rds!cluster-absent"
    with pytest.raises(DatabaseNotPrepared, match=r"^The secret with the master's login is not there\.$"):
        handle_migrations({}, None)


def test_a_server_that_sleeps_is_waited_for(stage: Stage) -> None:
    conninfo = stage.aurora.master_conninfo
    stage.aurora.run("alter role lorebase_master nologin")
    waits: list[float] = []

    def wake(seconds: float) -> None:
        waits.append(seconds)
        if len(waits) == 2:
            stage.aurora.run("alter role lorebase_master login")

    wait_for_server(conninfo, seconds=60, pause=wake)
    assert waits == [1.0, 1.0]
    with psycopg.connect(conninfo) as connection:
        assert connection.execute("select 1").fetchone() == (1,)


def test_a_server_that_stays_away_is_reported_in_its_own_words(stage: Stage) -> None:
    conninfo = stage.aurora.master_conninfo.replace(PASSWORD, "wrong-password")
    with pytest.raises(DatabaseUnavailable, match="password authentication failed") as failed:
        wait_for_server(conninfo, seconds=0)
    assert "wrong-password" not in failed.value.detail


@pytest.mark.parametrize(
    "kept", ["no json", "[]", "null", "{}", '{"username": "u"}', '{"username": "u", "password": null}']
)
def test_a_masters_secret_without_a_login_is_called_by_its_name(stage: Stage, kept: str) -> None:
    stage.aws.clients.secrets.put_secret_value(SecretId=stage.settings.database_master_secret, SecretString=kept)
    with pytest.raises(DatabaseNotPrepared, match=r"^The secret with the master's login has no username and password"):
        handle_migrations({}, None)


def test_of_deployments_at_once_each_finds_the_database_prepared(stage: Stage) -> None:
    for _ in range(2):
        with ThreadPoolExecutor(6) as threads:
            reports = list(threads.map(lambda _: handle_migrations({}, None), range(6)))
        assert {report["schema"] for report in reports} == {"current"}
    assert stage.aurora.run("select count(*) from organizations") == [(1,)]
