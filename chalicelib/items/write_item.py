"""Writes an item's next revision and promises its indexing, in the caller's transaction."""

import hashlib
from dataclasses import dataclass

from chalicelib.access.keep_said import keep_said
from chalicelib.access.model import AudienceId
from chalicelib.access.refresh import refresh_item
from chalicelib.database.ids import new_id
from chalicelib.database.transaction import Transaction
from chalicelib.identity.model import PrincipalId, WorkspaceId
from chalicelib.items import store
from chalicelib.items.errors import PathTaken
from chalicelib.items.model import Draft, IndexState, Item, ItemId, Problem
from chalicelib.items.quotas import Quotas, charge
from chalicelib.jobs.queue import JobQueue

INDEX_ITEM = "index_item"
"""The kind of the job that brings an item's present revision into search."""


@dataclass(frozen=True, slots=True)
class ItemRules:
    """What a deployment lets items be, and how it promises their indexing."""

    jobs: JobQueue
    quotas: Quotas
    body_bytes: int


def insert_item(
    tx: Transaction,
    workspace_id: WorkspaceId,
    draft: Draft,
    *,
    audience_id: AudienceId,
    principal_id: PrincipalId | None,
    rules: ItemRules,
    failure: Problem | None = None,
) -> Item | None:
    """Add the living item of a path; None where the path is taken. The draft has been checked.

    It has the audience that was asked for its path in this transaction, or what was said about one buried there.
    With a `failure` the item stands for an original that could not be read, and is not indexed.
    """
    body_sha256, body_bytes = _put_body(tx, workspace_id, draft)
    item = store.insert_item(
        tx,
        workspace_id,
        item_id=ItemId(new_id()),
        draft=draft,
        body_sha256=body_sha256,
        audience_id=audience_id,
        principal_id=principal_id,
    )
    if item is None:
        return None
    keep_said(tx, workspace_id, item.id, item.path)
    if failure is None:
        enqueue_indexing(tx, item, rules=rules)
    else:
        store.set_index_state(tx, workspace_id, item.id, revision=1, state=IndexState.FAILED, reason=failure)
    charge(tx, workspace_id, rules.quotas, items=1, body_bytes=body_bytes)
    return item


def insert_revision(
    tx: Transaction, item: Item, draft: Draft, *, principal_id: PrincipalId | None, rules: ItemRules
) -> Item:
    """Give an item, which this transaction has locked, its next revision. Raises PathTaken, QuotaExceeded.

    One that moves has shared the places before; who may read it is what its new folders say.
    """
    if draft.path != item.path and store.lock_item_at_path(tx, item.workspace_id, draft.path):
        raise PathTaken(f"Another item lies at {draft.path}.", path=draft.path)
    body_sha256, body_bytes = _put_body(tx, item.workspace_id, draft)
    written = store.update_item(
        tx, item.workspace_id, item_id=item.id, draft=draft, body_sha256=body_sha256, principal_id=principal_id
    )
    if draft.path != item.path:
        refresh_item(tx, item.workspace_id, item.id, draft.path)
    enqueue_indexing(tx, written, rules=rules)
    if body_bytes:
        charge(tx, item.workspace_id, rules.quotas, body_bytes=body_bytes)
    return written


def enqueue_indexing(tx: Transaction, item: Item, *, rules: ItemRules) -> None:
    """Promise that the item's present revision is brought into search."""
    rules.jobs.enqueue(
        tx,
        kind=INDEX_ITEM,
        key=str(item.id),
        payload={"item_id": str(item.id)},
        workspace_id=item.workspace_id,
        serial_key=f"item:{item.id}",
    )


def _put_body(tx: Transaction, workspace_id: WorkspaceId, draft: Draft) -> tuple[bytes, int]:
    encoded = draft.body.encode()
    sha256 = hashlib.sha256(encoded).digest()
    added = store.put_body(tx, workspace_id, sha256=sha256, body=draft.body)
    return sha256, len(encoded) if added else 0
