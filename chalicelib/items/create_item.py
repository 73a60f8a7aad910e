"""Adds an item by hand or by agent."""

from chalicelib.access.audience import workspace_audience
from chalicelib.database.transaction import Transaction
from chalicelib.identity.model import Principal, WorkspaceId
from chalicelib.identity.rights import Action, authorize
from chalicelib.items.checked_draft import checked_draft
from chalicelib.items.errors import PathTaken
from chalicelib.items.model import Draft, Item
from chalicelib.items.write_item import ItemRules, insert_item


def create_item(
    tx: Transaction, *, principal: Principal, workspace_id: WorkspaceId, draft: Draft, rules: ItemRules
) -> Item:
    """Add an item at a free path, readable by the whole workspace.

    Raises PathTaken, InvalidPath, InvalidItem, BodyTooLarge, QuotaExceeded, ActionForbidden.
    """
    authorize(principal, workspace_id, Action.WRITE)
    checked = checked_draft(draft, body_bytes=rules.body_bytes)
    item = insert_item(
        tx,
        workspace_id,
        checked,
        audience=workspace_audience(workspace_id),
        principal_id=principal.id,
        rules=rules,
    )
    if item is None:
        raise PathTaken(f"An item lies at {checked.path} already.", path=checked.path)
    return item
