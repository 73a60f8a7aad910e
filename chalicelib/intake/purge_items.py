"""Deletes items in the trash for good: rows, revisions, uploads, and the bodies and originals that no other needs."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from chalicelib.access.audience import audience_of
from chalicelib.access.forsaken_store import list_forsaken
from chalicelib.access.readers import audiences_of
from chalicelib.access.store import hold_places, list_places
from chalicelib.access.tokens import principal_token
from chalicelib.access.writing import authorize_writing
from chalicelib.audit.model import ActivityAction, SubjectKind
from chalicelib.audit.record_activity import record
from chalicelib.database.transaction import Transaction
from chalicelib.identity.model import Principal, WorkspaceId
from chalicelib.identity.rights import Action, authorize
from chalicelib.intake.item_uploads_store import ForgottenUpload, delete_unused_originals, delete_uploads_of
from chalicelib.intake.model import original_key
from chalicelib.intake.reception import IntakeRules
from chalicelib.items import trash_store, usage_store
from chalicelib.items.errors import ItemNotFound
from chalicelib.items.model import Item, ItemId
from chalicelib.items.read_trash import read_trashed_item
from chalicelib.items.record_item import record_item


@dataclass(frozen=True, slots=True)
class Emptied:
    """How many items were deleted for good, and whether there are more that the asker may delete."""

    items: int
    has_more: bool


def purge_item(
    tx: Transaction, *, principal: Principal, workspace_id: WorkspaceId, item_id: ItemId, rules: IntakeRules
) -> None:
    """Delete an item in the trash for good: owners any that they may read, its author one that nobody else may read.

    Raises ItemNotFound, ActionForbidden.
    """
    found = read_trashed_item(tx, principal=principal, workspace_id=workspace_id, item_id=item_id)
    if found.item.created_by != principal.id:
        authorize(principal, workspace_id, Action.MANAGE)
    hold_places(tx, workspace_id)
    audiences = audiences_of(tx, principal, workspace_id)
    trashed = trash_store.find_in_trash(tx, workspace_id, item_id, audiences=audiences, lock=True)
    if trashed is None:
        raise ItemNotFound("There is no such item in the trash.")
    if not _is_own_alone(tx, principal, trashed.item):
        authorize(principal, workspace_id, Action.MANAGE)
    _purge(tx, workspace_id, [trashed.item], principal=principal, rules=rules)


def empty_trash(
    tx: Transaction, *, principal: Principal, workspace_id: WorkspaceId, limit: int, rules: IntakeRules
) -> Emptied:
    """Delete the `limit` items for good that lie longest in the trash, of those that the principal may read.

    Then those that nobody can read any more, which are counted and not named. For owners. Raises ActionForbidden.
    """
    authorize(principal, workspace_id, Action.MANAGE)
    hold_places(tx, workspace_id)
    audiences = audiences_of(tx, principal, workspace_id)
    items = trash_store.lock_trash(tx, workspace_id, audiences=audiences, limit=limit + 1)
    left = limit - len(items[:limit])
    forsaken = trash_store.lock_trash(
        tx, workspace_id, audiences=list_forsaken(tx, workspace_id), limit=limit + 1 - len(items)
    )
    _purge(tx, workspace_id, items[:limit], principal=principal, rules=rules)
    _purge(tx, workspace_id, forsaken[:left], principal=None, rules=rules)
    if forsaken[:left]:
        record(
            tx,
            principal=principal,
            workspace_id=workspace_id,
            action=ActivityAction.ITEM_PURGED,
            subject_kind=SubjectKind.WORKSPACE,
            subject_id=workspace_id,
            after={"items": len(forsaken[:left])},
        )
    return Emptied(len(items[:limit]) + len(forsaken[:left]), has_more=len(items) + len(forsaken) > limit)


def purge_old_items(tx: Transaction, *, before: datetime, limit: int, rules: IntakeRules) -> int:
    """Delete at most `limit` items of one workspace for good that were deleted before then; return how many."""
    workspace_id = trash_store.find_oldest_trash(tx, before=before)
    if workspace_id is None:
        return 0
    hold_places(tx, workspace_id)
    items = trash_store.lock_old_trash(tx, workspace_id, before=before, limit=limit)
    _purge(tx, workspace_id, items, principal=None, rules=rules)
    return len(items)


def _is_own_alone(tx: Transaction, principal: Principal, item: Item) -> bool:
    """Tell whether the principal made the item and may write it, and nobody else may read it."""
    if item.created_by != principal.id or principal.on_behalf_of is not None:
        return False
    places = list_places(tx, item.workspace_id, item.path, item_id=item.id)
    own = frozenset({principal_token(principal.kind, principal.id)})
    if own not in audience_of(item.workspace_id, places).clauses:
        return False
    authorize_writing(tx, principal, item.workspace_id, item.path, item_id=item.id)
    return True


def _purge(
    tx: Transaction,
    workspace_id: WorkspaceId,
    items: Sequence[Item],
    *,
    principal: Principal | None,
    rules: IntakeRules,
) -> None:
    """Delete locked items of the trash, while the places are held: nobody is about to use what they leave."""
    if not items:
        return
    for item in items:
        record_item(tx, ActivityAction.ITEM_PURGED, item, principal=principal, before={"revision": item.revision})
    ids = [item.id for item in items]
    uploads = delete_uploads_of(tx, workspace_id, ids)
    for upload in uploads:
        if upload.is_open:
            rules.items.jobs.cancel_key(tx, key=str(upload.id), workspace_id=workspace_id)
    citations, answer_bytes = trash_store.count_copies(tx, workspace_id, ids)
    body_bytes = trash_store.delete_items(tx, workspace_id, ids)
    hashes = {item.original.sha256 for item in items if item.original} | {
        upload.sha256 for upload in uploads if upload.sha256
    }
    original_bytes = _release_bytes(tx, workspace_id, uploads, sorted(hashes), rules=rules)
    freed = {
        "uploads": -sum(upload.is_counted for upload in uploads),
        "body_bytes": -body_bytes - answer_bytes,
        "original_bytes": -original_bytes,
        "citations": -citations,
    }
    usage_store.add_usage(tx, workspace_id, freed)


def _release_bytes(
    tx: Transaction,
    workspace_id: WorkspaceId,
    uploads: Sequence[ForgottenUpload],
    hashes: Sequence[bytes],
    *,
    rules: IntakeRules,
) -> int:
    """Have the store forget, after commit, what nothing refers to any more; return how much of it is counted."""
    sizes = delete_unused_originals(tx, workspace_id, hashes)
    keys = [original_key(workspace_id, sha256) for sha256 in sizes]
    keys += [upload.source_key for upload in uploads if upload.source_key.startswith("staging/")]

    def forget() -> None:
        for key in keys:
            rules.originals.delete(key)

    tx.after_commit(forget)
    return sum(sizes.values())
