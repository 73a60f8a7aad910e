"""Reads citations and answers as the reader's access is now; copies of the unreadable are left out or withheld."""

from collections.abc import Sequence
from dataclasses import replace
from uuid import UUID

from chalicelib.access.readers import audiences_of
from chalicelib.citations import store
from chalicelib.citations.errors import AnswerNotFound
from chalicelib.citations.model import Answer, AnswerId, Citation, CitationFilters
from chalicelib.database.transaction import Transaction
from chalicelib.identity.model import Principal, WorkspaceId
from chalicelib.identity.rights import Action, authorize
from chalicelib.items.errors import ItemNotFound
from chalicelib.items.read_item import read_item
from chalicelib.items.read_trash import read_trashed_item


def list_citations(
    tx: Transaction,
    *,
    principal: Principal,
    workspace_id: WorkspaceId,
    filters: CitationFilters,
    before: UUID | None,
    limit: int,
) -> tuple[Sequence[Citation], int]:
    """Return citations of items that the principal may read, the latest first, from behind `before`, and their count.

    Raises ItemNotFound where they are to be of an item that it may not read.
    """
    authorize(principal, workspace_id, Action.READ)
    if filters.item_id is not None:
        _require_item(tx, principal, workspace_id, filters)
    audiences = audiences_of(tx, principal, workspace_id)
    citations = store.list_citations(tx, workspace_id, filters, audiences=audiences, before=before, limit=limit)
    return citations, store.count_citations(tx, workspace_id, filters, audiences=audiences)


def read_answer(
    tx: Transaction, *, principal: Principal, workspace_id: WorkspaceId, answer_id: AnswerId, with_trash: bool
) -> Answer:
    """Return an answer to who may read something of what it cites, or made it. Raises AnswerNotFound.

    Title and text are withheld unless all that was cited is readable now. What was deleted counts as not readable,
    but `with_trash` for who may read it there; what was deleted for good never is again.
    """
    authorize(principal, workspace_id, Action.READ)
    audiences = audiences_of(tx, principal, workspace_id)
    answer = store.find_answer(
        tx,
        workspace_id,
        answer_id,
        audiences=audiences,
        maker_id=principal.id if principal.on_behalf_of is None else None,
        with_trash=with_trash,
    )
    if answer is None:
        raise AnswerNotFound("There is no such answer.")
    citations = store.list_citations_of_answer(tx, workspace_id, answer_id, audiences=audiences, with_trash=with_trash)
    return replace(answer, citations=citations)


def _require_item(tx: Transaction, principal: Principal, workspace_id: WorkspaceId, filters: CitationFilters) -> None:
    if filters.item_id is None:
        return
    try:
        read_item(tx, principal=principal, workspace_id=workspace_id, item_id=filters.item_id)
    except ItemNotFound:
        if not filters.with_trash:
            raise
        read_trashed_item(tx, principal=principal, workspace_id=workspace_id, item_id=filters.item_id)
