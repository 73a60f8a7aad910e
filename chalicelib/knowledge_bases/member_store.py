"""Reads and writes what is in knowledge bases."""

from collections.abc import Sequence

from chalicelib.access.model import Audiences
from chalicelib.database.ids import new_id
from chalicelib.database.statements import load_statements
from chalicelib.database.transaction import Transaction
from chalicelib.identity.model import PrincipalId, WorkspaceId
from chalicelib.items.model import ItemId, KnowledgeBaseId
from chalicelib.knowledge_bases.model import Member, MemberKind

_SQL = load_statements(__package__, "members.sql")


def list_members(
    tx: Transaction,
    workspace_id: WorkspaceId,
    knowledge_base_id: KnowledgeBaseId,
    *,
    audiences: Audiences,
    after: tuple[str, str] | None,
    limit: int,
) -> Sequence[Member]:
    """Read readable members, folders first, in order of their paths, from behind a kind and path."""
    rows = tx.fetch_all(
        _SQL["list_members"],
        workspace_id=workspace_id,
        knowledge_base_id=knowledge_base_id,
        audiences=audiences,
        after_kind=after[0] if after else None,
        after_path=after[1] if after else None,
        limit=limit,
    )
    return [Member(MemberKind(row["kind"]), row["id"], row["path"], row["title"], row["items"]) for row in rows]


def list_readable_folders(
    tx: Transaction, workspace_id: WorkspaceId, paths: Sequence[str], *, audiences: Audiences
) -> frozenset[str]:
    """Read which of some folders have readable items in them."""
    rows = tx.fetch_all(
        _SQL["list_readable_folders"], workspace_id=workspace_id, paths=list(paths), audiences=audiences
    )
    return frozenset(row["path"] for row in rows)


def list_readable_ids(
    tx: Transaction, workspace_id: WorkspaceId, item_ids: Sequence[ItemId], *, audiences: Audiences
) -> frozenset[ItemId]:
    """Read which of some items are readable."""
    rows = tx.fetch_all(
        _SQL["list_readable_ids"], workspace_id=workspace_id, item_ids=list(item_ids), audiences=audiences
    )
    return frozenset(ItemId(row["id"]) for row in rows)


def add_folders(
    tx: Transaction,
    workspace_id: WorkspaceId,
    knowledge_base_id: KnowledgeBaseId,
    paths: Sequence[str],
    *,
    principal_id: PrincipalId,
) -> int:
    """Put folders into a knowledge base, by identity; returns how many were not in it. Places are shared."""
    here = {"workspace_id": workspace_id, "paths": list(paths)}
    tx.execute(_SQL["put_folders"], ids=[new_id() for _ in paths], principal_id=principal_id, **here)
    return tx.execute(_SQL["add_folders"], knowledge_base_id=knowledge_base_id, **here)


def add_items(
    tx: Transaction,
    workspace_id: WorkspaceId,
    knowledge_base_id: KnowledgeBaseId,
    item_ids: Sequence[ItemId],
    *,
    audiences: Audiences,
) -> int:
    """Put readable items into a knowledge base; returns how many were not in it."""
    return tx.execute(
        _SQL["add_items"],
        workspace_id=workspace_id,
        knowledge_base_id=knowledge_base_id,
        item_ids=list(item_ids),
        audiences=audiences,
    )


def remove_members(
    tx: Transaction,
    workspace_id: WorkspaceId,
    knowledge_base_id: KnowledgeBaseId,
    *,
    paths: Sequence[str],
    item_ids: Sequence[ItemId],
) -> int:
    """Take folders and items out of a knowledge base; returns how many were in it."""
    here = {"workspace_id": workspace_id, "knowledge_base_id": knowledge_base_id}
    removed = tx.execute(_SQL["remove_folders"], paths=list(paths), **here)
    return removed + tx.execute(_SQL["remove_items"], item_ids=list(item_ids), **here)


def count_members(tx: Transaction, workspace_id: WorkspaceId, knowledge_base_id: KnowledgeBaseId) -> int:
    """Count all that is in a knowledge base, readable or not."""
    row = tx.fetch_one(_SQL["count_members"], workspace_id=workspace_id, knowledge_base_id=knowledge_base_id)
    return int(row["members"]) if row else 0
