"""What the words of chunks without a vector should count: `python -m tests.benchmarks.lacking_vectors [COLLECTION...]`.

Each document becomes an item and is indexed, as in `tests.benchmarks.retrieval`. Then the vectors of a random half and
of a random tenth of the items are deleted, and the hybrid's nDCG@10 at item level is printed by what
`fusion.WORDS_FOR_MEANING` is: over all questions, and over those of whose right answers each, not each, or none has a
vector.
"""

import random
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import fmean
from typing import Any
from unittest.mock import patch

from chalicelib.database.database import Database
from chalicelib.database.migrate import migrate
from chalicelib.database.statements import parse_statements
from chalicelib.evaluation.measures import Measure, measured
from chalicelib.items.model import ItemId
from chalicelib.platform.local.postgres.binaries import embedded_binaries
from chalicelib.platform.local.postgres.launcher import start_postgres
from chalicelib.platform.ports import Embedded, Embedder
from chalicelib.search import fusion, retrieval
from chalicelib.search.model import Level
from tests.benchmarks.retrieval import COLLECTIONS, Collection, cached_embedder, index_collection, read_collection
from tests.fixtures.indexing import IndexRoom

DEFAULT = ("adi", "cacm", "codebase_chunks", "covid_faq_de", "cranfield")
WORTHS = (0.0, 0.125, 0.25, 0.375, 0.5, 0.625, 0.75, 1.0)
_SHARES = (0.5, 0.1)
_DRAWS = 3

_SQL = parse_statements(
    """
-- name: list_items
-- Read which item is which document.
select id, path from items

-- name: keep_vectors
-- Keep the vectors apart.
create table kept as select * from embeddings

-- name: delete_vectors
-- Delete the vectors of some items.
delete from embeddings where item_id = any(%(item_ids)s)

-- name: restore_vectors
-- Put back what was deleted.
insert into embeddings select * from kept where item_id = any(%(item_ids)s)
""",
    origin="benchmark",
)

_Found = Mapping[str, Mapping[str, Any]]


class RememberingEmbedder:
    """Embeds each question once."""

    def __init__(self, embedder: Embedder) -> None:
        self.space, self.dimensions, self.languages = embedder.space, embedder.dimensions, embedder.languages
        self.embed_passages = embedder.embed_passages
        self._embedder = embedder
        self._known: dict[str, Embedded] = {}

    def embed_query(self, text: str) -> Embedded:
        if text not in self._known:
            self._known[text] = self._embedder.embed_query(text)
        return self._known[text]


def measure(collection: Collection, room: IndexRoom) -> Iterator[tuple[str, Mapping[str, list[list[float]]]]]:
    """Yield for each share of items without vectors the figures by questions and worth."""
    ids = index_collection(collection, room)
    with room.database.transaction() as tx:
        document_by_item = {ItemId(row["id"]): ids[int(row["path"])] for row in tx.fetch_all(_SQL["list_items"])}
        tx.execute(_SQL["keep_vectors"])
    figures = _figures(collection, room, document_by_item)
    yield "0", {"all": list(figures.values())}
    for share in _SHARES:
        groups: dict[str, list[list[float]]] = {"all": [], "each": [], "not each": [], "none": []}
        for draw in range(_DRAWS):
            lacking = random.Random(draw).sample(sorted(document_by_item), round(share * len(document_by_item)))
            with _deleted(room, lacking):
                figures = _figures(collection, room, document_by_item)
            documents = {document_by_item[item_id] for item_id in lacking}
            for query_id, by_worth in figures.items():
                right = {one for one, gain in collection.gains[query_id].items() if gain > 0}
                groups["all"].append(by_worth)
                groups["not each" if right & documents else "each"].append(by_worth)
                if right <= documents:
                    groups["none"].append(by_worth)
        yield f"{share:g}", groups


@contextmanager
def _deleted(room: IndexRoom, item_ids: Sequence[ItemId]) -> Iterator[None]:
    with room.database.transaction() as tx:
        tx.execute(_SQL["delete_vectors"], item_ids=item_ids)
    yield
    with room.database.transaction() as tx:
        tx.execute(_SQL["restore_vectors"], item_ids=item_ids)


def _figures(
    collection: Collection, room: IndexRoom, document_by_item: Mapping[ItemId, str]
) -> Mapping[str, list[float]]:
    """Return nDCG@10 by question, for each worth: the lanes are asked once, and fused anew."""
    found: dict[str, list[float]] = {}
    for query_id, text in collection.questions.texts.items():
        with patch.object(retrieval, "fuse", wraps=fusion.fuse) as fuse:
            room.search(text, level=Level.ITEM, limit=10)
        figures = []
        for worth in WORTHS:
            with patch.object(fusion, "WORDS_FOR_MEANING", worth):
                fused = fusion.fuse(*fuse.call_args.args, **fuse.call_args.kwargs)
            ranked = [document_by_item[one.item_id] for one in fused[:100]]
            ignored = collection.ignored.get(query_id, frozenset())
            figures.append(measured(ranked, collection.gains[query_id], ignored=ignored, depth=100)[Measure.NDCG_10])
        found[query_id] = figures
    return found


def main(names: Sequence[str]) -> None:
    """Measure the named collections, or those that it was decided by."""
    embedder = RememberingEmbedder(cached_embedder())
    print(f"{'collection':18}{'lacking':>8}  {'right ones with vectors':24}{'questions':>10}", end="")
    print("".join(f"{worth:8.3f}" for worth in WORTHS))
    with tempfile.TemporaryDirectory() as home:
        for name in names or DEFAULT:
            with start_postgres(Path(home) / name, binaries=embedded_binaries()) as server:
                migrate(server.conninfo)
                database = Database(server.conninfo)
                for share, groups in measure(read_collection(COLLECTIONS / name), IndexRoom(database, embedder)):
                    for group, rows in groups.items():
                        means = "".join(f"{fmean(column):8.4f}" for column in zip(*rows, strict=True))
                        print(f"{name:18}{share:>8}  {group:24}{len(rows):10}{means}", flush=True)
                database.close()


if __name__ == "__main__":
    main(sys.argv[1:])
