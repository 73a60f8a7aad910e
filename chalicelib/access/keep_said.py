"""Lets what was said about an item hold on for what comes to lie at its path after it was deleted."""

from uuid import UUID

from chalicelib.access import store
from chalicelib.access.model import AudienceKind
from chalicelib.access.refresh import refresh_item
from chalicelib.database.transaction import Transaction
from chalicelib.identity.model import WorkspaceId


def keep_said(tx: Transaction, workspace_id: WorkspaceId, item_id: UUID, path: str) -> bool:
    """Say about a new item what was said about the one in the trash that lay at its path; tell whether it was.

    A sync that brings a document back, or somebody who uploads it again, brings its restriction back. What one
    person kept for themselves says nothing about what another one puts there; nor does what opened the old one beyond
    its folders, grants and an end of inheritance: else whoever may move and delete an opened item would open what
    others put there later. The places are shared or held.
    """
    buried = store.find_buried(tx, workspace_id, path)
    if buried is None:
        return False
    (item,) = [place for place in store.list_places(tx, workspace_id, path, item_id=item_id) if place.item_id]
    is_forsaken = buried["creator"] is None
    if buried["audience_kind"] == AudienceKind.ONLY_ME and (
        is_forsaken or item.creator not in {None, buried["creator"]}
    ):
        return False
    is_same = item.creator == buried["creator"]
    store.copy_said(tx, workspace_id, from_id=buried["id"], item_id=item_id, with_opening=is_same)
    refresh_item(tx, workspace_id, item_id, path)
    return True
