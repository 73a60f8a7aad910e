"""Reads candidates and hits; each statement carries the one condition on what the asker may find."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pgvector import HalfVector, SparseVector

from chalicelib.access.model import Audiences
from chalicelib.database.statements import filled, load_statements
from chalicelib.database.transaction import Row, Transaction
from chalicelib.identity.model import WorkspaceId
from chalicelib.index.model import ChunkId, SpaceId
from chalicelib.index.spaces import for_space
from chalicelib.items.model import ItemFilters, ItemId
from chalicelib.items.store import READABLE_ITEMS, reading_parameters
from chalicelib.search.model import Candidate, Level

_SQL = filled(load_statements(__package__, "search.sql"), READABLE_ITEMS)


@dataclass(frozen=True, slots=True)
class Reach:
    """What a search may find: one workspace, within the asker's audiences and the question's filters."""

    workspace_id: WorkspaceId
    audiences: Audiences
    filters: ItemFilters

    def parameters(self) -> dict[str, Any]:
        """Return what <readable_items> needs."""
        return reading_parameters(self.workspace_id, self.audiences, self.filters)


def limit_time(tx: Transaction, *, seconds: float) -> None:
    """Let each statement of the transaction take so long; a longer one raises DatabaseBusy."""
    tx.fetch_one(_SQL["limit_time"], milliseconds=max(int(seconds * 1000), 1))


def list_frequencies(tx: Transaction, workspace_id: WorkspaceId, terms: Collection[int]) -> Mapping[int, int]:
    """Read in how many chunks each term is; terms in none are left out."""
    rows = tx.fetch_all(_SQL["list_frequencies"], workspace_id=workspace_id, terms=list(terms))
    return {row["term"]: row["chunks"] for row in rows}


def rank_by_words(
    tx: Transaction, reach: Reach, *, level: Level, terms: Sequence[int], weights: SparseVector, limit: int
) -> Sequence[Candidate]:
    """Rank by BM25 what has one of `terms`; `weights` are those of all terms of the question."""
    statement = _SQL["rank_items_by_words" if level is Level.ITEM else "rank_chunks_by_words"]
    rows = tx.fetch_all(statement, terms=list(terms), weights=weights, limit=limit, **reach.parameters())
    return [_candidate_of(row) for row in rows]


def count_readable_chunks(tx: Transaction, reach: Reach) -> int:
    """Count what a search could find."""
    row = tx.fetch_one(_SQL["count_readable_chunks"], **reach.parameters())
    return int(row["chunks"]) if row else 0


def rank_exactly(
    tx: Transaction, reach: Reach, *, level: Level, space_id: SpaceId, vector: HalfVector, limit: int
) -> Sequence[Candidate]:
    """Rank by cosine similarity, comparing with every readable chunk."""
    statement = _SQL["rank_items_exactly" if level is Level.ITEM else "rank_chunks_exactly"]
    rows = tx.fetch_all(statement, space_id=space_id, vector=vector, limit=limit, **reach.parameters())
    return [_candidate_of(row) for row in rows]


def rank_by_graph(
    tx: Transaction, reach: Reach, *, space_id: SpaceId, vector: HalfVector, limit: int
) -> Sequence[Candidate]:
    """Find the nearest readable chunks by the space's index."""
    statement = for_space(_SQL["rank_chunks_by_graph"], space_id=space_id, dimensions=vector.dimensions())
    tx.fetch_one(_SQL["walk_graph"], breadth=min(max(limit, 40), 1000))
    rows = tx.fetch_all(statement, vector=vector, limit=limit, **reach.parameters())
    tx.fetch_one(_SQL["stop_walking"])
    return [_candidate_of(row) for row in rows]


def list_readable(
    tx: Transaction, workspace_id: WorkspaceId, item_ids: Collection[ItemId], *, audiences: Audiences
) -> frozenset[ItemId]:
    """Read which of some items somebody may read."""
    rows = tx.fetch_all(_SQL["list_readable"], workspace_id=workspace_id, item_ids=list(item_ids), audiences=audiences)
    return frozenset(ItemId(row["id"]) for row in rows)


def read_hits(tx: Transaction, reach: Reach, chunk_ids: Collection[ChunkId]) -> Mapping[ChunkId, Row]:
    """Read what is shown of chunks that can still be found."""
    rows = tx.fetch_all(_SQL["read_hits"], chunk_ids=list(chunk_ids), **reach.parameters())
    return {row["chunk_id"]: row for row in rows}


def _candidate_of(row: Row) -> Candidate:
    return Candidate(row["chunk_id"], row["item_id"], row["ordinal"], row["language"], float(row["score"]))
