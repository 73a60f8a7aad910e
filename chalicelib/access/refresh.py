"""Works out anew who may read what lies in a folder, in the transaction of whatever decides it."""

from collections.abc import Sequence
from uuid import UUID

from chalicelib.access import store
from chalicelib.access.audience import audience_of
from chalicelib.access.model import Audience, AudienceId, Place
from chalicelib.database.transaction import Transaction
from chalicelib.identity.model import WorkspaceId


def refresh_folder(tx: Transaction, workspace_id: WorkspaceId, folder: str) -> int:
    """Give everything in a folder (`""`: in the workspace) the audience that what was said makes for it.

    The caller has called hold_places. The work is one statement for all that inherits, one for all about which
    something is said itself, and as many small ones as there are different audiences. Returns how many items
    changed.
    """
    places = store.list_places_around(tx, workspace_id, folder)
    folders = [place for place in places if place.item_id is None]
    numbers = _Numbers(tx, workspace_id)
    by_folder = {
        path: numbers.of(audience_of(workspace_id, _on_the_way(folders, path)))
        for path in {folder, *(place.path for place in folders if _is_in(place.path, folder))}
    }
    by_item = {
        place.item_id: numbers.of(audience_of(workspace_id, [*_above(folders, place.path), place]))
        for place in places
        if place.item_id is not None
    }
    changed = store.put_audiences(tx, workspace_id, folder, by_folder=by_folder, by_item=by_item)
    store.delete_unused_audiences(tx, workspace_id)
    return changed


def refresh_item(tx: Transaction, workspace_id: WorkspaceId, item_id: UUID, path: str) -> None:
    """Give an item at a path, and the uploads that became it, the audience that what was said makes for it."""
    audience = audience_of(workspace_id, store.list_places(tx, workspace_id, path, item_id=item_id))
    audience_id = store.put_audience(tx, workspace_id, audience)
    store.put_audiences_of_items(tx, workspace_id, {item_id: audience_id})
    store.put_audiences_of_uploads_of(tx, workspace_id, item_id)


class _Numbers:
    """The numbers of audiences, each asked for once."""

    def __init__(self, tx: Transaction, workspace_id: WorkspaceId) -> None:
        self._tx, self._workspace_id = tx, workspace_id
        self._known: dict[bytes, AudienceId] = {}

    def of(self, audience: Audience) -> AudienceId:
        digest = audience.digest()
        if digest not in self._known:
            self._known[digest] = store.put_audience(self._tx, self._workspace_id, audience)
        return self._known[digest]


def _above(folders: Sequence[Place], path: str) -> Sequence[Place]:
    return [place for place in folders if path.startswith(f"{place.path}/")]


def _on_the_way(folders: Sequence[Place], path: str) -> Sequence[Place]:
    return [place for place in folders if place.path == path or path.startswith(f"{place.path}/")]


def _is_in(path: str, folder: str) -> bool:
    return not folder or path == folder or path.startswith(f"{folder}/")
