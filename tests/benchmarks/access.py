"""What access costs: `python -m tests.benchmarks.access [ITEMS]`.

First, what it takes to work out anew who may read a folder of so many items (100,000), how long somebody waits
meanwhile who reads or writes there, and what it leaves on disk. Then, what each request begins with: finding
the audiences that the asker is in.
"""

import statistics
import sys
import threading
import time
from collections.abc import Callable, Sequence

from chalicelib.access import store
from chalicelib.access.audience import audience_of
from chalicelib.access.refresh import refresh_folder
from chalicelib.access.store import Holder
from chalicelib.access.tokens import owner_token
from chalicelib.access.writing import authorize_writing
from chalicelib.database.database import Database
from chalicelib.items.list_items import list_items_by_path
from chalicelib.items.model import ItemFilters
from tests.benchmarks.crowds import (
    FOLDER,
    add_audiences,
    add_items,
    change_folder,
    processor_seconds,
    say_about,
    server_of_databases,
    sizes,
    user_token,
    vacuum,
)
from tests.fixtures.indexing import IndexRoom

_ITEMS = 100_000
_SAID = [(0, 0), (10, 0), (1000, 0), (1000, 1000)]
"""Nested folders and items with settings of their own."""

_AUDIENCES = [(1, 1, 5), (100, 1, 5), (100, 3, 5), (5000, 1, 5), (5000, 3, 5), (5000, 1, 50), (50_000, 1, 5)]
"""Audiences, clauses of each, tokens of a clause."""

_ROUNDS = 15


def measure_folder(database: Database, items: int, *, folders: int, said: int) -> None:
    """Restrict, grant and lift, and print what each took."""
    room = IndexRoom(database)
    with database.transaction() as tx:
        audience_id = store.put_audience(tx, room.workspace_id, audience_of(room.workspace_id, []))
        add_items(tx, room, items, audience_id=audience_id, uploads=True)
        say_about(tx, room, folders=folders, items=said)
        refresh_folder(tx, room.workspace_id, "")
    vacuum(database)
    with database.transaction() as tx:
        first = sizes(tx)
    print(f"{items} items and uploads; settings on {folders} folders and {said} items")
    for change in ("restrict", "grant", "lift"):
        _print_change(room, change)
    with database.transaction() as tx:
        last = sizes(tx)
    print(f"  items on disk: {first['rows'] / 1e6:.0f} + {first['indexes'] / 1e6:.0f} MB before", end=", ")
    print(f"{last['rows'] / 1e6:.0f} + {last['indexes'] / 1e6:.0f} MB after three changes")


def _print_change(room: IndexRoom, change: str) -> None:
    waits: dict[str, list[float]] = {"read": [], "write": []}
    with room.database.transaction() as tx:
        before, used = sizes(tx), processor_seconds(tx)
        started = time.perf_counter()
        store.hold_places(tx, room.workspace_id)
        others = [_repeat(room, _read, waits["read"]), _repeat(room, _write, waits["write"])]
        change_folder(tx, room, change)
        changed = refresh_folder(tx, room.workspace_id, FOLDER)
        used, log = processor_seconds(tx) - used, sizes(tx)["log"] - before["log"]
    took = time.perf_counter() - started
    for stop in others:
        stop()
    print(f"  {change}: {used:.1f} s of a processor, {took:.1f} s in all", end=", ")
    print(f"{changed} items, {log / 1e6:.0f} MB of log", end="; ")
    print(f"a reader waited {max(waits['read']) * 1000:.0f} ms at most, a writer {max(waits['write']):.1f} s")


def _repeat(room: IndexRoom, call: Callable[[IndexRoom], None], waits: list[float]) -> Callable[[], None]:
    """Call every 50 ms in a thread, noting how long each took; returns what ends it."""
    done = threading.Event()

    def run() -> None:
        while not done.is_set():
            started = time.perf_counter()
            call(room)
            waits.append(time.perf_counter() - started)
            done.wait(0.05)

    thread = threading.Thread(target=run)
    thread.start()

    def stop() -> None:
        done.set()
        thread.join()

    return stop


def _read(room: IndexRoom) -> None:
    with room.database.transaction() as tx:
        list_items_by_path(
            tx,
            principal=room.principal,
            workspace_id=room.workspace_id,
            filters=ItemFilters(),
            after_path=None,
            limit=50,
        )


def _write(room: IndexRoom) -> None:
    with room.database.transaction() as tx:
        authorize_writing(tx, room.principal, room.workspace_id, f"{FOLDER}/new.md")


def measure_askers(room: IndexRoom) -> None:
    """Print how long it takes to find the audiences of askers with few and many tokens, and of owners."""
    owners = Holder(frozenset({owner_token(room.workspace_id)}))
    askers = {str(held): Holder(frozenset(user_token(n + 1) for n in range(held))) for held in (1, 50, 1000)}
    print("audiences x clauses x tokens: milliseconds (found) for askers with 1, 50, 1,000 tokens, and for owners")
    for audiences, clauses, tokens in _AUDIENCES:
        with room.database.transaction() as tx:
            add_audiences(tx, room, audiences, clauses=clauses, tokens=tokens)
        vacuum(room.database)
        told = [_asked(room, holder) for holder in [*askers.values(), owners]]
        print(f"  {audiences} x {clauses} x {tokens}: {', '.join(told)}")


def _asked(room: IndexRoom, holder: Holder) -> str:
    times = []
    with room.database.transaction() as tx:
        for _ in range(_ROUNDS):
            started = time.perf_counter()
            found = store.list_audiences(tx, room.workspace_id, holders=[holder])
            times.append((time.perf_counter() - started) * 1000)
    return f"{statistics.median(times):.2f} ({len(found)})"


def main(arguments: Sequence[str]) -> None:
    """Measure both."""
    items = int(arguments[0]) if arguments else _ITEMS
    with server_of_databases() as make:
        measure_askers(IndexRoom(make()))
        for folders, said in _SAID:
            measure_folder(make(), items, folders=folders, said=said)


if __name__ == "__main__":
    main(sys.argv[1:])
