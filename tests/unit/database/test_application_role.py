"""The role that serves reads and writes rows, and is refused whatever would alter what holds them."""

from collections.abc import Iterator
from datetime import timedelta

import psycopg
import pytest

from chalicelib.database import migrate as migrations
from chalicelib.database.application_role import grant_application_role
from chalicelib.database.conninfo import with_password
from chalicelib.database.database import Database
from chalicelib.database.migrate import Migration, list_migrations, migrate
from chalicelib.database.statements import parse_statements
from tests.fixtures.aurora import Aurora

_PASSWORD = "of-the-role"
_SQL = parse_statements(
    """
-- name: session
-- What this session has of its own.
select current_setting('timezone') as timezone, current_timestamp as now,
    (select count(*) from pg_prepared_statements) as prepared,
    (select count(*) from pg_settings where source = 'client' and name = 'TimeZone') as set_by_client
""",
    origin="test",
)
REFUSED = (
    "create table mine (id integer)",
    "create temporary table mine (id integer)",
    "create schema mine",
    "create index mine on items (id)",
    "create function mine() returns integer language sql return 1",
    "alter table items add column mine integer",
    "alter table items disable trigger all",
    "drop table items",
    "drop index items_recent",
    "truncate items",
    "create role mine",
    "create database mine",
    "drop extension vector",
    "alter function index_embedding_space(smallint) set search_path = mine",
    "insert into schema_migrations (number, name, checksum) values (999, 'mine', '')",
    "delete from schema_migrations",
    "update activity set action = 'mine.done'",
    "delete from activity",
    "truncate activity",
    "update citations set quote = 'mine'",
    "delete from citations",
    "update answers set text = 'mine'",
    "delete from answers",
    "drop trigger activity_is_kept on activity",
    "select forget_activity('2000-01-01')",
    "set role lorebase_master",
    "set session_replication_role = replica",
)
LATER = Migration(
    len(list_migrations()) + 1,
    "later",
    "create table later (id integer generated always as identity, note text);"
    " create function act() returns bigint language sql security definer"
    " set search_path = pg_catalog, public, pg_temp return (select count(*) from later);"
    " revoke execute on function act() from public;",
)


@pytest.fixture
def granted(aurora: Aurora) -> Aurora:
    """A migrated database, and the role in it."""
    migrate(aurora.master_conninfo)
    grant_application_role(aurora.master_conninfo, role=aurora.role)
    aurora.server.set_password(aurora.role, _PASSWORD)
    return aurora


def conninfo_of(aurora: Aurora) -> str:
    return with_password(aurora.server.conninfo(user=aurora.role, name=aurora.name), _PASSWORD)


@pytest.fixture
def session(granted: Aurora) -> Iterator[psycopg.Connection]:
    with psycopg.connect(conninfo_of(granted), autocommit=True) as connection:
        yield connection


@pytest.mark.parametrize("statement", REFUSED)
def test_what_would_alter_the_schema_is_refused(session: psycopg.Connection, statement: str) -> None:
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        session.execute(statement.encode())


def test_rows_of_every_table_are_read_written_and_deleted(session: psycopg.Connection) -> None:
    tables = session.execute(
        "select relname, array_agg(privilege order by privilege) from pg_class,"
        " unnest(array['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'REFERENCES', 'TRIGGER']) privilege"
        " where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')"
        " and has_table_privilege(oid, privilege) group by relname"
    ).fetchall()
    privileges: dict[str, list[str]] = dict(tables)
    assert privileges.pop("schema_migrations") == ["SELECT"]
    for kept in ("activity", "answers", "citations"):
        assert privileges.pop(kept) == ["INSERT", "SELECT"]
    assert len(privileges) > 20
    assert set(map(tuple, privileges.values())) == {("DELETE", "INSERT", "SELECT", "UPDATE")}


