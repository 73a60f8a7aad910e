"""Reads and writes grants on knowledge bases."""

from collections.abc import Sequence
from uuid import UUID

from chalicelib.access.model import GrantAction, GrantId
from chalicelib.database.ids import new_id
from chalicelib.database.statements import load_statements
from chalicelib.database.transaction import Row, Transaction
from chalicelib.identity.model import PrincipalId, TeamId, WorkspaceId
from chalicelib.items.model import KnowledgeBaseId
from chalicelib.sharing.model import Grant

_SQL = load_statements(__package__, "grants.sql")


def put_grant(
    tx: Transaction,
    workspace_id: WorkspaceId,
    knowledge_base_id: KnowledgeBaseId,
    *,
    action: GrantAction,
    member_id: PrincipalId | None,
    team_id: TeamId | None,
    granted_by: PrincipalId,
) -> Grant:
    """Give one member or team an action on a knowledge base."""
    row = tx.fetch_one(
        _SQL["put_base_grant"],
        id=new_id(),
        workspace_id=workspace_id,
        knowledge_base_id=knowledge_base_id,
        member_id=member_id,
        team_id=team_id,
        action=action,
        granted_by=granted_by,
    )
    if row is None:
        raise LookupError("a statement that returns its row returned none")
    return _grant(row)


def delete_grant(
    tx: Transaction, workspace_id: WorkspaceId, knowledge_base_id: KnowledgeBaseId, grant_id: GrantId
) -> Grant | None:
    """Take a grant away; None where there is none."""
    row = tx.fetch_one(
        _SQL["delete_base_grant"],
        workspace_id=workspace_id,
        knowledge_base_id=knowledge_base_id,
        grant_id=grant_id,
    )
    return _grant(row) if row else None


def list_grants(
    tx: Transaction,
    workspace_id: WorkspaceId,
    knowledge_base_id: KnowledgeBaseId,
    *,
    grant_id: GrantId | None = None,
    after: UUID | None = None,
    limit: int = 1,
) -> Sequence[Grant]:
    """Read the grants on a knowledge base, one or all, in order of their ids, from behind `after`."""
    rows = tx.fetch_all(
        _SQL["list_base_grants"],
        workspace_id=workspace_id,
        knowledge_base_id=knowledge_base_id,
        grant_id=grant_id,
        after=after,
        limit=limit,
    )
    return [_grant(row) for row in rows]


def _grant(row: Row) -> Grant:
    return Grant(
        id=GrantId(row["id"]),
        action=GrantAction(row["action"]),
        member_id=row["principal_id"],
        team_id=row["team_id"],
        granted_by=row["granted_by"],
        granted_at=row["granted_at"],
    )
