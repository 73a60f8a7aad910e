"""Assigns knowledge bases to agents: they see them, and reach them with all that they can reach."""

from collections.abc import Sequence

from chalicelib.audit.model import ActivityAction
from chalicelib.database.transaction import Transaction
from chalicelib.identity.errors import MemberNotFound
from chalicelib.identity.model import Principal, PrincipalId, WorkspaceId
from chalicelib.items.model import KnowledgeBaseId
from chalicelib.knowledge_bases import store
from chalicelib.knowledge_bases.find_knowledge_base import Part, lock_knowledge_base
from chalicelib.knowledge_bases.record_knowledge_base import record_knowledge_base


def assign_agent(
    tx: Transaction,
    *,
    principal: Principal,
    workspace_id: WorkspaceId,
    knowledge_base_id: KnowledgeBaseId,
    agent_id: PrincipalId,
) -> None:
    """Assign it to an agent of the organization; once more changes nothing.

    The agent reads in it what it may read anyway. Raises KnowledgeBaseNotFound, MemberNotFound, ActionForbidden.
    """
    present = lock_knowledge_base(tx, principal, workspace_id, knowledge_base_id, part=Part.ITSELF)
    is_new = store.assign_agent(tx, principal.organization_id, workspace_id, present.id, agent_id)
    if is_new is None:
        raise MemberNotFound("There is no such agent.")
    if is_new:
        after = {"changed": ["agents"], "assigned": agent_id}
        record_knowledge_base(tx, principal, present, ActivityAction.KNOWLEDGE_BASE_CHANGED, after=after)


def unassign_agent(
    tx: Transaction,
    *,
    principal: Principal,
    workspace_id: WorkspaceId,
    knowledge_base_id: KnowledgeBaseId,
    agent_id: PrincipalId,
) -> None:
    """Assign it to an agent no longer, from the next read on. Raises KnowledgeBaseNotFound, ActionForbidden."""
    present = lock_knowledge_base(tx, principal, workspace_id, knowledge_base_id, part=Part.ITSELF)
    if store.unassign_agent(tx, workspace_id, present.id, agent_id):
        after = {"changed": ["agents"], "unassigned": agent_id}
        record_knowledge_base(tx, principal, present, ActivityAction.KNOWLEDGE_BASE_CHANGED, after=after)


def list_agents(
    tx: Transaction, *, principal: Principal, workspace_id: WorkspaceId, knowledge_base_id: KnowledgeBaseId
) -> Sequence[PrincipalId]:
    """Return the agents it is assigned to, for who may change it. Raises KnowledgeBaseNotFound, ActionForbidden."""
    present = lock_knowledge_base(tx, principal, workspace_id, knowledge_base_id, part=Part.ITSELF)
    return store.list_agents(tx, workspace_id, present.id)
