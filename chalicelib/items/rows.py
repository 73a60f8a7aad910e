"""Turns database rows into items and revisions, and drafts into columns."""

from dataclasses import asdict
from typing import Any

from chalicelib.database.transaction import Row
from chalicelib.items.model import (
    NO_TEXT,
    Attributes,
    Caveat,
    Draft,
    Indexing,
    IndexState,
    Item,
    ItemClass,
    ItemKind,
    ItemScope,
    ItemStatus,
    Original,
    Revision,
)

_STATE_COLUMNS = (
    "path",
    "kind",
    "class",
    "scope",
    "status",
    "description",
    "language",
    "tags",
    "categories",
    "metadata",
)


def columns_of(draft: Draft) -> dict[str, object]:
    """Return the columns that a draft fills."""
    attributes, original = draft.attributes, draft.original
    return {
        "path": draft.path,
        "title": draft.title,
        "kind": attributes.kind,
        "class": attributes.item_class,
        "scope": attributes.scope,
        "status": attributes.status,
        "description": attributes.description,
        "language": attributes.language,
        "tags": list(attributes.tags),
        "categories": list(attributes.categories),
        "metadata": dict(attributes.metadata),
        "warnings": [asdict(caveat) for caveat in draft.warnings],
        "body_bytes": len(draft.body.encode()),
        "page_starts": list(draft.page_starts),
        "original_sha256": original.sha256 if original else None,
        "original_bytes": original.bytes if original else None,
        "original_media_type": original.media_type if original else None,
        "upload_id": original.upload_id if original else None,
    }


def state_of(row: Row) -> dict[str, Any]:
    """Return what a revision keeps of an item's row beside title and body."""
    return {name: row[name] for name in _STATE_COLUMNS}


def item_of(row: Row) -> Item:
    """Read a row of `items`."""
    return Item(
        id=row["id"],
        workspace_id=row["workspace_id"],
        path=row["path"],
        title=row["title"],
        attributes=_attributes_of(row),
        warnings=tuple(Caveat(**caveat) for caveat in row["warnings"]),
        page_starts=tuple(row["page_starts"]),
        original=_original_of(row),
        revision=row["revision"],
        body_sha256=row["body_sha256"],
        body_bytes=row["body_bytes"],
        index=Indexing(
            state=IndexState(row["index_state"]),
            reason=row["index_reason"] or (NO_TEXT if row["index_state"] == IndexState.NO_TEXT else None),
            revision=row["indexed_revision"],
            chunks=row["chunk_count"],
        ),
        created_at=row["created_at"],
        created_by=row["created_by"],
        updated_at=row["updated_at"],
        updated_by=row["updated_by"],
    )


def revision_of(row: Row) -> Revision:
    """Read a row of `revisions`, with its body or with null for it."""
    return Revision(
        item_id=row["item_id"],
        number=row["number"],
        path=row["state"]["path"],
        title=row["title"],
        attributes=_attributes_of(row["state"]),
        body=row["body"],
        created_at=row["created_at"],
        created_by=row["created_by"],
    )


def _attributes_of(row: Row) -> Attributes:
    return Attributes(
        kind=ItemKind(row["kind"]),
        item_class=ItemClass(row["class"]),
        scope=ItemScope(row["scope"]),
        status=ItemStatus(row["status"]),
        description=row["description"],
        language=row["language"],
        tags=tuple(row["tags"]),
        categories=tuple(row["categories"]),
        metadata=row["metadata"],
    )


def _original_of(row: Row) -> Original | None:
    if row["original_sha256"] is None:
        return None
    return Original(
        upload_id=row["upload_id"],
        sha256=row["original_sha256"],
        bytes=row["original_bytes"],
        media_type=row["original_media_type"],
    )
