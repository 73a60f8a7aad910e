"""Puts what was read out of an upload at its path: a new item, the next revision of one, or nothing new."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from chalicelib.access.writing import audience_at
from chalicelib.database.transaction import Transaction
from chalicelib.errors import LorebaseError, Unavailable
from chalicelib.identity.rights import ActionForbidden
from chalicelib.intake.attributes import apply_attributes, title_from
from chalicelib.intake.extract.model import Extract
from chalicelib.intake.model import Upload, UploadOutcome, UploadRequest
from chalicelib.intake.record_upload import uploader_of
from chalicelib.intake.unchanged import holds
from chalicelib.intake.uploader_rights import lock_item_to_put, require_putting
from chalicelib.items.checked_draft import LABEL_CHARACTERS, LABELS, TITLE_CHARACTERS, checked_draft
from chalicelib.items.errors import PathTaken
from chalicelib.items.model import Attributes, Caveat, Draft, Item, ItemId, ItemKind, Original, Problem
from chalicelib.items.record_item import record_item_changed, record_item_created
from chalicelib.items.write_item import ItemRules, insert_item, insert_revision

_REFUSED = 415
_LOOKS = 3


class PathContended(Unavailable):
    """Others keep changing the item at this path."""


@dataclass(frozen=True, slots=True)
class Placed:
    """Where the upload ended."""

    item_id: ItemId
    revision: int
    outcome: UploadOutcome


def find_holder(tx: Transaction, upload: Upload, *, sha256: bytes) -> Item | None:
    """Lock and return the item at the upload's path if it holds these bytes already, described alike."""
    return _holding(lock_item_to_put(tx, upload), upload, sha256=sha256)


def put_file(
    tx: Transaction, upload: Upload, original: Original, extract: Extract | None, *, rules: ItemRules
) -> Placed:
    """Add the item at the upload's path or give it its next revision; same bytes change nothing.

    Two uploads to one path at once meet at its row: the later one sees what the earlier one made.
    Raises PathContended, PathTaken (by an item that the uploader may not read), InvalidItem, BodyTooLarge,
    QuotaExceeded, ActionForbidden (the uploader may not write there any more).
    """
    # Where adding comes too late, the one who was faster has committed: the next look finds its item.
    for _ in range(_LOOKS):
        placed = _try_to_put(tx, upload, original, extract, rules=rules)
        if placed is not None:
            return placed
    raise PathContended("The item at this path changed meanwhile; it is tried again.")


def _try_to_put(
    tx: Transaction, upload: Upload, original: Original, extract: Extract | None, *, rules: ItemRules
) -> Placed | None:
    item = lock_item_to_put(tx, upload)
    if holder := _holding(item, upload, sha256=original.sha256):
        return Placed(holder.id, holder.revision, UploadOutcome.UNCHANGED)
    if extract is None:
        return None
    draft = checked_draft(_draft(upload, original, extract, item), body_bytes=rules.body_bytes)
    if item is not None:
        written = insert_revision(tx, item, draft, principal_id=upload.created_by, rules=rules)
        record_item_changed(
            tx, written, present=item, draft=draft, principal=uploader_of(tx, upload), upload_id=upload.id
        )
        return Placed(written.id, written.revision, UploadOutcome.UPDATED)
    require_putting(tx, upload)
    added = insert_item(
        tx,
        upload.workspace_id,
        draft,
        audience_id=audience_at(tx, upload.workspace_id, upload.path),
        principal_id=upload.created_by,
        rules=rules,
    )
    if added is None:
        return None
    record_item_created(tx, added, principal=uploader_of(tx, upload), upload_id=upload.id)
    return Placed(added.id, added.revision, UploadOutcome.ADDED)


def _holding(item: Item | None, upload: Upload, *, sha256: bytes) -> Item | None:
    request = UploadRequest(path=upload.path, filename=upload.filename, attributes=upload.attributes)
    return item if item is not None and holds(item, request, sha256=sha256) else None


def put_failed_file(tx: Transaction, upload: Upload, reason: Problem, *, rules: ItemRules) -> ItemId | None:
    """Show the failure where the item would have come to lie; a last good item there stays as it is."""
    try:
        item = lock_item_to_put(tx, upload)
        if item is not None:
            return item.id
        require_putting(tx, upload)
    except (PathTaken, ActionForbidden):
        return None
    draft = checked_draft(_draft(upload, None, Extract(body="", extractor="none"), None), body_bytes=rules.body_bytes)
    added = insert_item(
        tx,
        upload.workspace_id,
        draft,
        audience_id=audience_at(tx, upload.workspace_id, upload.path),
        principal_id=upload.created_by,
        rules=rules,
        failure=reason,
    )
    if added is None:
        return None
    record_item_created(tx, added, principal=uploader_of(tx, upload), upload_id=upload.id, reason=str(reason["type"]))
    return added.id


def is_shown_as_item(error: LorebaseError) -> bool:
    """Tell whether a failed upload leaves a failed item behind: not where its type is refused."""
    return error.status != _REFUSED


def _draft(upload: Upload, original: Original | None, extract: Extract, item: Item | None) -> Draft:
    present = item.attributes if item else Attributes(kind=ItemKind.FILE)
    found = dict(extract.metadata)
    described = apply_attributes(
        present,
        {
            "kind": ItemKind.FILE,
            "tags": _tags_in(found) or present.tags,
            "metadata": found,
            **upload.attributes,
        },
    )
    title = upload.attributes.get("title") or extract.title or title_from(upload.filename)
    return Draft(
        path=upload.path,
        title=str(title)[:TITLE_CHARACTERS],
        body=extract.body,
        attributes=described,
        warnings=[Caveat(warning.code, warning.detail, warning.count) for warning in extract.warnings],
        page_starts=extract.page_starts,
        original=original,
    )


def _tags_in(metadata: Mapping[str, object]) -> Sequence[str]:
    """Return the tags that a document's front matter names, as far as they can be tags."""
    tags = metadata.get("tags")
    if not isinstance(tags, list):
        return ()
    return [tag for tag in tags if isinstance(tag, str) and 1 <= len(tag.strip()) <= LABEL_CHARACTERS][:LABELS]
