"""Whether time tells what may not be read: `python -m tests.benchmarks.access_timing`.

Pairs of requests whose answers are the same: for something that is there and may not be read, and for something that is
not there. They are asked in turn; printed are the medians and quartiles of both, and how often
the one took longer than the other: 0.50 where time tells nothing.
"""

import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial

import numpy as np

from chalicelib.access import store as access
from chalicelib.access.model import Audience
from chalicelib.access.tokens import owner_token
from chalicelib.database.ids import new_id
from chalicelib.errors import LorebaseError
from chalicelib.identity.model import WorkspaceRole
from chalicelib.items.create_item import create_item
from chalicelib.items.list_items import read_folder
from chalicelib.items.model import Attributes, Draft, ItemFilters, ItemId
from chalicelib.items.read_item import list_revisions, read_item
from chalicelib.knowledge_bases.model import Mode
from tests.benchmarks.crowds import FOLDER, add_items, change_folder, server_of_databases, vacuum
from tests.fixtures.embedders import WordEmbedder
from tests.fixtures.indexing import IndexRoom, member_of

_ROUNDS = 200
_ITEMS = 5000


class Pairs:
    """A workspace of which the asker may read half, and what is asked in pairs."""

    def __init__(self, room: IndexRoom) -> None:
        self.room = room
        self.asker = member_of(room.database, room.organization_id, room.workspace_id, role=WorkspaceRole.EDITOR)
        with room.database.transaction() as tx:
            audience = Audience((frozenset({owner_token(room.workspace_id)}),))
            add_items(tx, room, _ITEMS, audience_id=access.put_audience(tx, room.workspace_id, audience))
            change_folder(tx, room, "restrict")
        for number in range(20):
            room.add(f"open/{number}.md", f"apples and pears number {number}")
        self.hidden = room.add("kept.md", "zanzibar " * 20, audience=[owner_token(room.workspace_id)])
        vacuum(room.database)

    def __iter__(self) -> Iterator[tuple[str, Callable[[], object], Callable[[], object]]]:
        absent = ItemId(new_id())
        yield "an item", lambda: self._read(self.hidden.id), lambda: self._read(absent)
        yield "its revisions", lambda: self._revisions(self.hidden.id), lambda: self._revisions(absent)
        taken, free = f"{FOLDER}/0000/000000.md", f"{FOLDER}/0000/none.md"
        yield "writing where one may not read", lambda: self._create(taken), lambda: self._create(free)
        yield "a folder", lambda: self._folder(f"{FOLDER}/0000"), lambda: self._folder("nothing/0000")
        for mode in Mode:
            yield f"a word, {mode}", partial(self._search, "zanzibar", mode), partial(self._search, "xanadu", mode)

    def _read(self, item_id: ItemId) -> None:
        with self.room.database.transaction() as tx:
            read_item(tx, principal=self.asker, workspace_id=self.room.workspace_id, item_id=item_id)

    def _revisions(self, item_id: ItemId) -> None:
        with self.room.database.transaction() as tx:
            list_revisions(
                tx,
                principal=self.asker,
                workspace_id=self.room.workspace_id,
                item_id=item_id,
                before=None,
                limit=20,
            )

    def _create(self, path: str) -> None:
        with self.room.database.transaction() as tx:
            create_item(
                tx,
                principal=self.asker,
                workspace_id=self.room.workspace_id,
                draft=Draft(path=path, title="New", body="New", attributes=Attributes()),
                rules=self.room.rules,
            )

    def _folder(self, folder: str) -> None:
        with self.room.database.transaction() as tx:
            read_folder(
                tx,
                principal=self.asker,
                workspace_id=self.room.workspace_id,
                folder=folder,
                filters=ItemFilters(),
                after_path=None,
                limit=50,
            )

    def _search(self, word: str, mode: Mode) -> None:
        self.room.search(word, principal=self.asker, mode=mode)


def compare(one: Callable[[], object], other: Callable[[], object]) -> tuple[list[float], list[float]]:
    """Return how long each took, in milliseconds, asked in turn and in changing order; refusals are answers."""
    times: tuple[list[float], list[float]] = ([], [])
    for turn in range(-20, _ROUNDS):
        for at in (0, 1) if turn % 2 else (1, 0):
            started = time.perf_counter()
            with suppress(LorebaseError):
                (one, other)[at]()
            if turn >= 0:
                times[at].append((time.perf_counter() - started) * 1000)
    return times


def main() -> None:
    """Ask, and print a line for each pair."""
    with server_of_databases() as make:
        pairs = Pairs(IndexRoom(make(), WordEmbedder()))
        print("there, not there: medians and quartiles in ms; how often the one took longer")
        for name, there, absent in pairs:
            one, other = compare(there, absent)
            longer = float(np.mean(np.array(one)[:, None] > np.array(other)[None, :]))
            print(f"  {name}: {_told(one)}, {_told(other)}; {longer:.2f}", flush=True)


def _told(times: list[float]) -> str:
    low, middle, high = statistics.quantiles(times, n=4)
    return f"{middle:.2f} ({low:.2f} to {high:.2f})"


if __name__ == "__main__":
    main()
