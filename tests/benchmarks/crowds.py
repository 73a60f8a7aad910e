"""Workspaces with more items and audiences than can be added one by one: their rows are written set by set."""

import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from hashlib import md5
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import LiteralString
from uuid import UUID

import psycopg
from psycopg import sql
from psycopg.conninfo import make_conninfo

from chalicelib.database.database import Database
from chalicelib.database.ids import new_id
from chalicelib.database.migrate import migrate
from chalicelib.database.statements import Statement, parse_statements
from chalicelib.database.transaction import Transaction
from chalicelib.platform.local.postgres.binaries import embedded_binaries
from chalicelib.platform.local.postgres.launcher import start_postgres
from tests.fixtures.indexing import IndexRoom

FOLDER = "handbook"
"""Where the items lie, a hundred to a folder."""

_BACKEND = Statement("backend", "This session's process.", b"select pg_backend_pid() as pid")
_SQL = parse_statements(
    """
-- name: add_body
-- The one body that all items have.
insert into bodies (owner_id, sha256, body) values (%(workspace_id)s, sha256('body'), 'body')

-- name: add_items
-- Items in folders of a hundred, with what items usually carry.
insert into items (id, workspace_id, kind, class, scope, status, path, title, description, language, tags, metadata,
                   audience_id, revision, body_sha256, body_bytes, index_state, indexed_revision, indexed_language,
                   chunk_count, created_by, updated_by)
select uuidv7(), %(workspace_id)s, 'page', 'freeform', 'library', 'active',
       format('handbook/%%s/%%s.md', lpad((n / 100)::text, 4, '0'), lpad(n::text, 6, '0')), 'Item ' || n,
       'What item ' || n || ' is about, in a sentence as people write them.', 'en',
       array['tag-' || n %% 50, 'tag-' || n %% 7], jsonb_build_object('source', 'benchmark', 'number', n),
       %(audience_id)s, 1, sha256('body'), 4, 'ready', 1, 'en', 20, %(principal_id)s, %(principal_id)s
from generate_series(0, %(items)s - 1) n

-- name: add_uploads
-- The upload that each item came from.
insert into uploads (id, workspace_id, path, filename, source, source_key, audience_id, state, outcome, item_id,
                     revision, created_by, received_at, finished_at)
select uuidv7(), i.workspace_id, i.path, i.title, 'direct', i.id::text, i.audience_id, 'succeeded', 'added', i.id, 1,
       i.created_by, now(), now()
from items i where i.workspace_id = %(workspace_id)s

-- name: say_about_folders
-- Settings on so many folders, each naming other readers.
with said as (
    insert into folders (id, workspace_id, path)
    select uuidv7(), %(workspace_id)s, 'handbook/' || lpad(n::text, 4, '0') from generate_series(0, %(folders)s - 1) n
    returning id, workspace_id, path
)
insert into access_settings (subject_id, workspace_id, folder_id, audience_kind, audience)
select id, workspace_id, id, 'named', array['user:' || md5(path)::uuid] from said

-- name: say_about_items
-- Settings on so many items, each naming other readers.
insert into access_settings (subject_id, workspace_id, item_id, audience_kind, audience)
select i.id, i.workspace_id, i.id, 'named', array['user:' || md5(i.path)::uuid]
from (select * from items where workspace_id = %(workspace_id)s order by md5(path) limit %(items)s) i

-- name: add_folder
-- The folder that all of them lie in.
insert into folders (id, workspace_id, path) values (uuidv7(), %(workspace_id)s, 'handbook')

-- name: add_audiences
-- So many audiences of so many clauses; audience n names user n first in each, the owners last, others between.
insert into audiences (workspace_id, digest, clauses)
select %(workspace_id)s, sha256(convert_to('audience ' || n, 'UTF8')), (
    select jsonb_agg((
        select jsonb_agg(said.token order by said.at)
        from (
            select 0 as at, 'user:' || md5(n::text)::uuid as token
            union all
            select at, format('user:%%s', md5(format('%%s of %%s', at, n))::uuid)
            from generate_series(1, %(tokens)s - 2) at
            union all
            select %(tokens)s, 'owner:' || %(workspace_id)s::text
        ) said
        where clause > 0
    ))
    from generate_series(1, %(clauses)s) clause
)
from generate_series(1, %(audiences)s) n

-- name: forget_audiences
-- No audience any more.
delete from audiences where workspace_id = %(workspace_id)s

-- name: restrict
-- Restrict the folder.
insert into access_settings (subject_id, workspace_id, folder_id, is_restricted)
select f.id, f.workspace_id, f.id, true from folders f
where f.workspace_id = %(workspace_id)s and f.path = 'handbook'

-- name: grant
-- Let somebody read the folder.
insert into grants (id, workspace_id, folder_id, principal_id, action)
select uuidv7(), f.workspace_id, f.id, %(principal_id)s, 'read' from folders f
where f.workspace_id = %(workspace_id)s and f.path = 'handbook'

-- name: lift
-- Say nothing about the folder any more.
delete from access_settings s using folders f
where s.folder_id = f.id and f.workspace_id = %(workspace_id)s and f.path = 'handbook'

-- name: sizes
-- Bytes of items' rows and indexes, and where the log stands.
select pg_table_size('items') as rows, pg_indexes_size('items') as indexes,
       pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::bigint as log
""",
    origin="benchmarks",
)


