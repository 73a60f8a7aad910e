"""Puts everything in a folder that somebody may read into the trash, in one transaction."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from chalicelib.access.audience import audience_of
from chalicelib.access.model import AccessSettings
from chalicelib.access.readers import audiences_of
from chalicelib.access.store import hold_places, list_places, list_places_around, put_audience
from chalicelib.access.writing import authorize_writing
from chalicelib.audit.model import ActivityAction, SubjectKind
from chalicelib.audit.record_activity import record
from chalicelib.database.transaction import Transaction
from chalicelib.identity.model import Principal, WorkspaceId
from chalicelib.identity.rights import Action, ActionForbidden, authorize, is_allowed
from chalicelib.intake.item_uploads_store import release_items
from chalicelib.items import usage_store
from chalicelib.items.model import ItemId
from chalicelib.items.paths import checked_path
from chalicelib.items.write_item import ItemRules
from chalicelib.sharing import folder_deletion_store as store
from chalicelib.sharing.errors import FolderNotFound

RemoveItemsFromIndex = Callable[[Transaction, WorkspaceId, Sequence[ItemId]], None]
"""Takes the chunks of some items out of search, in the transaction that deletes them."""


@dataclass(frozen=True, slots=True)
class DeletedFolder:
    """Which folder was deleted, and how many items are in the trash by that."""

    path: str
    items: int


def delete_folder(
    tx: Transaction,
    *,
    principal: Principal,
    workspace_id: WorkspaceId,
    folder: str,
    rules: ItemRules,
    remove_from_index: RemoveItemsFromIndex,
) -> DeletedFolder:
    """Delete the items in a folder that the principal may read; what is kept from the principal stays.

    So does what is said about the folder, for what is restored. Whoever writes here by a grant alone deletes a folder
    in which nothing else is said. Raises FolderNotFound, InvalidPath, ActionForbidden.
    """
    authorize(principal, workspace_id, Action.READ)
    path = checked_path(folder)
    hold_places(tx, workspace_id)
    authorize_writing(tx, principal, workspace_id, f"{path}/")
    if not is_allowed(principal, workspace_id, Action.WRITE) and _is_said_below(tx, workspace_id, path):
        raise ActionForbidden("The grant does not cover the whole folder; delete its items.", action=str(Action.WRITE))
    items = store.lock_folder_items(tx, workspace_id, path, audiences=audiences_of(tx, principal, workspace_id))
    if not items:
        raise FolderNotFound("There is no such folder.")
    for item_id in items:
        rules.jobs.cancel_key(tx, key=str(item_id), workspace_id=workspace_id)
    remove_from_index(tx, workspace_id, items)
    store.bury_items(tx, workspace_id, items, principal_id=principal.id)
    released = release_items(tx, workspace_id, items)
    usage_store.add_usage(tx, workspace_id, {"items": -len(items), "uploads": -released})
    _record(tx, principal, workspace_id, path, len(items))
    return DeletedFolder(path, len(items))


def _is_said_below(tx: Transaction, workspace_id: WorkspaceId, folder: str) -> bool:
    places = list_places_around(tx, workspace_id, folder)
    return any(
        place.path.startswith(f"{folder}/") and (place.settings != AccessSettings() or place.readers)
        for place in places
    )


def _record(tx: Transaction, principal: Principal, workspace_id: WorkspaceId, folder: str, items: int) -> None:
    places = list_places(tx, workspace_id, f"{folder}/", item_id=None)
    record(
        tx,
        principal=principal,
        workspace_id=workspace_id,
        action=ActivityAction.FOLDER_DELETED,
        subject_kind=SubjectKind.FOLDER,
        subject_id=next((place.folder_id for place in places if place.path == folder), None),
        after={"items": items},
        audience_id=put_audience(tx, workspace_id, audience_of(workspace_id, places)),
    )
