"""The cosine below which a match says nothing: `python -m tests.benchmarks.confidence`.

Prints, for each threshold, the share in percent of pairs below it: relevant and irrelevant ones of adi and cranfield,
and the best item of questions that belong to a collection, or to another one. LOREBASE_BENCHMARK_CACHE is as in
`tests.benchmarks.retrieval`.
"""

import tempfile
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from chalicelib.database.database import Database
from chalicelib.database.migrate import migrate
from chalicelib.knowledge_bases.model import Mode
from chalicelib.platform.local.postgres.binaries import embedded_binaries
from chalicelib.platform.local.postgres.launcher import start_postgres
from chalicelib.search.model import Lane, Level
from tests.benchmarks.retrieval import COLLECTIONS, cached_embedder, index_collection, read_collection
from tests.fixtures.indexing import IndexRoom

_MEASURED = ("adi", "cranfield")
_OTHERS = ("adi", "cranfield", "cacm", "codebase_chunks")
_FOREIGN_QUESTIONS = 60
_NONSENSE = (
    "xyzzy banana frobnicate",
    "asdf qwer zxcv",
    "how do I bake a sourdough bread",
    "best pizza in Naples",
    "blorp",
    "football world cup 1998 winner",
    "lorem ipsum dolor sit amet",
    "kittens playing with yarn",
    "what is the capital of France",
    "qqqqq",
)
_THRESHOLDS = (0.20, 0.25, 0.28, 0.30, 0.35, 0.40)


def measure(name: str, room: IndexRoom) -> Mapping[str, Sequence[float]]:
    """Return the cosines found in one collection, by the kind of pair."""
    collection = read_collection(COLLECTIONS / name)
    ids = index_collection(collection, room)
    cosines: dict[str, list[float]] = defaultdict(list)
    for query in collection.queries:
        found = _nearest(room, query["text"])
        cosines["best, own question"].append(max(found.values()))
        for path, cosine in found.items():
            document = ids[int(path)]
            if document not in collection.ignored[query["_id"]]:
                is_relevant = collection.gains[query["_id"]].get(document, 0) > 0
                cosines["relevant" if is_relevant else "irrelevant"].append(cosine)
    foreign = list(_NONSENSE)
    for other in _OTHERS:
        if other != name:
            foreign += [query["text"] for query in read_collection(COLLECTIONS / other).queries[:_FOREIGN_QUESTIONS]]
    cosines["best, other question"] += [max(_nearest(room, question).values()) for question in foreign]
    return cosines


def _nearest(room: IndexRoom, question: str) -> Mapping[str, float]:
    hits = room.search(question, mode=Mode.SEMANTIC, level=Level.ITEM, limit=30).hits
    return {hit.path: hit.lanes[Lane.SEMANTIC].score for hit in hits}


def main() -> None:
    """Measure, and print the table of docs/search.md."""
    embedder = cached_embedder()
    cosines: dict[str, list[float]] = defaultdict(list)
    with tempfile.TemporaryDirectory() as home:
        for name in _MEASURED:
            with start_postgres(Path(home) / name, binaries=embedded_binaries()) as server:
                migrate(server.conninfo)
                database = Database(server.conninfo)
                for kind, found in measure(name, IndexRoom(database, embedder)).items():
                    cosines[kind] += found
                database.close()
    print(f"{'':22}{'pairs':>7}" + "".join(f"{threshold:7.2f}" for threshold in _THRESHOLDS))
    for kind, found in cosines.items():
        below = [float((np.array(found) < threshold).mean() * 100) for threshold in _THRESHOLDS]
        print(f"{kind:22}{len(found):7}" + "".join(f"{share:7.1f}" for share in below))


if __name__ == "__main__":
    main()