def add_items(tx: Transaction, room: IndexRoom, items: int, *, audience_id: int, uploads: bool = False) -> None:
    """Add so many items below FOLDER, all with this audience, and where wanted the upload that each came from."""
    tx.execute(_SQL["add_body"], workspace_id=room.workspace_id)
    tx.execute(
        _SQL["add_items"],
        workspace_id=room.workspace_id,
        items=items,
        audience_id=audience_id,
        principal_id=room.principal.id,
    )
    tx.execute(_SQL["add_folder"], workspace_id=room.workspace_id)
    if uploads:
        tx.execute(_SQL["add_uploads"], workspace_id=room.workspace_id)


def say_about(tx: Transaction, room: IndexRoom, *, folders: int, items: int) -> None:
    """Name other readers at so many nested folders and items."""
    tx.execute(_SQL["say_about_folders"], workspace_id=room.workspace_id, folders=folders)
    tx.execute(_SQL["say_about_items"], workspace_id=room.workspace_id, items=items)


def add_audiences(tx: Transaction, room: IndexRoom, audiences: int, *, clauses: int, tokens: int) -> None:
    """Put so many audiences in the place of all; `user_token(n)` is in the nth, 1 the first."""
    tx.execute(_SQL["forget_audiences"], workspace_id=room.workspace_id)
    tx.execute(
        _SQL["add_audiences"], workspace_id=room.workspace_id, audiences=audiences, clauses=clauses, tokens=tokens
    )


def user_token(number: int) -> str:
    """Return the token of a user whom audiences name."""
    return f"user:{UUID(md5(str(number).encode(), usedforsecurity=False).hexdigest())}"


def change_folder(tx: Transaction, room: IndexRoom, change: str) -> None:
    """Restrict the folder, grant it to somebody, or lift the restriction, without working out what follows."""
    tx.execute(_SQL[change], workspace_id=room.workspace_id, principal_id=room.principal.id)


def sizes(tx: Transaction) -> Mapping[str, int]:
    """Read the bytes of items' rows and indexes, and of the log so far."""
    return tx.fetch_all(_SQL["sizes"])[0]


def processor_seconds(tx: Transaction) -> float:
    """Return what the transaction's server process has used of a processor (Linux)."""
    return _processor_seconds_of(tx.fetch_all(_BACKEND)[0]["pid"])[1]


def all_processor_seconds(tx: Transaction) -> float:
    """Return what this process and all of the server's that run now have used of a processor."""
    postmaster = _processor_seconds_of(tx.fetch_all(_BACKEND)[0]["pid"])[0]
    processes = [_processor_seconds_of(int(path.name)) for path in Path("/proc").iterdir() if path.name.isdecimal()]
    return time.process_time() + sum(seconds for parent, seconds in processes if parent == postmaster)


def _processor_seconds_of(pid: int) -> tuple[int, float]:
    """Return the parent of a process, and the seconds that it has used of a processor."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text("utf-8").rsplit(")", 1)[1].split()
    except (FileNotFoundError, ProcessLookupError):
        return 0, 0.0
    return int(fields[1]), (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def vacuum(database: Database, table: LiteralString = "") -> None:
    """Let the planner know what is there, in all tables or one, and rows that died be room."""
    with psycopg.connect(database.conninfo, autocommit=True) as connection:
        connection.execute(f"vacuum analyze {table}")


@contextmanager
def server_of_databases() -> Iterator[Callable[[], Database]]:
    """Start a server; each call makes a database of it."""
    with (
        TemporaryDirectory() as home,
        start_postgres(Path(home) / "postgres", binaries=embedded_binaries()) as server,
        ExitStack() as opened,
    ):

        def make() -> Database:
            name = f"crowd_{new_id().hex}"
            with psycopg.connect(server.conninfo, autocommit=True) as connection:
                connection.execute(sql.SQL("create database {}").format(sql.Identifier(name)))
            conninfo = make_conninfo(server.conninfo, dbname=name)
            migrate(conninfo)
            database = Database(conninfo)
            opened.callback(database.close)
            return database

        yield make
