"""Works out anew who may read what lies in a folder, in the transaction of whatever decides it."""

from collections.abc import Mapping, Sequence
from uuid import UUID

from chalicelib.access import store
from chalicelib.access.audience import audience_of
from chalicelib.access.model import Place
from chalicelib.database.transaction import Transaction
from chalicelib.identity.model import WorkspaceId


def refresh_folder(tx: Transaction, workspace_id: WorkspaceId, folder: str) -> int:
    """Give everything in a folder (`""`: in the workspace) the audience that what was said makes for it.

    The caller has called hold_places. The work is one statement for all that inherits, one for all about which
    something is said itself, and one for the audiences that are new. Returns how many items changed.
    """
    places = store.list_places_around(tx, workspace_id, folder)
    folders_by_path = {place.path: place for place in places if place.item_id is None}
    inner_folders = {folder, *(path for path in folders_by_path if _is_in(path, folder))}
    by_folder = {path: audience_of(workspace_id, _on_the_way(folders_by_path, f"{path}/")) for path in inner_folders}
    by_item = {
        place.item_id: audience_of(workspace_id, [*_on_the_way(folders_by_path, place.path), place])
        for place in places
        if place.item_id is not None
    }
    numbers = store.put_audiences(tx, workspace_id, {*by_folder.values(), *by_item.values()})
    changed = store.give_audiences(
        tx,
        workspace_id,
        folder,
        by_folder={path: numbers[audience.digest()] for path, audience in by_folder.items()},
        by_item={item_id: numbers[audience.digest()] for item_id, audience in by_item.items()},
    )
    store.delete_unused_audiences(tx, workspace_id)
    return changed


def refresh_item(tx: Transaction, workspace_id: WorkspaceId, item_id: UUID, path: str) -> None:
    """Give an item at a path, and the uploads that became it or may, the audience that what was said makes for it."""
    audience = audience_of(workspace_id, store.list_places(tx, workspace_id, path, item_id=item_id))
    audience_id = store.put_audience(tx, workspace_id, audience)
    store.put_audiences_of_items(tx, workspace_id, {item_id: audience_id})
    store.put_audiences_of_uploads_of(tx, workspace_id, item_id)
    store.put_audiences_of_uploads_to(tx, workspace_id, item_id)


def _on_the_way(folders_by_path: Mapping[str, Place], path: str) -> Sequence[Place]:
    """Return the folders about which something is said that a path lies in, the outermost first."""
    ends = [position for position, character in enumerate(path) if character == "/"]
    return [folders_by_path[path[:end]] for end in ends if path[:end] in folders_by_path]


def _is_in(path: str, folder: str) -> bool:
    return not folder or path == folder or path.startswith(f"{folder}/")
