"""Reads candidates and hits; each statement carries the one condition on what the asker may find."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pgvector import HalfVector, SparseVector

from chalicelib.access.model import Audiences
from chalicelib.database.statements import Statement, filled, load_statements
from chalicelib.database.transaction import Row, Transaction
from chalicelib.identity.model import WorkspaceId
from chalicelib.index.model import ChunkId, SpaceId
from chalicelib.index.spaces import for_space
from chalicelib.items.model import ItemFilters, ItemId
from chalicelib.items.store import READABLE_ITEMS, reading_parameters
from chalicelib.search.combinations import MOST_COMBINATIONS, Combination
from chalicelib.search.model import Candidate, Level, Named

_LOADED = load_statements(__package__, "search.sql")
_PARTS = {name: _LOADED[name] for name in ("found_together", "lacks_vector", "names")}
_SQL = filled(_LOADED, {**_PARTS, **READABLE_ITEMS})

_COUNTED_ITEMS = 3000
"""Readable items whose chunks are counted, a millisecond or two: where there are more, there are many chunks."""


@dataclass(frozen=True, slots=True)
class Reach:
    """What a search may find: one workspace, within the asker's audiences and the question's filters.

    Where a name is looked for, candidates tell theirs that can have as many `letters` when case and accents are folded.
    """

    workspace_id: WorkspaceId
    audiences: Audiences
    filters: ItemFilters
    letters: int = 0

    def parameters(self) -> dict[str, Any]:
        """Return what <readable_items> and <names> need."""
        return {**reading_parameters(self.workspace_id, self.audiences, self.filters), "letters": self.letters}


@dataclass(frozen=True, slots=True)
class Contents:
    """What a workspace holds, whoever asks: its chunks by language, those of most chunks first.

    `space_id` is the number of the space that is searched in, None where nothing in it can be found.
    """

    chunks_by_language: Mapping[str, int]
    space_id: SpaceId | None

    @property
    def chunks(self) -> int:
        """How many chunks there are."""
        return sum(self.chunks_by_language.values())


@dataclass(frozen=True, slots=True)
class Extent:
    """How much a search goes through: readable chunks, and vectors beside theirs, of whatever workspace.

    Where `is_whole` is false there are more readable chunks than were counted. `terms_table` is the partition that
    holds the workspace's terms, None where it has no chunk.
    """

    readable: int
    is_whole: bool
    vectors: int
    terms_table: str | None


ExtentOf = Callable[[Transaction, Reach], Extent]
"""Tells how much a search goes through: find_extent, or what it told before."""


def find_contents(tx: Transaction, workspace_id: WorkspaceId, *, space: str | None) -> Contents:
    """Read what a workspace holds; `space` is the name of the one that is searched in, if any is."""
    rows = tx.fetch_all(_SQL["list_contents"], workspace_id=workspace_id, space=space)
    return Contents({row["language"]: row["chunks"] for row in rows}, rows[0]["space_id"] if rows else None)


def list_frequencies(tx: Transaction, workspace_id: WorkspaceId, terms: Collection[int]) -> Mapping[int, int]:
    """Read in how many chunks each term is; terms in none are left out."""
    rows = tx.fetch_all(_SQL["list_frequencies"], workspace_id=workspace_id, terms=list(terms))
    return {row["term"]: row["chunks"] for row in rows}


def find_extent(tx: Transaction, reach: Reach) -> Extent:
    """Find how much a search goes through; chunks are counted of _COUNTED_ITEMS items at most."""
    row = tx.fetch_one(_SQL["find_extent"], items=_COUNTED_ITEMS, **reach.parameters())
    if row is None:
        raise LookupError("a count came out as no row")
    vectors = max(int(row["vectors"] or 0), row["chunks"])
    return Extent(row["chunks"], row["items"] < _COUNTED_ITEMS, vectors, row["terms_table"])


def rank_by_words(
    tx: Transaction,
    reach: Reach,
    *,
    level: Level,
    terms_table: str,
    combinations: Sequence[Combination],
    weights: SparseVector,
    limit: int,
    space_id: SpaceId | None = None,
) -> Sequence[Candidate]:
    """Rank by BM25 what has one of the combinations; one with all of nothing comes first, if any.

    `weights` are those of all terms of the question. `terms_table` is the workspace's, as find_extent told. Candidates
    tell whether they lack a vector in the space, where one is given.
    """
    name = "rank_items_by_words" if level is Level.ITEM else "rank_chunks_by_words"
    statement = _with_tables(_SQL[name], terms_table=terms_table)
    together = _together(combinations)
    rows = tx.fetch_all(statement, weights=weights, limit=limit, space_id=space_id, **together, **reach.parameters())
    return [_candidate_of(row) for row in rows]


def rank_few_by_words(
    tx: Transaction,
    reach: Reach,
    *,
    level: Level,
    weights: SparseVector,
    limit: int,
    space_id: SpaceId | None = None,
) -> Sequence[Candidate]:
    """Rank by BM25, looking at every readable chunk."""
    statement = _SQL["rank_few_items_by_words" if level is Level.ITEM else "rank_few_chunks_by_words"]
    rows = tx.fetch_all(statement, weights=weights, limit=limit, space_id=space_id, **reach.parameters())
    return [_candidate_of(row) for row in rows]


def rank_exactly(
    tx: Transaction, reach: Reach, *, level: Level, space_id: SpaceId, vector: HalfVector, limit: int
) -> Sequence[Candidate]:
    """Rank by cosine similarity, comparing with every readable chunk."""
    statement = _SQL["rank_items_exactly" if level is Level.ITEM else "rank_chunks_exactly"]
    rows = tx.fetch_all(statement, space_id=space_id, vector=vector, limit=limit, **reach.parameters())
    return [_candidate_of(row) for row in rows]


def rank_by_graph(
    tx: Transaction, reach: Reach, *, space_id: SpaceId, vector: HalfVector, limit: int, breadth: int, most: int
) -> Sequence[Candidate]:
    """Find the nearest readable chunks by the space's index.

    `breadth` is how many of the nearest so far are kept on the walk, up to 1000; `most` is how many vectors it meets
    before it gives up, readable ones and others. What else the transaction reads is planned badly until
    stop_walking.
    """
    statement = for_space(_SQL["rank_chunks_by_graph"], space_id=space_id, dimensions=vector.dimensions())
    tx.fetch_one(_SQL["walk_graph"], breadth=breadth, most=most)
    rows = tx.fetch_all(statement, vector=vector, limit=limit, **reach.parameters())
    return [_candidate_of(row) for row in rows]


def stop_walking(tx: Transaction) -> None:
    """Give the planner its freedom back after rank_by_graph."""
    tx.fetch_one(_SQL["stop_walking"])


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


def _with_tables(statement: Statement, *, terms_table: str) -> Statement:
    """Write the name of a table, as the database itself wrote it, into a statement."""
    return replace(statement, text=statement.text.replace(b"<chunk_terms>", terms_table.encode()))


def _together(combinations: Sequence[Combination]) -> dict[str, list[int] | None]:
    """Return what <found_together> needs; its first place is for one of some terms alone, and may be empty."""
    if combinations[0].all_of:
        combinations = [Combination((), ()), *combinations]
    parameters: dict[str, list[int] | None] = {"any_0": list(combinations[0].any_of)}
    for place in range(1, MOST_COMBINATIONS):
        one = combinations[place] if place < len(combinations) else None
        parameters |= {
            f"all_{place}": list(one.all_of) if one else None,
            f"any_{place}": list(one.any_of) if one else None,
        }
    return parameters


def _candidate_of(row: Row) -> Candidate:
    return Candidate(
        row["chunk_id"],
        row["item_id"],
        row["ordinal"],
        row["language"],
        float(row["score"]),
        lacks_vector=row.get("lacks_vector", False),
        named=None if row["title"] is None and row["path"] is None else Named(row["title"], row["path"]),
    )
