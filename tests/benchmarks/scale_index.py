"""Indexing beside many chunks: `python -m tests.benchmarks.scale_index FOLDER CHUNKS [DOCUMENTS]`.

FOLDER and CHUNKS are those of tests.benchmarks.scale, which fills the database. Documents of the handbook are indexed
in a new workspace of the same partition, so that their vectors join the same graph. Printed are: seconds of the job
`index_item` for each second that the model alone takes for the same texts; chunks a second with vectors that are ready;
and what an edit of one paragraph and a change of metadata embed and take.
"""

import random
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from chalicelib.database.database import Database
from chalicelib.database.statements import parse_statements
from chalicelib.identity.model import WorkspaceId
from chalicelib.items.model import Attributes
from chalicelib.platform.local.postgres.binaries import embedded_binaries
from chalicelib.platform.local.postgres.launcher import start_postgres
from chalicelib.platform.ports import Embedded, Embedder
from tests.benchmarks.retrieval import cached_embedder
from tests.benchmarks.scale import open_database
from tests.benchmarks.scale_load import read_layout
from tests.benchmarks.scale_passages import Base, load_base
from tests.benchmarks.search import HANDBOOK
from tests.fixtures.indexing import IndexRoom

_DOCUMENTS = 30
_SQL = parse_statements(
    """
-- name: find_partition
-- Tell which partition a workspace's vectors are put into.
select n from generate_series(0, 7) n where satisfies_hash_partition('embeddings'::regclass, 8, n, %(workspace_id)s)
""",
    origin="benchmarks",
)


@dataclass
class CountingEmbedder:
    """The real embedder, or else real vectors moved a little at once; remembers what it was asked for."""

    base: Base
    space: str
    real: Embedder | None = None
    languages: frozenset[str] | None = None

    def __post_init__(self) -> None:
        self.dimensions = self.base.vectors.shape[1]
        self.texts: list[str] = []
        self.seconds = 0.0
        self._chance = np.random.default_rng(2)

    def embed_passages(self, texts: Sequence[str]) -> Embedded:
        started = time.perf_counter()
        self.texts.extend(texts)
        embedded = self.real.embed_passages(texts) if self.real else self._ready(len(texts))
        self.seconds += time.perf_counter() - started
        return embedded

    def embed_query(self, text: str) -> Embedded:
        raise NotImplementedError(text)

    def _ready(self, number: int) -> Embedded:
        places = self._chance.integers(len(self.base.vectors), size=number)
        drawn = self.base.vectors[places] + 0.02 * self._chance.normal(size=(number, self.dimensions))
        return Embedded(np.asarray(drawn / np.linalg.norm(drawn, axis=1, keepdims=True), np.float32), 0)


def room_beside(database: Database, workspace_id: WorkspaceId, embedder: Embedder) -> IndexRoom:
    """Return a new workspace whose vectors are put where those of another are."""

    def partition_of(one: WorkspaceId) -> int:
        with database.transaction() as tx:
            return int(tx.fetch_all(_SQL["find_partition"], workspace_id=one)[0]["n"])

    while True:
        room = IndexRoom(database, embedder)
        if partition_of(room.workspace_id) == partition_of(workspace_id):
            return room


def measure_indexing(room: IndexRoom, embedder: CountingEmbedder, paths: Sequence[Path]) -> float:
    """Index documents; return the seconds of the jobs."""
    for path in paths:
        room.add(path.relative_to(HANDBOOK).as_posix(), path.read_text("utf-8"), title=path.stem, index=False)
    embedder.texts.clear()
    embedder.seconds = 0.0
    started = time.perf_counter()
    room.work()
    return time.perf_counter() - started


def measure_changes(room: IndexRoom, embedder: CountingEmbedder) -> None:
    """Print what an edit and a change of metadata embed and take."""
    body = "\n\n".join(f"## Part {number}\n\n" + f"What part {number} says. " * 60 for number in range(200))
    item = room.add("edited.md", body)
    changes: dict[str, dict[str, Any]] = {
        "an edit of one paragraph": {"body": body.replace("What part 99 says.", "What part 99 said.", 1)},
        "a change of metadata": {"attributes": Attributes(tags=["new"], metadata={"reviewed": True})},
    }
    for name, change in changes.items():
        embedder.texts.clear()
        started = time.perf_counter()
        item = room.change(item, **change)
        seconds = time.perf_counter() - started
        print(f"{name} of {len(room.chunks(item))} chunks: {len(embedder.texts)} embedded, {seconds * 1000:.0f} ms")


def main(arguments: Sequence[str]) -> None:
    """Measure in a database that tests.benchmarks.scale filled."""
    folder, chunks = Path(arguments[0]), int(arguments[1])
    real = cached_embedder()
    base = load_base(folder, real)
    paths = [path for path in sorted(HANDBOOK.rglob("*.md")) if 3_000 < path.stat().st_size < 60_000]
    chosen = random.Random(4).sample(paths, int(arguments[2]) if len(arguments) > 2 else _DOCUMENTS)
    with start_postgres(folder / "postgres", binaries=embedded_binaries()) as server:
        database = open_database(server.conninfo, folder, base, chunks=chunks, space=real.space)
        largest = read_layout(folder / f"{chunks}.json").workspaces[0]
        modelled = CountingEmbedder(base, real.space, real)
        seconds = measure_indexing(room_beside(database, largest, modelled), modelled, chosen)
        started = time.perf_counter()
        real.embed_passages(modelled.texts)
        bare = time.perf_counter() - started
        print(f"{len(modelled.texts)} chunks: indexed in {seconds:.1f} s, the model in the job {modelled.seconds:.1f},")
        print(f"  the model alone {bare:.1f}: {seconds / bare:.2f} and {seconds / modelled.seconds:.2f} times as long")
        ready = CountingEmbedder(base, real.space)
        room = room_beside(database, largest, ready)
        seconds = measure_indexing(room, ready, chosen)
        print(f"with vectors at hand {len(ready.texts) / seconds:.0f} chunks a second beside {chunks} chunks")
        measure_changes(room, ready)
        database.close()


if __name__ == "__main__":
    main(sys.argv[1:])
