"""Withdraws what an answer says; that it was kept, its length, its hash and its citations stay."""

from chalicelib.access.store import share_places
from chalicelib.audit.model import ActivityAction, SubjectKind
from chalicelib.audit.record_activity import record
from chalicelib.citations import store
from chalicelib.citations.model import AnswerId
from chalicelib.citations.read_citations import read_answer
from chalicelib.database.transaction import Transaction
from chalicelib.identity.model import Principal, WorkspaceId
from chalicelib.identity.rights import Action, authorize
from chalicelib.items import usage_store


def withdraw_answer(tx: Transaction, *, principal: Principal, workspace_id: WorkspaceId, answer_id: AnswerId) -> None:
    """Forget title and text of an answer that the principal may read something of; idempotent. For owners.

    Raises ActionForbidden, AnswerNotFound.
    """
    authorize(principal, workspace_id, Action.MANAGE)
    # Who deletes for good what it cites frees the same bytes, with the places in hand.
    share_places(tx, workspace_id)
    answer = read_answer(tx, principal=principal, workspace_id=workspace_id, answer_id=answer_id, with_trash=True)
    freed = store.withdraw_answer(tx, workspace_id, answer_id)
    if freed is None:
        return
    record(
        tx,
        principal=principal,
        workspace_id=workspace_id,
        action=ActivityAction.CITATION_WITHDRAWN,
        subject_kind=SubjectKind.CITATION,
        subject_id=answer_id,
        before={"created_by": answer.created_by, "text_characters": answer.text_characters},
    )
    usage_store.add_usage(tx, workspace_id, {"body_bytes": -freed})
