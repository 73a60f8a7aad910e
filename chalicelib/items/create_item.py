"""Adds an item by hand or by agent."""

from chalicelib.access.readers import audiences_of
from chalicelib.access.writing import authorize_writing
from chalicelib.database.transaction import Transaction
from chalicelib.identity.model import Principal, WorkspaceId
from chalicelib.identity.rights import Action, ActionForbidden
from chalicelib.items.checked_draft import checked_draft
from chalicelib.items.errors import PathTaken
from chalicelib.items.model import Draft, Item
from chalicelib.items.record_item import record_item_created
from chalicelib.items.store import find_item
from chalicelib.items.write_item import ItemRules, insert_item


def create_item(
    tx: Transaction, *, principal: Principal, workspace_id: WorkspaceId, draft: Draft, rules: ItemRules
) -> Item:
    """Add an item at a free path, readable by who may read there.

    Raises PathTaken, InvalidPath, InvalidItem, BodyTooLarge, QuotaExceeded, ActionForbidden.
    """
    checked = checked_draft(draft, body_bytes=rules.body_bytes)
    audience_id = authorize_writing(tx, principal, workspace_id, checked.path)
    item = insert_item(
        tx,
        workspace_id,
        checked,
        audience_id=audience_id,
        principal_id=principal.id,
        rules=rules,
    )
    if item is None:
        raise PathTaken(f"An item lies at {checked.path} already.", path=checked.path)
    # What was said about one that lay there before holds on, perhaps against its new author.
    if find_item(tx, workspace_id, item.id, audiences=audiences_of(tx, principal, workspace_id)) is None:
        raise ActionForbidden("You may not write at this path.", action=str(Action.WRITE))
    record_item_created(tx, item, principal=principal)
    return item
