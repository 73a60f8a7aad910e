"""Reads and writes citations in the database."""

from collections.abc import Mapping, Sequence
from uuid import UUID

from psycopg.types.json import Jsonb

from chalicelib.access.model import Audiences
from chalicelib.citations.model import (
    Answer,
    AnswerId,
    Citation,
    CitationFilters,
    CitedPassage,
    Consumer,
)
from chalicelib.database.ids import new_id
from chalicelib.database.statements import filled, load_statements
from chalicelib.database.transaction import Row, Transaction
from chalicelib.identity.model import PrincipalId, WorkspaceId

_LOADED = load_statements(__package__, "citations.sql")
_PARTS = {"readable_cited": _LOADED["readable_cited"]}
_SQL = filled(
    filled(
        _LOADED,
        {"citation_columns": _LOADED["citation_columns"], "readable_citations": _LOADED["readable_citations"]},
    ),
    _PARTS,
)


def find_passages(
    tx: Transaction, workspace_id: WorkspaceId, passages: Sequence[CitedPassage], *, audiences: Audiences
) -> Mapping[int, Row]:
    """Look passages up, by their place in the list; those of items that are not readable are left out.

    Of each: `revision` and `characters` of its body, None where there is none; `chunk_id`, `body_start` and `body_end`,
    None where search has no such chunk of this revision; `has_quote`.
    """
    wanted = [{"ordinal": ordinal, **_columns_of(passage)} for ordinal, passage in enumerate(passages)]
    rows = tx.fetch_all(_SQL["find_passages"], workspace_id=workspace_id, wanted=Jsonb(wanted), audiences=audiences)
    return {row["ordinal"]: row for row in rows}


def insert_answer(
    tx: Transaction,
    workspace_id: WorkspaceId,
    answer: Answer,
    passages: Sequence[CitedPassage],
) -> None:
    """Keep an answer with the passages that it cites, each with its span."""
    tx.execute(
        _SQL["insert_answer"],
        id=answer.id,
        workspace_id=workspace_id,
        consumer_kind=answer.consumer.kind,
        consumer_id=answer.consumer.id,
        title=answer.title,
        text=answer.text,
        text_characters=answer.text_characters,
        text_sha256=answer.text_sha256,
        cited=len(passages),
        counted_bytes=answer.said_bytes,
        principal_id=answer.created_by,
    )
    cited = [{"id": str(new_id()), **_columns_of(passage)} for passage in passages]
    tx.execute(_SQL["insert_citations"], workspace_id=workspace_id, answer_id=answer.id, cited=Jsonb(cited))


def list_citations(
    tx: Transaction,
    workspace_id: WorkspaceId,
    filters: CitationFilters,
    *,
    audiences: Audiences,
    before: UUID | None,
    limit: int,
) -> Sequence[Citation]:
    """Read citations of readable items, the latest first, from behind `before`."""
    rows = tx.fetch_all(
        _SQL["list_citations"], before=before, limit=limit, **_filtering(workspace_id, filters, audiences)
    )
    return [_citation_of(row) for row in rows]


def count_citations(
    tx: Transaction, workspace_id: WorkspaceId, filters: CitationFilters, *, audiences: Audiences
) -> int:
    """Count citations of readable items."""
    row = tx.fetch_one(_SQL["count_citations"], **_filtering(workspace_id, filters, audiences))
    return int(row["citations"]) if row else 0


def find_answer(
    tx: Transaction,
    workspace_id: WorkspaceId,
    answer_id: AnswerId,
    *,
    audiences: Audiences,
    maker_id: PrincipalId | None,
    with_trash: bool,
) -> Answer | None:
    """Read an answer of which something is readable, or that `maker_id` made, without its citations."""
    row = tx.fetch_one(
        _SQL["find_answer"],
        workspace_id=workspace_id,
        answer_id=answer_id,
        audiences=audiences,
        maker_id=maker_id,
        with_trash=with_trash,
    )
    if row is None:
        return None
    values = dict(row)
    consumer = Consumer(values.pop("consumer_kind"), values.pop("consumer_id"))
    return Answer(consumer=consumer, citations=[], **values)


def withdraw_answer(tx: Transaction, workspace_id: WorkspaceId, answer_id: AnswerId) -> int | None:
    """Forget what an answer says; return how many bytes of it were counted, None where it says nothing any more."""
    row = tx.fetch_one(_SQL["withdraw_answer"], workspace_id=workspace_id, answer_id=answer_id)
    return row["freed"] if row else None


def list_citations_of_answer(
    tx: Transaction, workspace_id: WorkspaceId, answer_id: AnswerId, *, audiences: Audiences, with_trash: bool
) -> Sequence[Citation]:
    """Read the citations of one answer of readable items, in their order."""
    rows = tx.fetch_all(
        _SQL["list_citations_of_answer"],
        workspace_id=workspace_id,
        answer_id=answer_id,
        audiences=audiences,
        with_trash=with_trash,
    )
    return [_citation_of(row) for row in rows]


def _columns_of(passage: CitedPassage) -> dict[str, object]:
    start, end = passage.span or (None, None)
    return {
        "item_id": str(passage.item_id),
        "revision": passage.revision,
        "chunk_id": None if passage.chunk_id is None else str(passage.chunk_id),
        "span_start": start,
        "span_end": end,
        "quote": passage.quote,
    }


def _filtering(workspace_id: WorkspaceId, filters: CitationFilters, audiences: Audiences) -> dict[str, object]:
    consumer = filters.consumer
    return {
        "workspace_id": workspace_id,
        "audiences": audiences,
        "with_trash": filters.with_trash,
        "item_id": filters.item_id,
        "consumer_kind": consumer.kind if consumer else None,
        "consumer_id": consumer.id if consumer else None,
        "created_by": filters.created_by,
    }


def _citation_of(row: Row) -> Citation:
    values = dict(row)
    return Citation(
        span=(values.pop("span_start"), values.pop("span_end")),
        consumer=Consumer(values.pop("consumer_kind"), values.pop("consumer_id")),
        **values,
    )
