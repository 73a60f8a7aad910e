"""Changes an item: every change makes its next revision, guarded by the one that was read."""

from collections.abc import Callable
from dataclasses import replace

from chalicelib.access.readers import audiences_of
from chalicelib.access.store import share_places
from chalicelib.access.writing import authorize_moving, authorize_writing
from chalicelib.audit.model import ActivityAction
from chalicelib.database.transaction import Transaction
from chalicelib.identity.model import Principal, WorkspaceId
from chalicelib.identity.rights import Action, authorize
from chalicelib.items import store, usage_store
from chalicelib.items.checked_draft import checked_draft
from chalicelib.items.errors import ItemNotFound, RevisionConflict
from chalicelib.items.model import Draft, IndexState, Item, ItemId
from chalicelib.items.record_item import record_item, record_item_changed
from chalicelib.items.write_item import ItemRules, enqueue_indexing, insert_revision

RemoveFromIndex = Callable[[Transaction, WorkspaceId, ItemId], None]
"""Takes an item's chunks out of search, in the transaction that deletes it."""


def change_item(
    tx: Transaction,
    *,
    principal: Principal,
    workspace_id: WorkspaceId,
    item_id: ItemId,
    expected_revision: int | None,
    change: Callable[[Draft], Draft],
    rules: ItemRules,
) -> Item:
    """Apply `change` to the item as it is now; a change that changes nothing makes no revision.

    `change` sees the present state under a lock, so that two partial changes at once both hold.
    Raises ItemNotFound, RevisionConflict (not at `expected_revision`), PathTaken, InvalidPath, InvalidItem,
    BodyTooLarge, QuotaExceeded, ActionForbidden.
    """
    item = lock_item(
        tx, principal=principal, workspace_id=workspace_id, item_id=item_id, expected_revision=expected_revision
    )
    present = _present_draft(tx, item, principal)
    draft = _fitted(checked_draft(change(present), body_bytes=rules.body_bytes), present)
    if draft == present:
        return item
    origin = {}
    if draft.path != item.path:
        from_path, path = item.path, draft.path
        origin["readers_changed"] = authorize_moving(
            tx, principal, workspace_id, path, from_path=from_path, item_id=item.id
        )
    written = insert_revision(tx, item, draft, principal_id=principal.id, rules=rules)
    record_item_changed(tx, written, present=present, draft=draft, principal=principal, **origin)
    return written


def delete_item(
    tx: Transaction,
    *,
    principal: Principal,
    workspace_id: WorkspaceId,
    item_id: ItemId,
    expected_revision: int | None,
    rules: ItemRules,
    remove_from_index: RemoveFromIndex,
) -> None:
    """Bury an item in any state; it is out of every list and search at commit. Raises as change_item does."""
    item = lock_item(
        tx, principal=principal, workspace_id=workspace_id, item_id=item_id, expected_revision=expected_revision
    )
    bury_item(tx, item, principal=principal, rules=rules, remove_from_index=remove_from_index)


def retry_indexing(
    tx: Transaction, *, principal: Principal, workspace_id: WorkspaceId, item_id: ItemId, rules: ItemRules
) -> Item:
    """Promise the indexing of the present revision anew. Raises ItemNotFound, ActionForbidden.

    An item that stands for an original that could not be read stays as it is: there is nothing to index, and its
    upload is what can be retried.
    """
    item = lock_item(tx, principal=principal, workspace_id=workspace_id, item_id=item_id, expected_revision=None)
    if item.index.state is IndexState.FAILED and not item.body_bytes:
        return item
    store.set_index_state(tx, workspace_id, item_id, revision=item.revision, state=IndexState.PENDING)
    enqueue_indexing(tx, item, rules=rules)
    record_item(tx, ActivityAction.ITEM_RETRIED, item, principal=principal, before={"state": item.index.state})
    return item


def lock_item(
    tx: Transaction,
    *,
    principal: Principal,
    workspace_id: WorkspaceId,
    item_id: ItemId,
    expected_revision: int | None,
) -> Item:
    """Lock an item that the principal may read and write. Raises ItemNotFound, RevisionConflict."""
    authorize(principal, workspace_id, Action.READ)
    # Before the item's row: who says who may read waits for rows with the places in hand.
    share_places(tx, workspace_id)
    item = store.find_item(tx, workspace_id, item_id, audiences=audiences_of(tx, principal, workspace_id), lock=True)
    if item is None:
        raise ItemNotFound("There is no such item.")
    authorize_writing(tx, principal, workspace_id, item.path, item_id=item.id)
    if expected_revision not in {None, item.revision}:
        raise RevisionConflict(
            f"The item is at revision {item.revision} by now; read it and apply your change again.",
            revision=item.revision,
        )
    return item


def bury_item(
    tx: Transaction, item: Item, *, principal: Principal, rules: ItemRules, remove_from_index: RemoveFromIndex
) -> None:
    """Bury an item that this transaction has locked."""
    rules.jobs.cancel_key(tx, key=str(item.id), workspace_id=item.workspace_id)
    remove_from_index(tx, item.workspace_id, item.id)
    store.bury_item(tx, item.workspace_id, item.id, principal_id=principal.id)
    usage_store.add_usage(tx, item.workspace_id, {"items": -1})
    record_item(tx, ActivityAction.ITEM_DELETED, item, principal=principal, before={"revision": item.revision})


def _present_draft(tx: Transaction, item: Item, principal: Principal) -> Draft:
    audiences = audiences_of(tx, principal, item.workspace_id)
    revision = store.find_revision(tx, item.workspace_id, item.id, item.revision, audiences=audiences)
    if revision is None or revision.body is None:
        raise LookupError(f"item {item.id} lacks its revision {item.revision}")
    return Draft(
        path=item.path,
        title=item.title,
        body=revision.body,
        attributes=item.attributes,
        warnings=item.warnings,
        page_starts=item.page_starts,
        original=item.original,
    )


def _fitted(draft: Draft, present: Draft) -> Draft:
    """Keep what is known of how the body came to be while it stays, and drop it with the body."""
    if draft.body == present.body:
        return replace(draft, warnings=present.warnings, page_starts=present.page_starts)
    return replace(draft, page_starts=())
