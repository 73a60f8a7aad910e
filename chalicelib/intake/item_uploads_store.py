"""Reads and writes the uploads and originals of items that leave the trash, either way."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from chalicelib.database.statements import load_statements
from chalicelib.database.transaction import Transaction
from chalicelib.identity.model import WorkspaceId
from chalicelib.intake.model import UploadState
from chalicelib.items.model import ItemId, Problem, UploadId

_SQL = load_statements(__package__, "item_uploads.sql")


@dataclass(frozen=True, slots=True)
class CountedAgain:
    """How many uploads count again, and why the latest could not be read, where it could not."""

    uploads: int
    failure: Problem | None


@dataclass(frozen=True, slots=True)
class ForgottenUpload:
    """What is left to do for an upload whose row is gone. `is_open` says whether its work had not ended."""

    id: UploadId
    sha256: bytes | None
    source_key: str
    is_counted: bool
    is_open: bool


def count_latest_again(tx: Transaction, workspace_id: WorkspaceId, item_id: ItemId) -> CountedAgain:
    """Count the latest ended upload of an item again."""
    row = tx.fetch_one(_SQL["count_latest_again"], workspace_id=workspace_id, item_id=item_id)
    if row is None:
        return CountedAgain(0, None)
    failure = row["reason"] if row["state"] == UploadState.FAILED else None
    return CountedAgain(0 if row["was_counted"] else 1, failure)


def delete_uploads_of(
    tx: Transaction, workspace_id: WorkspaceId, item_ids: Sequence[ItemId]
) -> Sequence[ForgottenUpload]:
    """Forget the uploads that became some items, in whatever state they are."""
    rows = tx.fetch_all(_SQL["delete_uploads_of"], workspace_id=workspace_id, item_ids=list(item_ids))
    return [ForgottenUpload(**row) for row in rows]


def delete_unused_originals(
    tx: Transaction, workspace_id: WorkspaceId, sha256s: Sequence[bytes]
) -> Mapping[bytes, int]:
    """Forget those of some originals that nothing refers to any more; return their sizes by SHA-256."""
    rows = tx.fetch_all(_SQL["delete_unused_originals"], workspace_id=workspace_id, sha256s=list(sha256s))
    return {row["sha256"]: row["bytes"] for row in rows}


def release_items(tx: Transaction, workspace_id: WorkspaceId, item_ids: Sequence[ItemId]) -> int:
    """Count the ended uploads of some items no more; return how many those were."""
    return tx.execute(_SQL["release_items"], workspace_id=workspace_id, item_ids=list(item_ids))
