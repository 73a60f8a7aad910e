"""Puts folders and items into a knowledge base, and takes them out."""

from collections.abc import Sequence

from chalicelib.access.readers import audiences_of
from chalicelib.access.store import share_places
from chalicelib.audit.model import ActivityAction
from chalicelib.database.transaction import Transaction
from chalicelib.identity.model import Principal, WorkspaceId
from chalicelib.identity.rights import Action, authorize
from chalicelib.items.errors import ItemNotFound
from chalicelib.items.model import ItemId, KnowledgeBaseId
from chalicelib.items.paths import checked_path
from chalicelib.knowledge_bases import member_store
from chalicelib.knowledge_bases.errors import InvalidKnowledgeBase
from chalicelib.knowledge_bases.find_knowledge_base import Part, find_knowledge_base, lock_knowledge_base
from chalicelib.knowledge_bases.model import MOST_MEMBERS, KnowledgeBase, Members
from chalicelib.knowledge_bases.record_knowledge_base import record_knowledge_base
from chalicelib.sharing.errors import FolderNotFound

_NAMED = 20
"""Members that an error names at most."""


def change_members(
    tx: Transaction,
    *,
    principal: Principal,
    workspace_id: WorkspaceId,
    knowledge_base_id: KnowledgeBaseId,
    add: Members,
    remove: Members,
) -> KnowledgeBase:
    """Take out what is to be removed, then put in what is to be added: all of it or nothing.

    What is added must be readable: an item, or a folder with readable items in it. A folder is known by its identity
    from then on, whatever it is called. What is there already may be added, and what is not there removed, which
    changes nothing. Raises KnowledgeBaseNotFound, ItemNotFound, FolderNotFound, InvalidPath, InvalidKnowledgeBase,
    ActionForbidden.
    """
    authorize(principal, workspace_id, Action.READ)
    share_places(tx, workspace_id)
    present = lock_knowledge_base(tx, principal, workspace_id, knowledge_base_id, part=Part.MEMBERS)
    removed = member_store.remove_members(
        tx,
        workspace_id,
        present.id,
        paths=_checked_paths(remove.folders),
        item_ids=remove.items,
    )
    added = _add(tx, principal, present, _checked_paths(add.folders), list(dict.fromkeys(add.items)))
    if member_store.count_members(tx, workspace_id, present.id) > MOST_MEMBERS:
        raise InvalidKnowledgeBase(
            f"A knowledge base has at most {MOST_MEMBERS} members; put folders into it rather than items one by one.",
            limit=MOST_MEMBERS,
        )
    if added or removed:
        record_knowledge_base(
            tx,
            principal,
            present,
            ActivityAction.KNOWLEDGE_BASE_CHANGED,
            after={"changed": ["members"], "added": added, "removed": removed},
        )
    return find_knowledge_base(tx, principal, workspace_id, knowledge_base_id)


def _add(
    tx: Transaction, principal: Principal, present: KnowledgeBase, paths: Sequence[str], item_ids: Sequence[ItemId]
) -> int:
    workspace_id, audiences = present.workspace_id, audiences_of(tx, principal, present.workspace_id)
    readable = member_store.list_readable_ids(tx, workspace_id, item_ids, audiences=audiences)
    if missing := [str(item_id) for item_id in item_ids if item_id not in readable]:
        raise ItemNotFound("There is no such item.", items=missing[:_NAMED])
    there = member_store.list_readable_folders(tx, workspace_id, paths, audiences=audiences)
    if absent := [path for path in paths if path not in there]:
        raise FolderNotFound("There is no such folder.", folders=absent[:_NAMED])
    added = member_store.add_folders(tx, workspace_id, present.id, paths, principal_id=principal.id)
    return added + member_store.add_items(tx, workspace_id, present.id, item_ids, audiences=audiences)


def _checked_paths(folders: Sequence[str]) -> Sequence[str]:
    """Return each path once. Raises InvalidPath, also for the root, which is the workspace and no folder."""
    return list(dict.fromkeys(checked_path(folder.strip("/")) for folder in folders))
