"""The words of citations as types."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NewType
from uuid import UUID

from chalicelib.identity.model import PrincipalId
from chalicelib.items.model import ItemId

AnswerId = NewType("AnswerId", UUID)
CitationId = NewType("CitationId", UUID)

MOST_CITATIONS = 200
"""Citations of one answer."""
TEXT_CHARACTERS = 100_000
QUOTE_CHARACTERS = 20_000
TITLE_CHARACTERS = 500
CONSUMER_CHARACTERS = 200
GREATEST = 2**31 - 1
"""The greatest number of a revision, and the greatest offset in a body, that the database holds."""


@dataclass(frozen=True, slots=True)
class Consumer:
    """What uses passages: its kind, a word such as `answer` or `agent_run`, and its id as its maker knows it."""

    kind: str
    id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CitedPassage:
    """What is said to be used: characters [start, end) of a revision's body, or a chunk that is in search, or both.

    `quote` is text out of them, word for word.
    """

    item_id: ItemId
    revision: int
    chunk_id: UUID | None = None
    span: tuple[int, int] | None = None
    quote: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation:
    """A passage that was used, as who may read its item sees it now.

    `title` is that of the answer, None where it has none or is withheld. `is_current` says that the item still has this
    revision.
    """

    id: CitationId
    answer_id: AnswerId
    item_id: ItemId
    revision: int
    chunk_id: UUID | None
    span: tuple[int, int]
    quote: str | None
    path: str
    item_title: str
    is_current: bool
    is_deleted: bool
    consumer: Consumer
    title: str | None
    created_by: PrincipalId
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """One use of passages. Title and text are None where they are withheld, or were not given.

    They are withheld as long as the reader may not read everything that was cited. Length and SHA-256 of the text stay.
    """

    id: AnswerId
    consumer: Consumer
    title: str | None
    text: str | None
    is_withheld: bool
    text_characters: int | None
    text_sha256: bytes | None
    created_by: PrincipalId
    created_at: datetime
    citations: Sequence[Citation]

    @property
    def said_bytes(self) -> int:
        """Return how many bytes title and text have, which count as bodies do."""
        return sum(len(said.encode()) for said in (self.title, self.text) if said)


@dataclass(frozen=True, slots=True, kw_only=True)
class CitationFilters:
    """Which citations: those of an item, by a consumer, kept by a member. `with_trash` adds those in the trash."""

    item_id: ItemId | None = None
    consumer: Consumer | None = None
    created_by: PrincipalId | None = None
    with_trash: bool = False
