"""Makes a knowledge base, with nothing in it yet."""

from chalicelib.audit.model import ActivityAction
from chalicelib.database.ids import new_id
from chalicelib.database.transaction import Transaction
from chalicelib.identity.model import Principal, WorkspaceId
from chalicelib.identity.rights import Action, authorize
from chalicelib.items.model import KnowledgeBaseId
from chalicelib.knowledge_bases import store
from chalicelib.knowledge_bases.checked_changes import checked_changes
from chalicelib.knowledge_bases.errors import InvalidKnowledgeBase
from chalicelib.knowledge_bases.find_knowledge_base import find_knowledge_base
from chalicelib.knowledge_bases.model import (
    MOST_KNOWLEDGE_BASES,
    Changes,
    KnowledgeBase,
    RetrievalSettings,
    Visibility,
)
from chalicelib.knowledge_bases.record_knowledge_base import record_knowledge_base, told


def create_knowledge_base(
    tx: Transaction,
    *,
    principal: Principal,
    workspace_id: WorkspaceId,
    name: str,
    description: str = "",
    visibility: Visibility = Visibility.PRIVATE,
    settings: RetrievalSettings | None = None,
) -> KnowledgeBase:
    """Make one; several may have one name. Raises ActionForbidden, InvalidKnowledgeBase, WorkspaceNotFound.

    Only owners open one to the organization: that makes each of its members a guest of the workspace.
    """
    authorize(principal, workspace_id, Action.WRITE)
    if visibility is Visibility.ORGANIZATION:
        authorize(principal, workspace_id, Action.GRANT)
    made = checked_changes(
        Changes(name=name, description=description, visibility=visibility, settings=settings or RetrievalSettings())
    )
    knowledge_base_id = KnowledgeBaseId(new_id())
    if not store.insert_base(
        tx, workspace_id, knowledge_base_id=knowledge_base_id, made=made, principal_id=principal.id
    ):
        raise InvalidKnowledgeBase(
            f"A workspace has at most {MOST_KNOWLEDGE_BASES} knowledge bases; delete one that nobody needs.",
            limit=MOST_KNOWLEDGE_BASES,
        )
    created = find_knowledge_base(tx, principal, workspace_id, knowledge_base_id)
    record_knowledge_base(tx, principal, created, ActivityAction.KNOWLEDGE_BASE_CREATED, after=told(created))
    return created
