"""The words of search as types."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

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


class Stage(StrEnum):
    """What a question may ask for before and after the lanes, at the price of a model's time."""

    EXPANSION = "expansion"
    RERANK = "rerank"


class LaneState(StrEnum):
    """What became of a lane, or of a stage: it answered, was late or out of reach, or had nothing to do."""

    OK = "ok"
    DROPPED = "dropped"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What is asked. `limit` counts hits of the `level`. None leaves it to the knowledge base, or to the program.

    `half_life` is in days: an item that was updated so long ago counts half as much as one of now. `neighbours` is how
    many chunks on either side of a hit its passage takes in. `explain` asks what a hit's score is made of, `why_not`
    why an item is not among the hits.
    """

    query: str
    limit: int | None = None
    mode: Mode | None = None
    level: Level = Level.CHUNK
    filters: ItemFilters = field(default_factory=ItemFilters)
    knowledge_bases: Choice | None = None
    expand: bool | None = None
    rerank: bool | None = None
    half_life: float | None = None
    neighbours: int = 0
    explain: bool = False
    why_not: ItemId | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SettledQuestion:
    """A question that leaves nothing open; its filters name the knowledge bases to look in."""

    query: str
    limit: int
    mode: Mode
    level: Level
    filters: ItemFilters
    expand: bool
    rerank: bool
    half_life: float | None
    neighbours: int
    explain: bool
    why_not: ItemId | None = None


@dataclass(frozen=True, slots=True)
class Named:
    """What an item is called; None is what cannot be the name that is looked for."""

    title: str | None
    path: str | None


class Candidate(NamedTuple):
    """What a lane found, the best first. `score` is the lane's own: BM25, or the cosine similarity.

    `lacks_vector`: the lane was asked, and the chunk has no vector in the space that is searched. `named` is what the
    item is called, where that can be the name that is looked for.
    """

    chunk_id: ChunkId
    item_id: ItemId
    ordinal: int
    language: str
    score: float
    lacks_vector: bool = False
    named: Named | None = None


class Placing(NamedTuple):
    """Where a lane put a hit; ranks begin at 1."""

    rank: int
    score: float


@dataclass(frozen=True, slots=True)
class LaneReport:
    """How a lane or a stage fared. `reason` says why it did not answer; `wordings` are those that an expansion gave."""

    state: LaneState
    milliseconds: float
    reason: str | None = None
    wordings: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Snippet:
    """A window of a chunk, word for word. `highlights` are [start, end) in it."""

    text: str
    highlights: Sequence[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Copy:
    """A passage that says nearly word for word what a better hit says, and where it stands."""

    item_id: ItemId
    chunk_id: ChunkId
    path: str
    title: str


@dataclass(frozen=True, slots=True)
class Widened:
    """A hit's chunk with its neighbours, word for word.

    `span` is [start, end) in the body of the hit's revision, `hit` where the hit's own chunk is in `text`.
    """

    text: str
    span: tuple[int, int]
    hit: tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """What a hit's score is made of.

    `shares` add up to the fused score; `words` are the question's words in the chunk and what each tells; `factors`
    are what the fused score was multiplied by, and `relevance` what the reranker gave instead of it. Where the chunk
    `lacks_vector`, the semantic lane's share is what its words stand for.
    """

    fused: float
    shares: Mapping[Lane, float]
    words: Mapping[str, float]
    factors: Mapping[str, float]
    relevance: float | None
    is_exact: bool
    lacks_vector: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """One answer: a chunk with where it comes from. `span` is [start, end) in the body of `revision`.

    `opening` is what stands above the chunk and belongs to it, such as a table's header. `is_weak`: no lane is sure of
    it. `is_stale`: it was to be reviewed before now. `copies` are hits that were collapsed into it, `widened` is there
    where neighbours were asked for.
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
    opening: str
    snippet: Snippet
    score: float
    lanes: Mapping[Lane, Placing]
    is_weak: bool
    updated_at: datetime
    is_stale: bool = False
    copies: Sequence[Copy] = ()
    widened: Widened | None = None
    explanation: Explanation | None = None


class MissingReason(StrEnum):
    """Why an item is not among the hits; the first that holds, in this order."""

    SHOWN = "shown"
    COPY = "copy"
    TRASHED = "trashed"
    NO_TEXT = "no_text"
    FAILED = "failed"
    NOT_INDEXED = "not_indexed"
    FILTERED = "filtered"
    BELOW_LIMIT = "below_limit"
    IRRELEVANT = "irrelevant"
    NO_CANDIDATE = "no_candidate"


@dataclass(frozen=True, slots=True, kw_only=True)
class Missing:
    """Where an item ended that somebody misses among the hits.

    `place` is that among the candidates, from 1 on; `filters` are those that it does not pass; `shown_with` is the path
    of the hit that shows it, or stands for it as its copy. A lane's rank is 0 where it is no candidate of the lane, and
    a lane is missing that gives it nothing.
    """

    item_id: ItemId
    reason: MissingReason
    place: int | None
    filters: Sequence[str]
    shown_with: str | None
    lanes: Mapping[Lane, Placing]


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchAnswer:
    """Hits, the best first, and how each lane and each stage fared. `space` is what was searched in by meaning."""

    question: SettledQuestion
    hits: Sequence[Hit]
    lanes: Mapping[Lane, LaneReport]
    space: str | None
    milliseconds: float
    stages: Mapping[Stage, LaneReport] = field(default_factory=dict)
    missing: Missing | None = None
