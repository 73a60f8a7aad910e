"""Lets an item in the trash live again, at its path or at another one."""

from chalicelib.access.readers import audiences_of
from chalicelib.access.refresh import refresh_item
from chalicelib.access.store import share_places
from chalicelib.access.writing import authorize_moving, authorize_writing
from chalicelib.audit.model import ActivityAction
from chalicelib.database.transaction import Transaction
from chalicelib.identity.model import Principal, WorkspaceId
from chalicelib.identity.rights import Action, authorize
from chalicelib.intake.item_uploads_store import count_latest_again
from chalicelib.items import store, trash_store
from chalicelib.items.errors import ItemNotFound, PathTaken
from chalicelib.items.model import IndexState, Item, ItemId, Problem
from chalicelib.items.paths import checked_path
from chalicelib.items.quotas import charge
from chalicelib.items.record_item import record_item
from chalicelib.items.write_item import ItemRules, enqueue_indexing


def restore_item(
    tx: Transaction,
    *,
    principal: Principal,
    workspace_id: WorkspaceId,
    item_id: ItemId,
    path: str | None,
    rules: ItemRules,
) -> Item:
    """Restore an item as its next revision, to `path` or else to where it lay, and promise its indexing.

    What was said about it holds again, beside what is said about the folders it comes to lie in by now.
    Raises ItemNotFound (also for one that was restored meanwhile), PathTaken, InvalidPath, QuotaExceeded,
    ActionForbidden (also where the principal could not read the result).
    """
    authorize(principal, workspace_id, Action.READ)
    share_places(tx, workspace_id)
    audiences = audiences_of(tx, principal, workspace_id)
    trashed = trash_store.find_in_trash(tx, workspace_id, item_id, audiences=audiences, lock=True)
    if trashed is None:
        raise ItemNotFound("There is no such item in the trash.")
    present = trashed.item
    authorize_writing(tx, principal, workspace_id, present.path, item_id=item_id)
    target = present.path if path is None else checked_path(path)
    if target != present.path:
        authorize_moving(tx, principal, workspace_id, target, from_path=present.path, item_id=item_id)
    if store.lock_item_at_path(tx, workspace_id, target):
        raise PathTaken(f"Another item lies at {target}; restore this one to another path.", path=target)
    written = trash_store.restore_item(tx, workspace_id, item_id, path=target, principal_id=principal.id)
    refresh_item(tx, workspace_id, item_id, target)
    counted = count_latest_again(tx, workspace_id, item_id)
    _promise_indexing(tx, written, failure=None if written.body_bytes else counted.failure, rules=rules)
    charge(tx, workspace_id, rules.quotas, items=1, uploads=counted.uploads)
    record_item(
        tx,
        ActivityAction.ITEM_RESTORED,
        written,
        principal=principal,
        before={"deleted_at": trashed.deleted_at, "deleted_by": trashed.deleted_by},
        after={"revision": written.revision, "changed": [] if target == present.path else ["path"]},
    )
    return written


def _promise_indexing(tx: Transaction, item: Item, *, failure: Problem | None, rules: ItemRules) -> None:
    """Promise it, but for what stands for an original that could not be read: there its upload can be retried."""
    if failure is None:
        enqueue_indexing(tx, item, rules=rules)
        return
    store.set_index_state(
        tx, item.workspace_id, item.id, revision=item.revision, state=IndexState.FAILED, reason=failure
    )
