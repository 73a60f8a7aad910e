"""The semantic lane: the nearest chunks, compared one by one where they are few, by the HNSW index where many."""

from collections.abc import Sequence
from functools import partial

from pgvector import HalfVector

from chalicelib.database.transaction import Transaction
from chalicelib.index.vectors import is_usable
from chalicelib.platform.ports import Embedder
from chalicelib.search import store
from chalicelib.search.model import Candidate, Level
from chalicelib.search.store import Contents, ExtentOf, Reach, find_extent

EXACT_CHUNKS = 5_000
"""Readable chunks up to which each is compared: some 5 ms, hardly more than the graph takes. See docs/benchmarks.md."""

_STEP = 20
"""Vectors that could be compared exactly in the time of one that a walk yields: 10 where readable chunks lie evenly, 25
measured for a workspace on its own subjects, of 18,000 among 460,000, whose ten nearest a walk missed in one of ten."""

_DETOUR = 2
"""A walk may compare so many times the vectors that it would if readable chunks lay evenly. Those of one subject lie
together, and a question on another meets all others first; then the exact comparison is faster."""

_LEAST_COMPARED = 20_000
"""Vectors that a walk may compare at least."""

_BREADTH = 200
"""Nearest vectors that a walk keeps at least. Of the ten nearest in 83,000 chunks 40 found 96.5 %, 100 and 200
98.5; in 29,000 that are a subject of their own 40 found 94.5, 100 99.5, 200 all."""

_CHUNKS_PER_ITEM = (4, 20)
"""Chunks to look for in the graph for each item wanted, and once more where they come from too few items."""


def question_vector(embedder: Embedder, query: str) -> HalfVector | None:
    """Embed the question; None where what comes out has no direction. Raises EmbedderUnavailable."""
    import numpy as np  # noqa: PLC0415 - as in is_usable

    vector = np.asarray(embedder.embed_query(query).vectors, dtype=np.float32).reshape(-1)
    return HalfVector(vector) if is_usable(vector) else None


def find_by_meaning(
    tx: Transaction,
    reach: Reach,
    *,
    contents: Contents,
    vector: HalfVector,
    level: Level,
    limit: int,
    exact_chunks: int = EXACT_CHUNKS,
    extent_of: ExtentOf = find_extent,
) -> Sequence[Candidate]:
    """Return the nearest readable candidates. A graph that yields too few is followed by the exact comparison.

    The transaction is for this: what else it reads may be planned badly, see store.rank_by_graph.
    """
    space_id = contents.space_id
    if space_id is None:
        return []
    rank = partial(store.rank_exactly, tx, reach, level=level, space_id=space_id, vector=vector, limit=limit)
    if contents.chunks <= exact_chunks:
        return rank()
    extent = extent_of(tx, reach)
    for wanted in [limit * chunks for chunks in _CHUNKS_PER_ITEM] if level is Level.ITEM else [limit]:
        walk = wanted * extent.vectors // max(extent.readable, 1)
        if extent.is_whole and extent.readable <= max(exact_chunks, walk * _STEP):
            return rank()
        near = store.rank_by_graph(
            tx,
            reach,
            space_id=space_id,
            vector=vector,
            limit=wanted,
            breadth=min(max(wanted, _BREADTH), 1000),
            most=max(walk * _STEP * _DETOUR, extent.readable, _LEAST_COMPARED),
        )
        found = _best_of_each_item(near) if level is Level.ITEM else near
        if len(near) >= wanted and len(found) >= limit:
            return found[:limit]
        store.stop_walking(tx)
        if len(near) < wanted:
            break
    return rank()


def _best_of_each_item(found: Sequence[Candidate]) -> Sequence[Candidate]:
    best = {candidate.item_id: candidate for candidate in reversed(found)}
    return [candidate for candidate in found if best[candidate.item_id] is candidate]
