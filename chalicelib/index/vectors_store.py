"""Reads and writes which chunks of a workspace have a vector in a space."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from chalicelib.database.statements import load_statements
from chalicelib.database.transaction import Row, Transaction
from chalicelib.identity.model import WorkspaceId
from chalicelib.index.model import ChunkId, SpaceId
from chalicelib.items.model import ItemId

_SQL = load_statements(__package__, "vectors.sql")

FIRST = ItemId(UUID(int=0))
"""Before every item."""


@dataclass(frozen=True, slots=True)
class Place:
    """A space, by its name and number, in a workspace."""

    workspace_id: WorkspaceId
    space: str
    space_id: SpaceId

    def parameters(self) -> Mapping[str, object]:
        """Return what statements ask for."""
        return {"workspace_id": self.workspace_id, "space": self.space, "space_id": self.space_id}


@dataclass(frozen=True, slots=True)
class LackingChunk:
    """A chunk that has no vector in a space."""

    id: ChunkId
    item_id: ItemId
    language: str
    embedded_sha256: bytes


def count_lacking(tx: Transaction, place: Place) -> int:
    """Count the chunks without a vector, apart from those that failed."""
    row = tx.fetch_one(_SQL["count_lacking"], **place.parameters())
    return int(row["chunks"]) if row else 0


def list_lacking(tx: Transaction, place: Place, *, after: ItemId, limit: int) -> Sequence[LackingChunk]:
    """Read the chunks without a vector of the items behind `after`, in their order."""
    return _lacking(tx.fetch_all(_SQL["list_lacking"], after=after, limit=limit, **place.parameters()))


def lock_lacking(tx: Transaction, place: Place, chunks: Collection[LackingChunk]) -> Sequence[LackingChunk]:
    """Hold the chunks' items, and read which of the chunks are still there and lack a vector.

    Whoever writes vectors or deletes chunks holds the item; an item that another holds is passed over, never waited
    for.
    """
    rows = tx.fetch_all(
        _SQL["lock_lacking"],
        workspace_id=place.workspace_id,
        space_id=place.space_id,
        item_ids=list({chunk.item_id for chunk in chunks}),
        chunk_ids=[chunk.id for chunk in chunks],
    )
    return _lacking(rows)


def read_makings(tx: Transaction, workspace_id: WorkspaceId, item_ids: Collection[ItemId]) -> Mapping[ItemId, Row]:
    """Read by what living items were indexed, and the state of their index."""
    rows = tx.fetch_all(_SQL["read_makings"], workspace_id=workspace_id, item_ids=list(item_ids))
    return {ItemId(row["id"]): row for row in rows}


def show_ready(tx: Transaction, place: Place) -> int:
    """Show that items have their vectors which had their words alone in search."""
    return tx.execute(_SQL["show_ready"], **place.parameters())


def delete_vectors(tx: Transaction, place: Place, *, limit: int) -> int:
    """Delete some vectors and return how many these were; 0 means that none is left."""
    return tx.execute(_SQL["delete_vectors"], workspace_id=place.workspace_id, space_id=place.space_id, limit=limit)


def _lacking(rows: Sequence[Row]) -> Sequence[LackingChunk]:
    return [
        LackingChunk(ChunkId(row["id"]), ItemId(row["item_id"]), row["language"], row["embedded_sha256"])
        for row in rows
    ]
