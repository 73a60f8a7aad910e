"""Citations: which passages of which revisions were used by what, and what was said of them."""

from dataclasses import replace
from typing import Any, Self
from uuid import UUID

from pydantic import Field, model_validator

from chalicelib.citations.create_answer import create_answer
from chalicelib.citations.errors import AnswerNotFound, InvalidCitation
from chalicelib.citations.model import AnswerId, CitationFilters, Consumer
from chalicelib.citations.read_citations import list_citations, read_answer
from chalicelib.citations.withdraw_answer import withdraw_answer
from chalicelib.http.citation_resources import (
    AnswerResource,
    CitationList,
    NewAnswer,
    answer_resource,
    citation_resource,
    passage_in,
)
from chalicelib.http.cursors import Page, cut_page, read_id_position
from chalicelib.http.errors import InvalidCursor
from chalicelib.http.items import ITEM_PATH, READ_PROBLEMS, item_id_of
from chalicelib.http.routing import Answer, Call, NoBody, NoQuery, Query, Routes
from chalicelib.identity.errors import WorkspaceNotFound
from chalicelib.identity.model import PrincipalId
from chalicelib.identity.rights import ActionForbidden
from chalicelib.items.errors import ItemNotFound, QuotaExceeded, RevisionNotFound

routes = Routes("citations")

_CITATIONS = "/v1/workspaces/{workspace_id}/citations"
_ANSWER = "/v1/workspaces/{workspace_id}/answers/{answer_id}"
_WITH_TRASH = "Also what lies in the trash and is readable there."


class ItemCitationsQuery(Page):
    """Which citations of the item."""

    with_trash: bool = Field(default=False, description=_WITH_TRASH)
    created_by: UUID | None = Field(None, description="Only what this member kept.")


class CitationsQuery(ItemCitationsQuery):
    """Whose citations: those by one consumer, kept by one member, or all."""

    consumer_kind: str | None = Field(None, max_length=200, description="With `consumer_id`: only what it cited.")
    consumer_id: str | None = Field(None, max_length=200)

    @model_validator(mode="after")
    def _names_a_whole_consumer(self) -> Self:
        if (self.consumer_kind is None) != (self.consumer_id is None):
            raise ValueError("consumer_kind and consumer_id come together")
        return self


class AnswerQuery(Query):
    """What of the answer."""

    with_trash: bool = Field(default=False, description=_WITH_TRASH)


def show_answer_again(call: Call[Any, Any], answer_id: UUID) -> Answer:
    """Show an answer to who repeats a request about it, as it is readable now."""
    answer = read_answer(
        call.tx,
        principal=call.principal,
        workspace_id=call.workspace_id,
        answer_id=AnswerId(answer_id),
        with_trash=False,
    )
    return Answer(body=answer_resource(answer))


@routes.on(
    "POST",
    _CITATIONS,
    query=NoQuery,
    body=NewAnswer,
    answers={201: AnswerResource},
    problems=(
        WorkspaceNotFound,
        ActionForbidden,
        ItemNotFound,
        RevisionNotFound,
        InvalidCitation,
        AnswerNotFound,
        QuotaExceeded,
    ),
    show_again=show_answer_again,
)
def cite(call: Call[NoQuery, NewAnswer]) -> Answer:
    """Keep which passages were used, all of them or none; each must be readable and say what is quoted."""
    body = call.body
    answer = create_answer(
        call.tx,
        principal=call.principal,
        workspace_id=call.workspace_id,
        consumer=Consumer(body.consumer_kind, body.consumer_id),
        title=body.title,
        text=body.text,
        passages=[passage_in(cited) for cited in body.citations],
        now=call.application.clock.now(),
        quotas=call.application.item_rules.quotas,
    )
    location = f"/v1/workspaces/{call.workspace_id}/answers/{answer.id}"
    return Answer(201, answer_resource(answer), headers={"Location": location}, about=answer.id)


@routes.on(
    "GET",
    _CITATIONS,
    query=CitationsQuery,
    body=NoBody,
    answers={200: CitationList},
    problems=(WorkspaceNotFound, ActionForbidden, InvalidCursor),
)
def list_citations_by_consumer(call: Call[CitationsQuery, NoBody]) -> Answer:
    """List what was cited, by a consumer or kept by a member, as far as the caller may read it."""
    kind, consumer_id = call.query.consumer_kind, call.query.consumer_id
    consumer = None if kind is None or consumer_id is None else Consumer(kind, consumer_id)
    return _listed(call, CitationFilters(consumer=consumer))


@routes.on(
    "GET",
    f"{ITEM_PATH}/citations",
    query=ItemCitationsQuery,
    body=NoBody,
    answers={200: CitationList},
    problems=(*READ_PROBLEMS, InvalidCursor),
)
def list_citations_of_item(call: Call[ItemCitationsQuery, NoBody]) -> Answer:
    """List what an item was cited by, in any of its revisions."""
    return _listed(call, CitationFilters(item_id=item_id_of(call)))


@routes.on(
    "GET",
    _ANSWER,
    query=AnswerQuery,
    body=NoBody,
    answers={200: AnswerResource},
    problems=(WorkspaceNotFound, ActionForbidden, AnswerNotFound),
)
def show_answer(call: Call[AnswerQuery, NoBody]) -> Answer:
    """Show an answer and its citations; its text to who may read all that it cites."""
    answer = read_answer(
        call.tx,
        principal=call.principal,
        workspace_id=call.workspace_id,
        answer_id=AnswerId(call.ids["answer_id"]),
        with_trash=call.query.with_trash,
    )
    return Answer(body=answer_resource(answer))


@routes.on(
    "DELETE",
    _ANSWER,
    query=NoQuery,
    body=NoBody,
    answers={204: None},
    problems=(WorkspaceNotFound, ActionForbidden, AnswerNotFound),
)
def withdraw_kept_answer(call: Call[NoQuery, NoBody]) -> Answer:
    """Withdraw title and text of an answer, for owners; length, hash and citations stay."""
    withdraw_answer(
        call.tx,
        principal=call.principal,
        workspace_id=call.workspace_id,
        answer_id=AnswerId(call.ids["answer_id"]),
    )
    return Answer(204)


def _listed(call: Call[Any, Any], asked: CitationFilters) -> Answer:
    kept_by = call.query.created_by
    filters = replace(
        asked,
        with_trash=call.query.with_trash,
        created_by=None if kept_by is None else PrincipalId(kept_by),
    )
    citations, total = list_citations(
        call.tx,
        principal=call.principal,
        workspace_id=call.workspace_id,
        filters=filters,
        before=read_id_position(call),
        limit=call.query.limit + 1,
    )
    shown, next_cursor = cut_page(call, citations, position_of=lambda citation: [str(citation.id)])
    resources = [citation_resource(citation) for citation in shown]
    return Answer(body=CitationList(citations=resources, total=total, next_cursor=next_cursor))
