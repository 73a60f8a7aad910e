"""Finds a knowledge base that somebody sees, to read it, or to change it or what is in it."""

from enum import Enum

from chalicelib.database.transaction import Transaction
from chalicelib.identity.model import Principal, WorkspaceId
from chalicelib.identity.rights import Action, ActionForbidden, authorize, has_scope
from chalicelib.items.model import KnowledgeBaseId
from chalicelib.knowledge_bases import store
from chalicelib.knowledge_bases.errors import KnowledgeBaseNotFound
from chalicelib.knowledge_bases.model import KnowledgeBase


class Part(Enum):
    """What of a knowledge base is to be changed."""

    ITSELF = "itself"
    MEMBERS = "members"


def find_knowledge_base(
    tx: Transaction, principal: Principal, workspace_id: WorkspaceId, knowledge_base_id: KnowledgeBaseId
) -> KnowledgeBase:
    """Return one that the principal sees. Raises WorkspaceNotFound, KnowledgeBaseNotFound, ActionForbidden."""
    authorize(principal, workspace_id, Action.READ)
    return _existing(store.find_base(tx, principal, workspace_id, knowledge_base_id))


def lock_knowledge_base(
    tx: Transaction,
    principal: Principal,
    workspace_id: WorkspaceId,
    knowledge_base_id: KnowledgeBaseId,
    *,
    part: Part,
) -> KnowledgeBase:
    """Lock one whose part the principal may change, until commit. Raises as find_knowledge_base does."""
    authorize(principal, workspace_id, Action.READ)
    found = _existing(store.find_base(tx, principal, workspace_id, knowledge_base_id, lock=True))
    may = found.may_change if part is Part.ITSELF else found.may_change_members
    if not may:
        raise ActionForbidden(
            "Who made a knowledge base and may write changes it, and owners do; what is in it, also whom a grant lets.",
            action=str(Action.WRITE),
        )
    if not has_scope(principal, Action.WRITE):
        raise ActionForbidden("The API key lacks the scope write.", action=str(Action.WRITE))
    return found


def _existing(found: KnowledgeBase | None) -> KnowledgeBase:
    if found is None:
        raise KnowledgeBaseNotFound("There is no such knowledge base.")
    return found
