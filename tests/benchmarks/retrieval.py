"""Retrieval quality through the product: `python -m tests.benchmarks.retrieval [COLLECTION...]`.

Each document becomes an item, is indexed by the job `index_item`, and is searched for at item level. Printed are
nDCG@10, MRR@10, recall@10 and recall@100 of each mode, and whether the hybrid's nDCG@10 differs from that of its better
lane by more than chance; beside them the nDCG@10 of bm25s (`tests.benchmarks.lexical_reference`). Vectors are kept in
LOREBASE_BENCHMARK_CACHE (a folder) between runs, since embedding is what takes long.
"""

import hashlib
import os
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from chalicelib.database.database import Database
from chalicelib.database.migrate import migrate
from chalicelib.evaluation.collection import Questions, corpus_of, questions_of, read_corpus
from chalicelib.evaluation.measures import Measure
from chalicelib.evaluation.report import Report, Run, evaluate
from chalicelib.index.language import may_be_english
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
    "cranfield": 0.397,
    "gesetze_ueberschriften_de": 0.510,
}
DEPTH = 100
_LANES = (Mode.LEXICAL, Mode.SEMANTIC)


@dataclass(frozen=True, slots=True)
class Collection:
    """Documents, questions, and which documents answer which question how well."""

    documents: Sequence[Mapping[str, str]]
    questions: Questions

    @property
    def queries(self) -> Sequence[Mapping[str, str]]:
        return [{"_id": query_id, "text": text} for query_id, text in self.questions.texts.items()]

    @property
    def gains(self) -> Mapping[str, Mapping[str, int]]:
        return self.questions.gains

    @property
    def ignored(self) -> Mapping[str, frozenset[str]]:
        return self.questions.ignored


def read_collection(folder: Path) -> Collection:
    """Read a collection in the layout of its README."""
    documents = [
        {"_id": entry.id, "title": entry.title, "text": entry.text} for entry in read_corpus(corpus_of(folder))
    ]
    return Collection(documents, questions_of(folder))


class CachingEmbedder:
    """The real embedder, which remembers passages in a folder, apart by embedding space."""

    def __init__(self, embedder: Embedder, folder: Path | None) -> None:
        self.space, self.dimensions, self.languages = embedder.space, embedder.dimensions, embedder.languages
        self._embedder = embedder
        self._folder = None if folder is None else folder / embedder.space.replace("/", "_")
        if self._folder is not None:
            self._folder.mkdir(parents=True, exist_ok=True)
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
                unfinished = paths[at].with_suffix(f".{os.getpid()}")
                with unfinished.open("wb") as file:
                    np.save(file, vector)
                unfinished.replace(paths[at])
        return Embedded(np.stack([np.load(path) for path in paths]), tokens)


def index_collection(collection: Collection, room: IndexRoom) -> Sequence[str]:
    """Make each document an item, whose path is its number, and index all; return the documents' ids by number."""
    for number, document in enumerate(collection.documents):
        title = document["title"][:500] or "Untitled"
        room.add(f"{number}", document["text"] or document["title"], title=title, index=False)
    room.work()
    return [document["_id"] for document in collection.documents]


def measure(collection: Collection, room: IndexRoom) -> Report:
    """Index all documents and measure each mode, the better of the lanes first and the hybrid last."""
    ids = index_collection(collection, room)
    lanes = evaluate(collection.questions, [ask(collection, room, ids, mode) for mode in _LANES])
    best = max(lanes.evaluated, key=lambda lane: lane.means[Measure.NDCG_10]).run
    others = [lane.run for lane in lanes.evaluated if lane.run is not best]
    return evaluate(collection.questions, [best, *others, ask(collection, room, ids, Mode.HYBRID)])


def ask(collection: Collection, room: IndexRoom, ids: Sequence[str], mode: Mode) -> Run:
    """Ask every question for items in one mode."""
    rankings, milliseconds = dict[str, list[str]](), list[float]()
    for query_id, text in collection.questions.texts.items():
        started = time.perf_counter()
        hits = room.search(text, mode=mode, level=Level.ITEM, limit=DEPTH).hits
        milliseconds.append((time.perf_counter() - started) * 1000)
        rankings[query_id] = [ids[int(hit.path)] for hit in hits]
    return Run(name=mode.value, depth=DEPTH, rankings=rankings, milliseconds=milliseconds)


def show(name: str, report: Report) -> None:
    """Print a collection's figures."""
    means = {one.run.name: one.means for one in report.evaluated}
    for mode in (*_LANES, Mode.HYBRID):
        figures = "".join(f"{means[mode.value][measure]:12.4f}" for measure in Measure)
        print(f"{name:28}{BM25[name]:8.3f}  {mode.value:12}{figures}")
    found = report.differences()[Mode.HYBRID.value][Measure.NDCG_10]
    bounds = f"{found.low:+.4f} to {found.high:+.4f}"
    counts = f"{found.better} better, {found.worse} worse, {found.equal} equal"
    print(f"{'':38}hybrid - {report.evaluated[0].run.name} {found.mean:+.4f} ({bounds}), p {found.p:.4f}; {counts}")
    sys.stdout.flush()


def cached_embedder() -> CachingEmbedder:
    """Return the local embedder that LOREBASE_LOCAL_MODEL names, with its memory in LOREBASE_BENCHMARK_CACHE."""
    settings = Settings()
    cache = os.environ.get("LOREBASE_BENCHMARK_CACHE")
    folder = Path(cache) if cache else None
    embedder = local_embedder(
        settings.model_folder, settings.cache_folder, settings.local_model, may_be_english=may_be_english
    )
    return CachingEmbedder(embedder, folder)


def main(names: Sequence[str]) -> None:
    """Measure the named collections, or all."""
    embedder = cached_embedder()
    print(f"{'collection':28}{'BM25':>8}  {'mode':12}" + "".join(f"{measure.value:>12}" for measure in Measure))
    with tempfile.TemporaryDirectory() as home:
        for name in names or BM25:
            with start_postgres(Path(home) / name, binaries=embedded_binaries()) as server:
                migrate(server.conninfo)
                database = Database(server.conninfo)
                show(name, measure(read_collection(COLLECTIONS / name), IndexRoom(database, embedder)))
                database.close()


if __name__ == "__main__":
    main(sys.argv[1:])
