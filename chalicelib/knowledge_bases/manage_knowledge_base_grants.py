"""Gives members and teams actions on knowledge bases: to see and search one, or to change what is in it."""

from collections.abc import Sequence
from uuid import UUID

from chalicelib.access.model import GrantAction, GrantId
from chalicelib.audit.model import ActivityAction
from chalicelib.database.transaction import Transaction
from chalicelib.identity.model import Principal, PrincipalId, TeamId, WorkspaceId
from chalicelib.identity.rights import Action, authorize
from chalicelib.items.model import KnowledgeBaseId
from chalicelib.knowledge_bases import grant_store
from chalicelib.knowledge_bases.find_knowledge_base import find_knowledge_base
from chalicelib.knowledge_bases.model import KnowledgeBase
from chalicelib.knowledge_bases.record_knowledge_base import record_knowledge_base
from chalicelib.sharing.errors import GrantNotFound, InvalidAccess
from chalicelib.sharing.model import Grant
from chalicelib.sharing.store import list_tokens


def give_base_grant(
    tx: Transaction,
    *,
    principal: Principal,
    workspace_id: WorkspaceId,
    knowledge_base_id: KnowledgeBaseId,
    action: GrantAction,
    member_id: PrincipalId | None,
    team_id: TeamId | None,
) -> Grant:
    """Give one member or team an action, in place of the one it had. It lets nobody read what is in it.

    Raises KnowledgeBaseNotFound, ActionForbidden, InvalidAccess.
    """
    found = _found(tx, principal, workspace_id, knowledge_base_id)
    authorize(principal, workspace_id, Action.WRITE if action is GrantAction.WRITE else Action.READ)
    if (member_id is None) == (team_id is None):
        raise InvalidAccess("A grant names one member or one team.", field="member_id")
    named = list_tokens(
        tx,
        principal.organization_id,
        member_ids=[] if member_id is None else [member_id],
        team_ids=[] if team_id is None else [team_id],
    )
    if not named:
        raise InvalidAccess("The organization has no such team or member.", field="member_id")
    grant = grant_store.put_grant(
        tx,
        workspace_id,
        found.id,
        action=action,
        member_id=member_id,
        team_id=team_id,
        granted_by=principal.id,
    )
    record_knowledge_base(tx, principal, found, ActivityAction.GRANT_GIVEN, after=_told(grant))
    return grant


def take_base_grant(
    tx: Transaction,
    *,
    principal: Principal,
    workspace_id: WorkspaceId,
    knowledge_base_id: KnowledgeBaseId,
    grant_id: GrantId,
) -> None:
    """Take a grant away; it ends on the next read. Raises GrantNotFound and what give_base_grant raises."""
    found = _found(tx, principal, workspace_id, knowledge_base_id)
    grant = grant_store.delete_grant(tx, workspace_id, found.id, grant_id)
    if grant is None:
        raise GrantNotFound("There is no such grant.")
    record_knowledge_base(tx, principal, found, ActivityAction.GRANT_TAKEN, before=_told(grant))


def read_base_grant(
    tx: Transaction,
    *,
    principal: Principal,
    workspace_id: WorkspaceId,
    knowledge_base_id: KnowledgeBaseId,
    grant_id: GrantId,
) -> Grant:
    """Return one grant, for owners. Raises GrantNotFound and what give_base_grant raises."""
    found = _found(tx, principal, workspace_id, knowledge_base_id)
    grants = grant_store.list_grants(tx, workspace_id, found.id, grant_id=grant_id)
    if not grants:
        raise GrantNotFound("There is no such grant.")
    return grants[0]


def list_base_grants(
    tx: Transaction,
    *,
    principal: Principal,
    workspace_id: WorkspaceId,
    knowledge_base_id: KnowledgeBaseId,
    after: UUID | None,
    limit: int,
) -> Sequence[Grant]:
    """Return the grants in order of their ids, for owners. Raises what give_base_grant raises."""
    found = _found(tx, principal, workspace_id, knowledge_base_id)
    return grant_store.list_grants(tx, workspace_id, found.id, after=after, limit=limit)


def _found(
    tx: Transaction, principal: Principal, workspace_id: WorkspaceId, knowledge_base_id: KnowledgeBaseId
) -> KnowledgeBase:
    """Return it to who may grant; to others it is absent or not theirs to grant."""
    found = find_knowledge_base(tx, principal, workspace_id, knowledge_base_id)
    authorize(principal, workspace_id, Action.GRANT)
    return found


def _told(grant: Grant) -> dict[str, object]:
    return {"grant_id": grant.id, "action": grant.action, "member_id": grant.member_id, "team_id": grant.team_id}
