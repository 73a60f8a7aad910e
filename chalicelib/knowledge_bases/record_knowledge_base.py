"""Records what was done to knowledge bases, without what they are called or describe."""

from collections.abc import Mapping
from typing import Any

from chalicelib.audit.model import ActivityAction, SubjectKind
from chalicelib.audit.record_activity import record
from chalicelib.database.transaction import Transaction
from chalicelib.identity.model import Principal
from chalicelib.knowledge_bases.model import KnowledgeBase


def record_knowledge_base(
    tx: Transaction,
    principal: Principal,
    knowledge_base: KnowledgeBase,
    action: ActivityAction,
    *,
    before: Mapping[str, Any] | None = None,
    after: Mapping[str, Any] | None = None,
) -> None:
    """Record something done to a knowledge base; owners see every one, and so every entry."""
    record(
        tx,
        principal=principal,
        workspace_id=knowledge_base.workspace_id,
        action=action,
        subject_kind=SubjectKind.KNOWLEDGE_BASE,
        subject_id=knowledge_base.id,
        before=before,
        after=after,
    )


def told(knowledge_base: KnowledgeBase) -> dict[str, object]:
    """Return what of a knowledge base is no content."""
    settings = knowledge_base.settings
    return {"visibility": knowledge_base.visibility, "mode": settings.mode, "limit": settings.limit}
