"""The words of the index as types."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NewType
from uuid import UUID

from pgvector import HalfVector

from chalicelib.index.bm25 import TermCounts
from chalicelib.items.model import ItemId

ChunkId = NewType("ChunkId", UUID)
SpaceId = NewType("SpaceId", int)


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """What is to be indexed of an item: the present state of its title and body.

    `summary` is what a language model said of it, where the workspace wants that; see contexts.py.
    """

    item_id: ItemId
    title: str
    body: str
    page_starts: Sequence[int]
    language: str | None
    revision: int
    summary: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """A chunk as it is to be in search, with its terms. `content_sha256` covers all that is indexed of it.

    `opening` stands above `text`, as the header does above rows from the middle of a table, and is not in its span.
    """

    ordinal: int
    heading_path: Sequence[str]
    start: int
    end: int
    page: int | None
    opening: str
    text: str
    tokens: int
    language: str
    embedded: str
    embedded_sha256: bytes
    content_sha256: bytes
    counted: TermCounts


@dataclass(frozen=True, slots=True)
class IndexedChunk:
    """What is known of a chunk that is in search."""

    id: ChunkId
    content_sha256: bytes


@dataclass(frozen=True, slots=True)
class Statistics:
    """What BM25 needs of a workspace. Languages are in order of their chunks, the most first."""

    chunks: int
    length: float
    chunks_by_language: Mapping[str, int]

    @property
    def average_length(self) -> float:
        """The average length of a chunk; 1 where there is none."""
        return self.length / self.chunks if self.chunks and self.length else 1.0


@dataclass(frozen=True, slots=True)
class Vectors:
    """Vectors by the SHA-256 of what was embedded; `tokens` were read for those that were embedded anew.

    `unusable` names those that came out zero or not finite, or that the embedder refuses.
    """

    space_id: SpaceId
    by_sha256: Mapping[bytes, HalfVector]
    unusable: frozenset[bytes]
    tokens: int = 0

    def with_more(self, other: "Vectors") -> "Vectors":
        """Return these and those, of the same space."""
        by_sha256 = {**self.by_sha256, **other.by_sha256}
        return Vectors(self.space_id, by_sha256, self.unusable | other.unusable, self.tokens + other.tokens)


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """A chunk as its readers see it. `revision` is the one that its span points into."""

    id: ChunkId
    item_id: ItemId
    revision: int
    ordinal: int
    heading_path: Sequence[str]
    start: int
    end: int
    page: int | None
    opening: str
    text: str
    tokens: int
