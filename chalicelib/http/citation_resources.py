"""Citations and answers as the API takes and shows them."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from pydantic import Field

from chalicelib.citations.model import GREATEST, MOST_CITATIONS, Answer, Citation, CitedPassage
from chalicelib.http.routing import Body, Resource
from chalicelib.items.model import ItemId


class NewCitation(Body):
    """A passage: a span of a revision's body, a chunk that is in search, or both as a hit has them."""

    item_id: UUID
    revision: int = Field(ge=1, le=GREATEST)
    chunk_id: UUID | None = None
    span: Sequence[int] | None = Field(None, min_length=2, max_length=2, description="Characters [start, end).")
    quote: str | None = Field(None, description="Text out of the span, word for word.")


class NewAnswer(Body):
    """What used which passages, and what it said if that is to be kept."""

    consumer_kind: str = Field(description="A word such as `answer`, `agent_run` or `page`.")
    consumer_id: str = Field(description="As its maker knows it; no content.")
    title: str | None = None
    text: str | None = None
    citations: Sequence[NewCitation] = Field(min_length=1, max_length=MOST_CITATIONS)


class CitationResource(Resource):
    """A passage that was used. `title` is its answer's, null where it is withheld or there is none."""

    id: UUID
    answer_id: UUID
    consumer_kind: str
    consumer_id: str
    title: str | None
    item_id: UUID
    revision: int
    path: str
    item_title: str
    chunk_id: UUID | None
    span: tuple[int, int]
    quote: str | None
    is_current: bool = Field(description="Whether the item still has this revision.")
    is_deleted: bool = Field(description="Whether the item lies in the trash.")
    created_by: UUID
    created_at: datetime


class AnswerResource(Resource):
    """One use of passages, with those of its citations that the caller may read.

    Title and text are withheld (null, and `withheld`) unless the caller may read all that was cited.
    """

    id: UUID
    consumer_kind: str
    consumer_id: str
    title: str | None
    text: str | None
    withheld: bool
    text_characters: int | None
    text_sha256: str | None
    created_by: UUID
    created_at: datetime
    citations: Sequence[CitationResource]


class CitationList(Resource):
    """A page of citations, the latest first. `total` counts all that the caller may read."""

    citations: Sequence[CitationResource]
    total: int
    next_cursor: str | None


def passage_in(cited: NewCitation) -> CitedPassage:
    """Return the passage that a body names."""
    return CitedPassage(
        item_id=ItemId(cited.item_id),
        revision=cited.revision,
        chunk_id=cited.chunk_id,
        span=None if cited.span is None else (cited.span[0], cited.span[1]),
        quote=cited.quote,
    )


def citation_resource(citation: Citation) -> CitationResource:
    """Return a citation as the API shows it."""
    fields = {name: getattr(citation, name) for name in CitationResource.model_fields if "consumer" not in name}
    return CitationResource(consumer_kind=citation.consumer.kind, consumer_id=citation.consumer.id, **fields)


def answer_resource(answer: Answer) -> AnswerResource:
    """Return an answer as the API shows it."""
    return AnswerResource(
        id=answer.id,
        consumer_kind=answer.consumer.kind,
        consumer_id=answer.consumer.id,
        title=answer.title,
        text=answer.text,
        withheld=answer.is_withheld,
        text_characters=answer.text_characters,
        text_sha256=None if answer.text_sha256 is None else answer.text_sha256.hex(),
        created_by=answer.created_by,
        created_at=answer.created_at,
        citations=[citation_resource(citation) for citation in answer.citations],
    )
