"""What recording costs who creates items, and what reading the activity takes.

`python -m tests.benchmarks.activity [ITEMS]`. Items are created by turns with and without an entry, each in its own
durable transaction.
"""

import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch

import psycopg

from chalicelib.audit.list_activity import list_organization_activity, list_workspace_activity
from chalicelib.audit.model import ActivityAction, ActivityFilters
from chalicelib.database.database import Database
from chalicelib.database.migrate import migrate
from chalicelib.items import record_item
from chalicelib.platform.local.postgres.binaries import embedded_binaries
from chalicelib.platform.local.postgres.launcher import start_postgres
from tests.fixtures.lorebases import Lorebase

_ITEMS = int(sys.argv[1]) if len(sys.argv) > 1 else 500
_ENTRIES = 1_000_000
_FILL = """
insert into activity (id, recorded_at, organization_id, workspace_id, actor_id, actor_kind, actor_name, action,
                      subject_kind, subject_id, request_id, before, after)
select (left(hex, 8) || '-' || right(hex, 4) || '-7' || substr(gen_random_uuid()::text, 16))::uuid,
       to_timestamp(milliseconds / 1000.0), %(organization)s, %(workspace)s,
       md5('actor' || n %% 200)::uuid, 'user', 'Somebody Else',
       case when n %% 1000 = 0 then 'item.deleted' else 'item.changed' end, 'team', md5('subject' || n %% 50000)::uuid,
       gen_random_uuid()::text, '{"revision": 7}', '{"revision": 8, "changed": ["body", "title"]}'
from generate_series(1, %(entries)s) n
cross join lateral (select 1700000000000 + n::bigint * 1000 as milliseconds) at
cross join lateral (select lpad(to_hex(milliseconds), 12, '0') as hex) said
"""


def main() -> None:
    """Print the medians."""
    with (
        tempfile.TemporaryDirectory() as folder,
        start_postgres(Path(folder) / "postgres", binaries=embedded_binaries()) as server,
    ):
        migrate(server.conninfo)
        lorebase = Lorebase(Database(server.conninfo), Path(folder))
        with_entry, without = _create(lorebase)
        print(
            f"create an item: {with_entry:.2f} ms with its entry, {without:.2f} ms without, "
            f"{with_entry / without:.2f} times"
        )
        _read(lorebase)
        lorebase.wired.close()


def _create(lorebase: Lorebase) -> tuple[float, float]:
    taken: dict[bool, list[float]] = {True: [], False: []}
    for number in range(2 * _ITEMS + 100):
        is_recorded = number % 2 == 0
        with _recording(wanted=is_recorded):
            started = time.perf_counter()
            lorebase.add_item(f"{number % 50}/{number}.md", f"A sentence that only item {number} has.")
            if number >= 100:
                taken[is_recorded].append((time.perf_counter() - started) * 1000)
    return statistics.median(taken[True]), statistics.median(taken[False])


@contextmanager
def _recording(*, wanted: bool) -> Iterator[None]:
    if wanted:
        yield
        return
    with patch.object(record_item, "record", lambda *_args, **_kwargs: None):
        yield


def _read(lorebase: Lorebase) -> None:
    owner, workspace_id = lorebase.owner, lorebase.workspace_id
    given = {"organization": owner.organization_id, "workspace": workspace_id, "entries": _ENTRIES}
    with psycopg.connect(lorebase.database.conninfo) as session:
        session.execute(_FILL, given)
        subject = session.execute("select md5('subject' || 7)::uuid, md5('actor' || 7)::uuid").fetchone()
        session.execute("analyze activity")
        size = session.execute("select pg_total_relation_size('activity') / count(*) from activity").fetchone()
    if subject is None or size is None:
        raise LookupError("nothing was made")
    print(f"an entry: {size[0]} bytes with its indexes")
    for name, filters in {
        "the latest": ActivityFilters(),
        "of one actor": ActivityFilters(actor_id=subject[1]),
        "about one thing": ActivityFilters(subject_id=subject[0]),
        "one action in a thousand": ActivityFilters(action=ActivityAction.ITEM_DELETED),
    }.items():
        in_workspace, in_organization = (
            _median(lorebase, read)
            for read in (
                lambda tx, filters=filters: list_workspace_activity(
                    tx, principal=owner, workspace_id=workspace_id, filters=filters, before=None, limit=51
                ),
                lambda tx, filters=filters: list_organization_activity(
                    tx,
                    principal=owner,
                    organization_id=owner.organization_id,
                    filters=filters,
                    before=None,
                    limit=51,
                ),
            )
        )
        print(f"{name}, 51 of {_ENTRIES:,}: {in_workspace:.1f} ms in the workspace, {in_organization:.1f} ms in all")


def _median(lorebase: Lorebase, read: Callable[..., object]) -> float:
    taken = []
    for _ in range(21):
        started = time.perf_counter()
        with lorebase.database.transaction() as tx:
            read(tx)
        taken.append((time.perf_counter() - started) * 1000)
    return statistics.median(taken)


if __name__ == "__main__":
    main()
