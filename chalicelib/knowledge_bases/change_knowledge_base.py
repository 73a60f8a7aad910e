"""Changes what a knowledge base is called, who sees it and how it is searched, or deletes it."""

from chalicelib.audit.model import ActivityAction
from chalicelib.audit.record_activity import differences
from chalicelib.database.transaction import Transaction
from chalicelib.identity.model import Principal, WorkspaceId
from chalicelib.identity.rights import Action, authorize
from chalicelib.items.model import KnowledgeBaseId
from chalicelib.knowledge_bases import store
from chalicelib.knowledge_bases.checked_changes import checked_changes
from chalicelib.knowledge_bases.find_knowledge_base import Part, find_knowledge_base, lock_knowledge_base
from chalicelib.knowledge_bases.model import Changes, KnowledgeBase, Visibility
from chalicelib.knowledge_bases.record_knowledge_base import record_knowledge_base, told


def change_knowledge_base(
    tx: Transaction,
    *,
    principal: Principal,
    workspace_id: WorkspaceId,
    knowledge_base_id: KnowledgeBaseId,
    changes: Changes,
) -> KnowledgeBase:
    """Change what is given. Raises KnowledgeBaseNotFound, ActionForbidden, InvalidKnowledgeBase.

    Only owners open one to the organization, or close it again.
    """
    present = lock_knowledge_base(tx, principal, workspace_id, knowledge_base_id, part=Part.ITSELF)
    checked = checked_changes(changes)
    visibilities = {present.visibility, checked.visibility or present.visibility}
    if len(visibilities) > 1 and Visibility.ORGANIZATION in visibilities:
        authorize(principal, workspace_id, Action.GRANT)
    store.update_base(tx, workspace_id, knowledge_base_id, checked)
    changed = find_knowledge_base(tx, principal, workspace_id, knowledge_base_id)
    names = [
        name
        for name in ("name", "description", "visibility", "settings")
        if getattr(present, name) != getattr(changed, name)
    ]
    if names:
        before, after = differences(told(present), told(changed))
        after |= {"changed": names}
        record_knowledge_base(tx, principal, changed, ActivityAction.KNOWLEDGE_BASE_CHANGED, before=before, after=after)
    return changed


def delete_knowledge_base(
    tx: Transaction, *, principal: Principal, workspace_id: WorkspaceId, knowledge_base_id: KnowledgeBaseId
) -> None:
    """Delete a knowledge base for good, its grants included; what is in it stays where it is."""
    present = lock_knowledge_base(tx, principal, workspace_id, knowledge_base_id, part=Part.ITSELF)
    store.delete_base(tx, workspace_id, knowledge_base_id)
    record_knowledge_base(tx, principal, present, ActivityAction.KNOWLEDGE_BASE_DELETED, before=told(present))
