"""The words of search as types."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from chalicelib.index.model import ChunkId
from chalicelib.items.model import ItemClass, ItemFilters, ItemId, ItemKind
from chalicelib.knowledge_bases.model import Choice, Mode


class Lane(StrEnum):
    """One way of finding chunks."""

    LEXICAL = "lexical"
    SEMANTIC = "semantic"


class Level(StrEnum):
    """What a hit stands for: a chunk, or an item by its best chunk."""

    CHUNK = "chunk"
    ITEM = "item"


class LaneState(StrEnum):
    """What became of a lane: it answered, was late or out of reach, or had nothing to do."""

    OK = "ok"
    DROPPED = "dropped"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What is asked. `limit` counts hits of the `level`. None leaves it to the knowledge base, or to the program."""

    query: str
    limit: int | None = None
    mode: Mode | None = None
    level: Level = Level.CHUNK
    filters: ItemFilters = field(default_factory=ItemFilters)
    knowledge_bases: Choice | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SettledQuestion:
    """A question that leaves nothing open; its filters name the knowledge bases to look in."""

    query: str
    limit: int
    mode: Mode
    level: Level
    filters: ItemFilters


@dataclass(frozen=True, slots=True)
class Candidate:
    """What a lane found, the best first. `score` is the lane's own: BM25, or the cosine similarity."""

    chunk_id: ChunkId
    item_id: ItemId
    ordinal: int
    language: str
    score: float


@dataclass(frozen=True, slots=True)
class Placing:
    """Where a lane put a hit; ranks begin at 1."""

    rank: int
    score: float


@dataclass(frozen=True, slots=True)
class LaneReport:
    """How a lane fared. `reason` says why it did not answer."""

    state: LaneState
    milliseconds: float
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Snippet:
    """A window of a chunk, word for word. `highlights` are [start, end) in it."""

    text: str
    highlights: Sequence[tuple[int, int]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """One answer: a chunk with where it comes from. `span` is [start, end) in the body of `revision`.

    `is_weak`: no lane is sure of it.
    """

    item_id: ItemId
    chunk_id: ChunkId
    revision: int
    path: str
    title: str
    kind: ItemKind
    item_class: ItemClass
    heading_path: Sequence[str]
    page: int | None
    span: tuple[int, int]
    snippet: Snippet
    score: float
    lanes: Mapping[Lane, Placing]
    is_weak: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchAnswer:
    """Hits, the best first, and how each lane fared."""

    question: SettledQuestion
    hits: Sequence[Hit]
    lanes: Mapping[Lane, LaneReport]
    milliseconds: float
