"""Records what was done to items, without their content: which fields changed, and of a few what to."""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import fields
from typing import Any

from chalicelib.audit.model import ActivityAction, SubjectKind
from chalicelib.audit.record_activity import differences, record
from chalicelib.database.transaction import Transaction
from chalicelib.identity.model import Principal
from chalicelib.items.model import Attributes, Draft, Item


def record_item(
    tx: Transaction,
    action: ActivityAction,
    item: Item,
    *,
    principal: Principal | None,
    before: Mapping[str, Any] | None = None,
    after: Mapping[str, Any] | None = None,
) -> None:
    """Record something done to an item of a workspace."""
    record(
        tx,
        principal=principal,
        workspace_id=item.workspace_id,
        action=action,
        subject_kind=SubjectKind.ITEM,
        subject_id=item.id,
        before=before,
        after=after,
    )


def record_item_read(tx: Transaction, item: Item, *, principal: Principal, revision: int) -> None:
    """Record that somebody was shown what an item says, where its workspace asks for that."""
    record(
        tx,
        principal=principal,
        workspace_id=item.workspace_id,
        action=ActivityAction.ITEM_READ,
        subject_kind=SubjectKind.ITEM,
        subject_id=item.id,
        after={"revision": revision},
        is_read=True,
    )


def record_item_created(tx: Transaction, item: Item, *, principal: Principal | None, **origin: object) -> None:
    """Record a new item; `origin` says what else it came from."""
    after = {"revision": item.revision, **_words_of(item.attributes), **origin}
    record_item(tx, ActivityAction.ITEM_CREATED, item, principal=principal, after=after)


def record_item_changed(
    tx: Transaction,
    written: Item,
    *,
    present: Draft | Item,
    draft: Draft,
    principal: Principal | None,
    **origin: object,
) -> None:
    """Record the next revision of an item; one that changed nothing but its path has moved."""
    changed = sorted(_changed(present, draft))
    before, after = differences(_words_of(present.attributes), _words_of(draft.attributes))
    record_item(
        tx,
        ActivityAction.ITEM_MOVED if changed == ["path"] else ActivityAction.ITEM_CHANGED,
        written,
        principal=principal,
        before={"revision": written.revision - 1, **before},
        after={"revision": written.revision, "changed": changed, **after, **origin},
    )


def _words_of(attributes: Attributes) -> dict[str, object]:
    """Return the attributes that are words of ours, and so no content."""
    return {
        "kind": attributes.kind,
        "class": attributes.item_class,
        "scope": attributes.scope,
        "status": attributes.status,
        "language": attributes.language,
    }


def _changed(present: Draft | Item, draft: Draft) -> Iterator[str]:
    for name in ("path", "title", "original"):
        if getattr(present, name) != getattr(draft, name):
            yield name
    if _body_sha256(present) != hashlib.sha256(draft.body.encode()).digest():
        yield "body"
    for attribute in fields(Attributes):
        if getattr(present.attributes, attribute.name) != getattr(draft.attributes, attribute.name):
            yield "class" if attribute.name == "item_class" else attribute.name


def _body_sha256(present: Draft | Item) -> bytes:
    return present.body_sha256 if isinstance(present, Item) else hashlib.sha256(present.body.encode()).digest()
