"""Lists the items of a workspace: by filters, as a tree, by tags."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from chalicelib.access.readers import audiences_of
from chalicelib.database.transaction import Transaction
from chalicelib.identity.model import Principal, WorkspaceId
from chalicelib.identity.rights import Action, authorize
from chalicelib.items import store
from chalicelib.items.clean_filters import clean_filters
from chalicelib.items.model import Item, ItemFilters, ItemId
from chalicelib.items.paths import checked_folder

TAGS = 1000


@dataclass(frozen=True, slots=True)
class Folder:
    """What lies directly in a folder. `folders` counts the readable items in each subfolder's subtree."""

    path: str
    folders: Mapping[str, int]
    items: Sequence[Item]


def list_items_by_path(
    tx: Transaction,
    *,
    principal: Principal,
    workspace_id: WorkspaceId,
    filters: ItemFilters,
    after_path: str | None,
    limit: int,
) -> Sequence[Item]:
    """Return readable items in order of their paths, from behind `after_path`."""
    authorize(principal, workspace_id, Action.READ)
    return store.list_items_by_path(
        tx,
        workspace_id,
        clean_filters(filters),
        audiences=audiences_of(tx, principal, workspace_id),
        after_path=after_path,
        limit=limit,
    )


def list_items_by_update(
    tx: Transaction,
    *,
    principal: Principal,
    workspace_id: WorkspaceId,
    filters: ItemFilters,
    last: tuple[datetime, ItemId] | None,
    limit: int,
) -> Sequence[Item]:
    """Return readable items, those changed last first, from behind `last`."""
    authorize(principal, workspace_id, Action.READ)
    return store.list_items_by_update(
        tx,
        workspace_id,
        clean_filters(filters),
        audiences=audiences_of(tx, principal, workspace_id),
        last=last,
        limit=limit,
    )


def read_folder(
    tx: Transaction,
    *,
    principal: Principal,
    workspace_id: WorkspaceId,
    folder: str,
    filters: ItemFilters,
    after_path: str | None,
    limit: int,
) -> Folder:
    """Return a folder's subfolders and items, as far as filters let pass; a folder without any is empty.

    Raises InvalidPath.
    """
    authorize(principal, workspace_id, Action.READ)
    path = checked_folder(folder)
    prefix = f"{path}/" if path else ""
    audiences, cleaned = audiences_of(tx, principal, workspace_id), clean_filters(filters)
    folders = store.list_folders(tx, workspace_id, cleaned, prefix=prefix, audiences=audiences)
    items = store.list_folder_items(
        tx, workspace_id, cleaned, prefix=prefix, audiences=audiences, after_path=after_path, limit=limit
    )
    return Folder(path, folders, items)


def list_tags(tx: Transaction, *, principal: Principal, workspace_id: WorkspaceId) -> Mapping[str, int]:
    """Return the tags of readable items with their counts, most used first."""
    authorize(principal, workspace_id, Action.READ)
    return store.list_tags(tx, workspace_id, audiences=audiences_of(tx, principal, workspace_id), limit=TAGS)