def test_the_role_is_admitted_by_iam_and_is_nobody_else(granted: Aurora) -> None:
    roles = granted.run(
        "select r.rolname from pg_auth_members m join pg_roles r on r.oid = m.roleid"
        f" where m.member = '{granted.role}'::regrole"
    )
    assert roles == [("rds_iam",)]
    assert granted.run(
        f"select rolsuper, rolcreaterole, rolcreatedb, rolbypassrls from pg_roles where rolname = '{granted.role}'"
    ) == [(False, False, False, False)]


def test_where_there_is_no_iam_the_role_is_a_plain_one(conninfo: str) -> None:
    grant_application_role(conninfo, role="plain")
    with psycopg.connect(conninfo, autocommit=True) as connection:
        memberships = connection.execute("select from pg_auth_members where member = 'plain'::regrole").fetchall()
        connection.execute("drop owned by plain")
        connection.execute("drop role plain")
    assert memberships == []


@pytest.mark.parametrize(("proxied", "prepared"), [(True, 0), (False, 1)])
def test_a_session_behind_a_proxy_has_utc_and_prepares_nothing(
    granted: Aurora, *, proxied: bool, prepared: int
) -> None:
    database = Database(conninfo_of(granted), pool_size=1, proxied=proxied)
    for _ in range(8):
        with database.transaction() as tx:
            session = tx.fetch_one(_SQL["session"]) or {}
    database.close()
    assert session["timezone"] == "UTC"
    assert session["now"].utcoffset() == timedelta(0)
    assert session["prepared"] == prepared
    assert session["set_by_client"] == (0 if proxied else 1)


@pytest.mark.parametrize("again", [True, False])
def test_what_a_later_migration_makes_is_covered(
    granted: Aurora, monkeypatch: pytest.MonkeyPatch, *, again: bool
) -> None:
    known = [*list_migrations(), LATER]
    monkeypatch.setattr(migrations, "list_migrations", lambda: known)
    assert migrate(granted.master_conninfo) == [LATER]
    if again:
        grant_application_role(granted.master_conninfo, role=granted.role)
    with psycopg.connect(conninfo_of(granted), autocommit=True) as connection:
        connection.execute("insert into later (note) values ('a')")
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute("truncate later")
        if again:
            assert connection.execute("select act()").fetchone() == (1,)


def test_what_was_granted_by_hand_is_taken_back(granted: Aurora) -> None:
    granted.run(f"grant truncate, trigger on items to {granted.role}")
    granted.run(f"grant create on schema public to {granted.role}")
    granted.run(f"grant temporary on database {granted.name} to public")
    grant_application_role(granted.master_conninfo, role=granted.role)
    with psycopg.connect(conninfo_of(granted), autocommit=True) as connection:
        for statement in ("truncate items", "create table mine ()", "create temporary table mine ()"):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                connection.execute(statement.encode())


def test_a_name_with_anything_in_it_stays_a_name(granted: Aurora) -> None:
    strange = 'app"; drop table items; --'
    grant_application_role(granted.master_conninfo, role=strange)
    quoted = strange.replace('"', '""')
    assert granted.run("select count(*) from items") == [(0,)]
    assert granted.run(f"select has_table_privilege('{strange}', 'items', 'insert')") == [(True,)]
    granted.run(f'drop owned by "{quoted}"')
    granted.run(f'drop role "{quoted}"')


def test_a_space_is_indexed_once_and_for_a_space_that_is_there(session: psycopg.Connection) -> None:
    session.execute("insert into embedding_spaces (name, dimensions) values ('m/3', 3)")
    for _ in range(2):
        session.execute("select index_embedding_space(1::smallint)")
    indexes = session.execute("select indexdef from pg_indexes where indexname = 'embeddings_space_1'").fetchall()
    assert len(indexes) == 1
    assert "halfvec(3)" in indexes[0][0]
    with pytest.raises(psycopg.errors.NoDataFound):
        session.execute("select index_embedding_space(9::smallint)")
