"""Finds the folder or item that somebody wants to say something about, if that somebody may read there."""

from chalicelib.access.audience import audience_of
from chalicelib.access.model import FolderId
from chalicelib.access.readers import audiences_of
from chalicelib.access.store import list_places
from chalicelib.access.writing import can_read
from chalicelib.database.transaction import Transaction
from chalicelib.identity.model import Principal, WorkspaceId
from chalicelib.items.errors import ItemNotFound
from chalicelib.items.model import ItemId
from chalicelib.items.store import find_item
from chalicelib.sharing import store
from chalicelib.sharing.errors import FolderNotFound
from chalicelib.sharing.model import Folder, Subject


def find_item_subject(tx: Transaction, principal: Principal, workspace_id: WorkspaceId, item_id: ItemId) -> Subject:
    """Return a living item as a subject. Raises ItemNotFound where the principal may not read it."""
    item = find_item(tx, workspace_id, item_id, audiences=audiences_of(tx, principal, workspace_id))
    if item is None:
        raise ItemNotFound("There is no such item.")
    places = list_places(tx, workspace_id, item.path, item_id=item.id)
    return Subject(
        workspace_id=workspace_id, path=item.path, item_id=item.id, created_by=item.created_by, places=places
    )


def find_folder_subject(
    tx: Transaction, principal: Principal, workspace_id: WorkspaceId, folder_id: FolderId
) -> Subject:
    """Return a folder as a subject. Raises FolderNotFound where the principal may not read what lies in it."""
    folder = store.find_folder(tx, workspace_id, folder_id)
    if folder is None or not may_read_in(tx, principal, workspace_id, folder.path):
        raise FolderNotFound("There is no such folder.")
    return folder_subject(tx, folder)


def folder_subject(tx: Transaction, folder: Folder) -> Subject:
    """Return a folder as a subject, with the places that lead to it."""
    places = list_places(tx, folder.workspace_id, f"{folder.path}/", item_id=None)
    return Subject(
        workspace_id=folder.workspace_id,
        path=folder.path,
        folder_id=folder.id,
        created_by=folder.created_by,
        places=places,
    )


def may_read_in(tx: Transaction, principal: Principal, workspace_id: WorkspaceId, folder: str) -> bool:
    """Tell whether the principal may read what lies in a folder about which nothing else is said."""
    places = list_places(tx, workspace_id, f"{folder}/" if folder else "", item_id=None)
    return can_read(principal, workspace_id, audience_of(workspace_id, places))
