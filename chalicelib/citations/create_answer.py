"""Keeps which passages something used, and what it said, if each of them is there for who says so."""

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from chalicelib.access.readers import audiences_of
from chalicelib.audit.model import ActivityAction, SubjectKind
from chalicelib.audit.record_activity import record
from chalicelib.citations import store
from chalicelib.citations.checked_answer import checked_consumer, checked_passages, checked_text, checked_title
from chalicelib.citations.errors import InvalidCitation
from chalicelib.citations.model import Answer, AnswerId, CitedPassage, Consumer
from chalicelib.citations.read_citations import read_answer
from chalicelib.database.ids import new_id
from chalicelib.database.transaction import Row, Transaction
from chalicelib.identity.model import Principal, WorkspaceId
from chalicelib.identity.rights import Action, authorize
from chalicelib.items.errors import ItemNotFound, RevisionNotFound
from chalicelib.items.quotas import Quotas, charge

_NAMED = 20
"""Items that an error names at most."""


def create_answer(
    tx: Transaction,
    *,
    principal: Principal,
    workspace_id: WorkspaceId,
    consumer: Consumer,
    title: str | None,
    text: str | None,
    passages: Sequence[CitedPassage],
    now: datetime,
    quotas: Quotas,
) -> Answer:
    """Keep it: all of it or nothing. Its citations are counted, and what it says as bodies are.

    Raises QuotaExceeded, ItemNotFound, RevisionNotFound, InvalidCitation (also for a quote that is not in its revision,
    word for word), ActionForbidden, WorkspaceNotFound.
    """
    authorize(principal, workspace_id, Action.CITE)
    checked = checked_passages(passages)
    said = checked_text(text)
    answer = Answer(
        id=AnswerId(new_id()),
        consumer=checked_consumer(consumer),
        title=checked_title(title),
        text=said,
        is_withheld=False,
        text_characters=len(said) if said else None,
        text_sha256=hashlib.sha256(said.encode()).digest() if said else None,
        created_by=principal.id,
        created_at=now,
        citations=[],
    )
    store.insert_answer(tx, workspace_id, answer, _verified(tx, principal, workspace_id, checked))
    record(
        tx,
        principal=principal,
        workspace_id=workspace_id,
        action=ActivityAction.CITATION_CREATED,
        subject_kind=SubjectKind.CITATION,
        subject_id=answer.id,
        after={"consumer_kind": consumer.kind, "citations": len(checked), "text_characters": answer.text_characters},
    )
    charge(tx, workspace_id, quotas, citations=len(checked), body_bytes=answer.said_bytes)
    return read_answer(tx, principal=principal, workspace_id=workspace_id, answer_id=answer.id, with_trash=False)


def _verified(
    tx: Transaction, principal: Principal, workspace_id: WorkspaceId, passages: Sequence[CitedPassage]
) -> Sequence[CitedPassage]:
    """Return the passages with their spans, and with the chunks that search has. What is unreadable is absent."""
    found = store.find_passages(tx, workspace_id, passages, audiences=audiences_of(tx, principal, workspace_id))
    absent = [passage for number, passage in enumerate(passages) if number not in found]
    if absent:
        raise ItemNotFound("There is no such item.", items=_items_of(absent))
    outdated = [passage for number, passage in enumerate(passages) if found[number]["revision"] is None]
    if outdated:
        raise RevisionNotFound("The item has no such revision.", items=_items_of(outdated))
    return [_placed(number, passage, found[number]) for number, passage in enumerate(passages)]


def _placed(number: int, passage: CitedPassage, row: Row) -> CitedPassage:
    has_chunk = row["chunk_id"] is not None
    if passage.span is None and not has_chunk:
        raise InvalidCitation(
            "Search has no such chunk of this revision any more; cite it by its span.", citation=number
        )
    span = passage.span or (row["body_start"], row["body_end"])
    if span[1] > row["characters"]:
        raise InvalidCitation(f"The body of this revision has {row['characters']} characters.", citation=number)
    if not row["has_quote"]:
        raise InvalidCitation("The quote is not in the revision, word for word.", citation=number)
    is_in_chunk = has_chunk and row["body_start"] <= span[0] and span[1] <= row["body_end"]
    if has_chunk and not is_in_chunk:
        raise InvalidCitation("The span is not in the chunk.", citation=number)
    return replace(passage, span=span, chunk_id=passage.chunk_id if is_in_chunk else None)


def _items_of(passages: Sequence[CitedPassage]) -> Sequence[str]:
    return list(dict.fromkeys(str(passage.item_id) for passage in passages))[:_NAMED]
