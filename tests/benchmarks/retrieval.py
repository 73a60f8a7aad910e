"""Retrieval quality through the product: `python -m tests.benchmarks.retrieval [COLLECTION...]`.

Each document becomes an item, is indexed by the job `index_item`, and is searched for at item level; nDCG@10 is
printed for each mode beside BM25's figure from the collections' README. Vectors are kept in LOREBASE_BENCHMARK_CACHE
(a folder) between runs, since embedding is what takes long.
"""

import gzip
import hashlib
import json
import math
import os
import statistics
import sys
import tempfile
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from chalicelib.database.database import Database
from chalicelib.database.migrate import migrate
from chalicelib.knowledge_bases.model import Mode
from chalicelib.platform.local.embedder import local_embedder
from chalicelib.platform.local.postgres.binaries import embedded_binaries
from chalicelib.platform.local.postgres.launcher import start_postgres
from chalicelib.platform.ports import Embedded, Embedder
from chalicelib.search.model import Level
from chalicelib.settings import Settings
from tests.fixtures.indexing import IndexRoom

COLLECTIONS = Path(__file__).resolve().parents[3] / "shared" / "data" / "retrieval"
BM25 = {
    "adi": 0.483,
    "cacm": 0.515,
    "codebase_chunks": 0.587,
    "covid_faq_de": 0.506,
    "cranfield": 0.410,
    "gesetze_ueberschriften_de": 0.510,
}
_K = 10


@dataclass(frozen=True, slots=True)
class Collection:
    """Documents, questions, and which documents answer which question how well."""

    documents: Sequence[Mapping[str, str]]
    queries: Sequence[Mapping[str, str]]
    gains: Mapping[str, Mapping[str, int]]
    ignored: Mapping[str, set[str]]


def read_collection(folder: Path) -> Collection:
    """Read a collection in the layout of its README."""
    gains: dict[str, dict[str, int]] = defaultdict(dict)
    for query, document, gain in _table(folder / "qrels.tsv"):
        gains[query][document] = int(gain)
    ignored: dict[str, set[str]] = defaultdict(set)
    if (folder / "ignore.tsv").exists():
        for query, document, *_ in _table(folder / "ignore.tsv"):
            ignored[query].add(document)
    queries = [query for query in _lines(folder / "queries.jsonl") if query["_id"] in gains]
    return Collection(_lines(folder / "corpus.jsonl"), queries, gains, ignored)


def ndcg(ranked: Sequence[str], gains: Mapping[str, int]) -> float:
    """nDCG@10 with exponential gains."""
    found = sum((2 ** gains.get(one, 0) - 1) / math.log2(rank + 1) for rank, one in enumerate(ranked[:_K], 1))
    ideal = sorted(gains.values(), reverse=True)[:_K]
    best = sum((2**gain - 1) / math.log2(rank + 1) for rank, gain in enumerate(ideal, 1))
    return found / best if best else 0.0


class CachingEmbedder:
    """The real embedder, which remembers passages in a folder."""

    def __init__(self, embedder: Embedder, folder: Path | None) -> None:
        self.space, self.dimensions, self.languages = embedder.space, embedder.dimensions, embedder.languages
        self._embedder, self._folder = embedder, folder
        self.embed_query = embedder.embed_query

    def embed_passages(self, texts: Sequence[str]) -> Embedded:
        if self._folder is None:
            return self._embedder.embed_passages(texts)
        paths = [self._folder / f"{hashlib.sha256(text.encode()).hexdigest()}.npy" for text in texts]
        missing = [at for at, path in enumerate(paths) if not path.exists()]
        tokens = 0
        if missing:
            embedded = self._embedder.embed_passages([texts[at] for at in missing])
            tokens = embedded.tokens
            for at, vector in zip(missing, embedded.vectors, strict=True):
                np.save(paths[at], vector)
        return Embedded(np.stack([np.load(path) for path in paths]), tokens)


def index_collection(collection: Collection, room: IndexRoom) -> Sequence[str]:
    """Make each document an item, whose path is its number, and index all; return the documents' ids by number."""
    for number, document in enumerate(collection.documents):
        title = document["title"][:500] or "Untitled"
        room.add(f"{number}", document["text"] or document["title"], title=title, index=False)
    room.work()
    return [document["_id"] for document in collection.documents]


def measure(collection: Collection, room: IndexRoom) -> Mapping[Mode, float]:
    """Index all documents and return the mean nDCG@10 of each mode."""
    ids = index_collection(collection, room)
    return {mode: _mean_ndcg(collection, room, ids, mode) for mode in Mode}


def _mean_ndcg(collection: Collection, room: IndexRoom, ids: Sequence[str], mode: Mode) -> float:
    values = []
    for query in collection.queries:
        hits = room.search(query["text"], mode=mode, level=Level.ITEM, limit=30).hits
        ranked = [ids[int(hit.path)] for hit in hits]
        kept = [one for one in ranked if one not in collection.ignored[query["_id"]]]
        values.append(ndcg(kept, collection.gains[query["_id"]]))
    return statistics.fmean(values)


def cached_embedder() -> CachingEmbedder:
    """Return the local embedder, with its memory in LOREBASE_BENCHMARK_CACHE."""
    settings = Settings()
    cache = os.environ.get("LOREBASE_BENCHMARK_CACHE")
    folder = Path(cache) if cache else None
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
    return CachingEmbedder(local_embedder(settings.model_folder, settings.cache_folder), folder)


def main(names: Sequence[str]) -> None:
    """Measure the named collections, or all."""
    embedder = cached_embedder()
    print(f"{'collection':28}{'BM25':>8}{'lexical':>9}{'semantic':>10}{'hybrid':>8}")
    with tempfile.TemporaryDirectory() as home:
        for name in names or BM25:
            with start_postgres(Path(home) / name, binaries=embedded_binaries()) as server:
                migrate(server.conninfo)
                database = Database(server.conninfo)
                by_mode = measure(read_collection(COLLECTIONS / name), IndexRoom(database, embedder))
                database.close()
            figures = [by_mode[mode] for mode in (Mode.LEXICAL, Mode.SEMANTIC, Mode.HYBRID)]
            print(f"{name:28}{BM25[name]:8.3f}{figures[0]:9.3f}{figures[1]:10.3f}{figures[2]:8.3f}", flush=True)


def _table(path: Path) -> list[list[str]]:
    return [line.split("\t") for line in path.read_text("utf-8").splitlines()[1:]]


def _lines(path: Path) -> list[dict[str, str]]:
    if path.exists():
        text = path.read_text("utf-8")
    else:
        text = gzip.decompress(path.with_suffix(".jsonl.gz").read_bytes()).decode()
    return [json.loads(line) for line in text.splitlines()]


if __name__ == "__main__":
    main(sys.argv[1:])
