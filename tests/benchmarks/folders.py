"""What moving a large folder takes: `python -m tests.benchmarks.folders [ITEMS…]`, by default 1,000 to 100,000.

The items lie in 100 folders below the one that moves, a tenth of them in the trash, each with one chunk; about ten of
the folders something is said. Printed are seconds for the move, on a durable server, and beside it for working out who
may read alone.
"""

import sys
import tempfile
import time
from pathlib import Path

from chalicelib.access.refresh import refresh_folder
from chalicelib.access.store import hold_places
from chalicelib.database.database import Database
from chalicelib.database.migrate import migrate
from chalicelib.database.statements import parse_statements
from chalicelib.platform.local.postgres.binaries import embedded_binaries
from chalicelib.platform.local.postgres.launcher import start_postgres
from chalicelib.sharing.move_folder import move_folder
from tests.fixtures.lorebases import Lorebase
from tests.fixtures.trash_room import RESTRICTED, TrashRoom

_SQL = parse_statements(
    """
-- name: fill
-- Make many items in a folder out of the first one.
with made as (
    insert into items (id, workspace_id, kind, class, scope, status, path, title, tags, audience_id, revision,
                       body_sha256, body_bytes, index_state, indexed_revision, chunk_count, created_by, updated_by,
                       deleted_at)
    select gen_random_uuid(), i.workspace_id, i.kind, i.class, i.scope, i.status,
           'large/folder' || n %% 100 || '/item' || n || '.md', i.title, '{a,b}', i.audience_id, 1, i.body_sha256,
           i.body_bytes, 'text_ready', 1, 1, i.created_by, i.updated_by, case when n %% 10 = 0 then now() end
    from items i, generate_series(1, %(items)s) as n
    where i.workspace_id = %(workspace_id)s
    returning *
), kept as (
    insert into revisions (item_id, number, owner_id, body_sha256, title, state, created_by)
    select id, 1, owner_id, body_sha256, title, jsonb_build_object('path', path), created_by from made
)
insert into chunks (workspace_id, id, item_id, ordinal, heading_path, body_start, body_end, text, tokens, language,
                    content_sha256, embedded_sha256)
select workspace_id, gen_random_uuid(), id, 0, '{}', 0, 9, 'some text', 2, 'en', body_sha256, body_sha256 from made;

-- name: analyze
-- Let the planner know.
analyze items, revisions, chunks
""",
    origin="benchmarks",
)


def main() -> None:
    """Measure and print."""
    sizes = [int(size) for size in sys.argv[1:]] or [1000, 5000, 20_000, 100_000]
    with (
        tempfile.TemporaryDirectory() as folder,
        start_postgres(Path(folder) / "postgres", binaries=embedded_binaries()) as server,
    ):
        migrate(server.conninfo)
        for number, size in enumerate(sizes):
            database = Database(server.conninfo)
            _measure(TrashRoom(Lorebase(database, Path(folder) / f"home{number}")), size)
            database.close()


def _measure(room: TrashRoom, size: int) -> None:
    room.add("first.md")
    for number in range(10):
        room.say_of_folder(f"large/folder{number}", RESTRICTED)
    with room.database.transaction() as tx:
        tx.execute(_SQL["fill"], workspace_id=room.workspace_id, items=size)
    with room.database.transaction() as tx:
        tx.execute(_SQL["analyze"])
    started = time.perf_counter()
    with room.database.transaction() as tx:
        hold_places(tx, room.workspace_id)
        changed = refresh_folder(tx, room.workspace_id, "large")
    refreshed = time.perf_counter()
    with room.database.transaction() as tx:
        moved = move_folder(
            tx, principal=room.owner, workspace_id=room.workspace_id, source="large", target="elsewhere/large"
        )
    ended = time.perf_counter()
    with room.database.transaction() as tx:
        hold_places(tx, room.workspace_id)
        refresh_folder(tx, room.workspace_id, "elsewhere/large")
    again = time.perf_counter()
    print(
        f"{size:>7,} items ({moved.items:,} living): move {ended - refreshed:6.2f} s; "
        f"who may read {refreshed - started:5.2f} s where {changed:,} changed, {again - ended:5.2f} s where none did"
    )


if __name__ == "__main__":
    main()
