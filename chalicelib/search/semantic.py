"""The semantic lane: the nearest chunks, compared one by one where they are few, by the HNSW index where many."""

from collections.abc import Sequence

from pgvector import HalfVector

from chalicelib.database.transaction import Transaction
from chalicelib.index.spaces import find_space
from chalicelib.index.vectors import is_usable
from chalicelib.platform.ports import Embedder
from chalicelib.search import store
from chalicelib.search.model import Candidate, Level
from chalicelib.search.store import Reach

EXACT_CHUNKS = 10_000
"""Readable chunks up to which each is compared. At 7,300 that took 8 ms against 3.5 ms for the graph, which missed 3
to 17 of the 100 nearest: up to here completeness is worth the milliseconds. See docs/benchmarks.md."""

_CHUNKS_PER_ITEM = 4
"""Chunks to look for in the graph for each item wanted."""


def question_vector(embedder: Embedder, query: str) -> HalfVector | None:
    """Embed the question; None where what comes out has no direction. Raises EmbedderUnavailable."""
    import numpy as np  # noqa: PLC0415 - as in is_usable

    vector = np.asarray(embedder.embed_query(query).vectors, dtype=np.float32).reshape(-1)
    return HalfVector(vector) if is_usable(vector) else None


def find_by_meaning(
    tx: Transaction,
    reach: Reach,
    *,
    space: str,
    vector: HalfVector,
    level: Level,
    limit: int,
    exact_chunks: int = EXACT_CHUNKS,
) -> Sequence[Candidate]:
    """Return the nearest readable candidates. A graph that yields too few is followed by the exact comparison."""
    space_id = find_space(tx, name=space)
    if space_id is None:
        return []
    readable = store.count_readable_chunks(tx, reach)
    if readable > exact_chunks:
        wanted = limit * _CHUNKS_PER_ITEM if level is Level.ITEM else limit
        found = store.rank_by_graph(tx, reach, space_id=space_id, vector=vector, limit=wanted)
        if level is Level.ITEM:
            found = _best_of_each_item(found)
        if len(found) >= limit:
            return found[:limit]
    return store.rank_exactly(tx, reach, level=level, space_id=space_id, vector=vector, limit=limit)


def _best_of_each_item(found: Sequence[Candidate]) -> Sequence[Candidate]:
    best = {candidate.item_id: candidate for candidate in reversed(found)}
    return [candidate for candidate in found if best[candidate.item_id] is candidate]
