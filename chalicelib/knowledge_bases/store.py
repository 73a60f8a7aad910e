"""Reads and writes knowledge bases in the database."""

from collections.abc import Collection, Sequence
from uuid import UUID

from psycopg.types.json import Jsonb

from chalicelib.access.model import Audiences
from chalicelib.database.statements import filled, load_statements
from chalicelib.database.transaction import Row, Transaction
from chalicelib.identity.model import (
    OrganizationId,
    Principal,
    PrincipalId,
    PrincipalKind,
    WorkspaceId,
    WorkspaceRole,
)
from chalicelib.items.model import ItemFilters, KnowledgeBaseId
from chalicelib.items.store import READABLE_ITEMS, reading_parameters
from chalicelib.knowledge_bases.model import MOST_KNOWLEDGE_BASES, Changes, KnowledgeBase, Visibility
from chalicelib.knowledge_bases.settings import json_of, settings_of

_LOADED = load_statements(__package__, "knowledge_bases.sql")
_SQL = filled(
    _LOADED,
    {"visible_base": _LOADED["visible_base"], "base_columns": _LOADED["base_columns"], **READABLE_ITEMS},
)


def insert_base(
    tx: Transaction,
    workspace_id: WorkspaceId,
    *,
    knowledge_base_id: KnowledgeBaseId,
    made: Changes,
    principal_id: PrincipalId,
) -> bool:
    """Add a knowledge base; False where the workspace has too many."""
    row = tx.fetch_one(
        _SQL["insert_base"],
        id=knowledge_base_id,
        workspace_id=workspace_id,
        principal_id=principal_id,
        most=MOST_KNOWLEDGE_BASES,
        **_columns_of(made),
    )
    return row is not None


def find_base(
    tx: Transaction,
    principal: Principal,
    workspace_id: WorkspaceId,
    knowledge_base_id: KnowledgeBaseId,
    *,
    lock: bool = False,
) -> KnowledgeBase | None:
    """Read a knowledge base that the principal sees; locked until commit where that is asked for."""
    row = tx.fetch_one(
        _SQL["lock_base" if lock else "find_base"],
        knowledge_base_id=knowledge_base_id,
        **_seeing(principal, workspace_id),
    )
    return _base_of(row) if row else None


def list_bases(
    tx: Transaction, principal: Principal, workspace_id: WorkspaceId, *, after: UUID | None, limit: int
) -> Sequence[KnowledgeBase]:
    """Read the knowledge bases that the principal sees, in the order they were made."""
    rows = tx.fetch_all(_SQL["list_bases"], after=after, limit=limit, **_seeing(principal, workspace_id))
    return [_base_of(row) for row in rows]


def list_visible_ids(
    tx: Transaction,
    principal: Principal,
    workspace_id: WorkspaceId,
    *,
    named: Collection[KnowledgeBaseId] | None,
) -> Sequence[KnowledgeBaseId]:
    """Read which of some knowledge bases the principal sees, or (None) which it reaches.

    An agent reaches what is its own, assigned, granted or open, and not what it would see as an owner.
    """
    rows = tx.fetch_all(
        _SQL["list_visible_ids"],
        knowledge_base_ids=None if named is None else list(named),
        **_seeing(principal, workspace_id, is_reaching=named is None),
    )
    return [KnowledgeBaseId(row["id"]) for row in rows]


def update_base(
    tx: Transaction, workspace_id: WorkspaceId, knowledge_base_id: KnowledgeBaseId, changes: Changes
) -> None:
    """Change what is given of a knowledge base that this transaction has locked."""
    tx.execute(
        _SQL["update_base"],
        workspace_id=workspace_id,
        knowledge_base_id=knowledge_base_id,
        **_columns_of(changes),
    )


def delete_base(tx: Transaction, workspace_id: WorkspaceId, knowledge_base_id: KnowledgeBaseId) -> None:
    """Delete a knowledge base."""
    tx.execute(_SQL["delete_base"], workspace_id=workspace_id, knowledge_base_id=knowledge_base_id)


def count_items(
    tx: Transaction, workspace_id: WorkspaceId, knowledge_base_ids: Sequence[KnowledgeBaseId], *, audiences: Audiences
) -> int:
    """Count the readable items in some knowledge bases, each once."""
    filters = ItemFilters(knowledge_bases=knowledge_base_ids)
    row = tx.fetch_one(_SQL["count_items"], **reading_parameters(workspace_id, audiences, filters))
    return int(row["items"]) if row else 0


def list_agents(
    tx: Transaction, workspace_id: WorkspaceId, knowledge_base_id: KnowledgeBaseId
) -> Sequence[PrincipalId]:
    """Read the agents that a knowledge base is assigned to, in order of their ids."""
    rows = tx.fetch_all(_SQL["list_agents"], workspace_id=workspace_id, knowledge_base_id=knowledge_base_id)
    return [PrincipalId(row["principal_id"]) for row in rows]


def assign_agent(
    tx: Transaction,
    organization_id: OrganizationId,
    workspace_id: WorkspaceId,
    knowledge_base_id: KnowledgeBaseId,
    agent_id: PrincipalId,
) -> bool | None:
    """Assign a knowledge base to an agent; tell whether it was not yet, None where there is no such agent."""
    row = tx.fetch_one(
        _SQL["assign_agent"],
        organization_id=organization_id,
        workspace_id=workspace_id,
        knowledge_base_id=knowledge_base_id,
        agent_id=agent_id,
    )
    return None if row is None else bool(row["is_new"])


def unassign_agent(
    tx: Transaction, workspace_id: WorkspaceId, knowledge_base_id: KnowledgeBaseId, agent_id: PrincipalId
) -> bool:
    """Assign a knowledge base to an agent no longer; False where it was not."""
    return bool(
        tx.execute(
            _SQL["unassign_agent"], workspace_id=workspace_id, knowledge_base_id=knowledge_base_id, agent_id=agent_id
        )
    )


def _seeing(principal: Principal, workspace_id: WorkspaceId, *, is_reaching: bool = False) -> dict[str, object]:
    """Return what <visible_base> needs: all who must see, the principal and whom it acts for."""
    holders: list[dict[str, object]] = []
    holder: Principal | None = principal
    while holder is not None:
        role = holder.held_roles.get(workspace_id)
        holders.append(
            {
                "principal_id": str(holder.id),
                "team_ids": sorted(map(str, holder.team_ids)),
                "is_reader": role not in {None, WorkspaceRole.GUEST},
                "is_writer": role in {WorkspaceRole.EDITOR, WorkspaceRole.OWNER},
                "is_owner": role is WorkspaceRole.OWNER and not (is_reaching and holder.kind is PrincipalKind.AGENT),
            }
        )
        holder = holder.on_behalf_of
    return {"workspace_id": workspace_id, "holders": Jsonb(holders)}


def _columns_of(said: Changes) -> dict[str, object]:
    return {
        "name": said.name,
        "description": said.description,
        "visibility": said.visibility,
        "settings": None if said.settings is None else Jsonb(json_of(said.settings)),
    }


def _base_of(row: Row) -> KnowledgeBase:
    values = {name: value for name, value in row.items() if name not in {"visibility", "settings"}}
    return KnowledgeBase(visibility=Visibility(row["visibility"]), settings=settings_of(row["settings"]), **values)
