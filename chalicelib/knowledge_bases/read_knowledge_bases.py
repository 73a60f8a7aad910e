"""Reads knowledge bases, what is in them, and how much of that the asker may read."""

from collections.abc import Sequence
from uuid import UUID

from chalicelib.access.readers import audiences_of
from chalicelib.database.transaction import Transaction
from chalicelib.identity.model import Principal, WorkspaceId
from chalicelib.identity.rights import Action, authorize
from chalicelib.items.model import KnowledgeBaseId
from chalicelib.knowledge_bases import member_store, store
from chalicelib.knowledge_bases.find_knowledge_base import find_knowledge_base
from chalicelib.knowledge_bases.model import KnowledgeBase, Member


def read_knowledge_base(
    tx: Transaction, *, principal: Principal, workspace_id: WorkspaceId, knowledge_base_id: KnowledgeBaseId
) -> tuple[KnowledgeBase, int]:
    """Return one that the principal sees, and how many items in it it may read. Raises KnowledgeBaseNotFound."""
    found = find_knowledge_base(tx, principal, workspace_id, knowledge_base_id)
    audiences = audiences_of(tx, principal, workspace_id)
    return found, store.count_items(tx, workspace_id, [found.id], audiences=audiences)


def list_knowledge_bases(
    tx: Transaction, *, principal: Principal, workspace_id: WorkspaceId, after: UUID | None, limit: int
) -> Sequence[KnowledgeBase]:
    """Return those that the principal sees, in the order they were made, from behind `after`."""
    authorize(principal, workspace_id, Action.READ)
    return store.list_bases(tx, principal, workspace_id, after=after, limit=limit)


def list_members(
    tx: Transaction,
    *,
    principal: Principal,
    workspace_id: WorkspaceId,
    knowledge_base_id: KnowledgeBaseId,
    after: tuple[str, str] | None,
    limit: int,
) -> Sequence[Member]:
    """Return the folders and items in it of which the principal may read something, from behind a kind and path.

    Raises KnowledgeBaseNotFound.
    """
    find_knowledge_base(tx, principal, workspace_id, knowledge_base_id)
    audiences = audiences_of(tx, principal, workspace_id)
    return member_store.list_members(tx, workspace_id, knowledge_base_id, audiences=audiences, after=after, limit=limit)
