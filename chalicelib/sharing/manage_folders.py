"""Names folders about which something is to be said, lists them, and forgets what was said."""

from collections.abc import Sequence

from chalicelib.access.model import FolderId
from chalicelib.access.refresh import refresh_folder
from chalicelib.access.store import hold_places
from chalicelib.audit.model import ActivityAction
from chalicelib.database.transaction import Transaction
from chalicelib.identity.model import Principal, WorkspaceId
from chalicelib.identity.rights import Action, ActionForbidden, authorize
from chalicelib.items.paths import checked_path
from chalicelib.sharing import store
from chalicelib.sharing.change_access import record_access
from chalicelib.sharing.errors import FolderNotFound
from chalicelib.sharing.find_subject import find_folder_subject, folder_subject, may_read_in
from chalicelib.sharing.model import Folder, Subject


def put_folder(tx: Transaction, *, principal: Principal, workspace_id: WorkspaceId, path: str) -> tuple[Folder, bool]:
    """Return the folder of a path, and whether it is new. Items need not be in it yet.

    Raises InvalidPath, ActionForbidden (also where the principal may not read in it).
    """
    authorize(principal, workspace_id, Action.GRANT)
    hold_places(tx, workspace_id)
    checked = checked_path(path)
    if not may_read_in(tx, principal, workspace_id, checked):
        raise ActionForbidden("You may not say anything about this folder.", action=str(Action.GRANT))
    added = store.insert_folder(tx, workspace_id, checked, principal_id=principal.id)
    if added is not None:
        record_access(tx, principal, folder_subject(tx, added), ActivityAction.FOLDER_CREATED)
    folder = added or store.find_folder_at(tx, workspace_id, checked)
    if folder is None:
        raise LookupError("a folder vanished while the places were held")
    return folder, added is not None


def list_folders(
    tx: Transaction, *, principal: Principal, workspace_id: WorkspaceId, after: str | None, limit: int
) -> Sequence[Folder]:
    """Return at most `limit` folders that the principal may read in, in order of their paths, from behind `after`."""
    authorize(principal, workspace_id, Action.GRANT)
    found: list[Folder] = []
    while len(found) < limit:
        folders = store.list_folders(tx, workspace_id, after=after, limit=limit)
        found += [folder for folder in folders if may_read_in(tx, principal, workspace_id, folder.path)]
        if len(folders) < limit:
            break
        after = folders[-1].path
    return found[:limit]


def read_folder(tx: Transaction, *, principal: Principal, workspace_id: WorkspaceId, folder_id: FolderId) -> Folder:
    """Return a folder. Raises FolderNotFound, ActionForbidden."""
    read_folder_access(tx, principal=principal, workspace_id=workspace_id, folder_id=folder_id)
    folder = store.find_folder(tx, workspace_id, folder_id)
    if folder is None:
        raise FolderNotFound("There is no such folder.")
    return folder


def read_folder_access(
    tx: Transaction, *, principal: Principal, workspace_id: WorkspaceId, folder_id: FolderId
) -> Subject:
    """Return a folder with what is said about it. Raises FolderNotFound, ActionForbidden."""
    authorize(principal, workspace_id, Action.GRANT)
    return find_folder_subject(tx, principal, workspace_id, folder_id)


def forget_folder(tx: Transaction, *, principal: Principal, workspace_id: WorkspaceId, folder_id: FolderId) -> None:
    """Forget all that was said about a folder, its grants included; what lies in it stays, with the folder above it.

    Raises FolderNotFound, ActionForbidden.
    """
    authorize(principal, workspace_id, Action.GRANT)
    hold_places(tx, workspace_id)
    subject = find_folder_subject(tx, principal, workspace_id, folder_id)
    if subject.folder_id is None:
        raise FolderNotFound("There is no such folder.")
    record_access(tx, principal, subject, ActivityAction.FOLDER_DELETED)
    store.delete_folder(tx, workspace_id, subject.folder_id)
    refresh_folder(tx, workspace_id, subject.path)
