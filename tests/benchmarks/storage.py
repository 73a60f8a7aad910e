"""What a chunk costs on disk: `python -m tests.benchmarks.storage [FOLDER]`.

The folder's Markdown, by default the handbook, is indexed with vectors of 384 dimensions that stand in for a model's:
their content does not change their size. Printed are bytes a chunk by relation; infra/costs plans with them.
"""

import hashlib
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from chalicelib.database.database import Database
from chalicelib.database.migrate import migrate
from chalicelib.database.statements import parse_statements
from chalicelib.platform.local.postgres.binaries import embedded_binaries
from chalicelib.platform.local.postgres.launcher import start_postgres
from chalicelib.platform.ports import Embedded, Vectors
from tests.benchmarks.search import HANDBOOK
from tests.fixtures.indexing import IndexRoom

_SQL = parse_statements(
    """
-- name: sizes
-- Bytes of each table with its partitions, and of what it keeps beside rows.
select coalesce(pg_partition_root(relation.oid)::regclass, relation.oid::regclass)::text as name,
       sum(pg_table_size(relation.oid))::bigint as rows, sum(pg_indexes_size(relation.oid))::bigint as indexes
from pg_class relation
join pg_namespace namespace on namespace.oid = relation.relnamespace
where relation.relkind = 'r' and namespace.nspname not in ('pg_catalog', 'information_schema')
group by 1 having sum(pg_total_relation_size(relation.oid)) > 500000 order by 2 + 3 desc

-- name: graph
-- Bytes of the indexes of vectors.
select coalesce(sum(pg_relation_size(relation.oid)), 0)::bigint as bytes
from pg_class relation join pg_am method on method.oid = relation.relam
where method.amname = 'hnsw' and relation.relkind = 'i'
""",
    origin="benchmarks",
)


class HashEmbedder:
    """Gives every text a random vector of its own."""

    space = "hash/384"
    dimensions = 384
    languages: frozenset[str] | None = None

    def embed_passages(self, texts: Sequence[str]) -> Embedded:
        return Embedded(np.stack([self._vector(text) for text in texts]), 0)

    def embed_query(self, text: str) -> Embedded:
        return Embedded(self._vector(text)[None], 0)

    def _vector(self, text: str) -> Vectors:
        seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")
        vector = np.random.default_rng(seed).normal(size=self.dimensions)
        return np.asarray(vector / np.linalg.norm(vector), np.float32)


def main(arguments: Sequence[str]) -> None:
    """Index the folder and print what its chunks take."""
    folder = Path(arguments[0]) if arguments else HANDBOOK
    paths = sorted(folder.rglob("*.md"))
    with (
        tempfile.TemporaryDirectory() as home,
        start_postgres(Path(home) / "postgres", binaries=embedded_binaries()) as server,
    ):
        migrate(server.conninfo)
        database = Database(server.conninfo)
        room = IndexRoom(database, HashEmbedder())
        for path in paths:
            room.add(path.relative_to(folder).as_posix(), path.read_text("utf-8"), title=path.stem, index=False)
        room.work()
        chunks = room.count("chunks")
        with database.transaction() as tx:
            rows = tx.fetch_all(_SQL["sizes"])
            graph = tx.fetch_all(_SQL["graph"])[0]["bytes"]
        size = sum(path.stat().st_size for path in paths)
        print(f"{len(paths)} documents of {size / len(paths):,.0f} bytes, {chunks} chunks")
        print("bytes a chunk: rows, indexes")
        for row in rows:
            print(f"{row['name']:24} {row['rows'] / chunks:8,.0f} {row['indexes'] / chunks:8,.0f}")
        print(f"{'the graph of vectors':24} {graph / chunks:17,.0f}")
        database.close()


if __name__ == "__main__":
    main(sys.argv[1:])
