"""The words of intake as types."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any
from uuid import UUID

from chalicelib.errors import LorebaseError
from chalicelib.identity.model import PrincipalId, WorkspaceId
from chalicelib.items.model import Caveat, ItemId, Problem, UploadId


class UploadState(StrEnum):
    """How far an upload's extraction got. Skipped: there is nothing to extract, and `reason` says why."""

    PENDING = "pending"
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    SKIPPED = "skipped"


class UploadSource(StrEnum):
    """How the bytes came."""

    DIRECT = "direct"
    PRESIGNED = "presigned"
    DROP = "drop"


class UploadOutcome(StrEnum):
    """What the upload did to the item at its path."""

    ADDED = "added"
    UPDATED = "updated"
    UNCHANGED = "unchanged"


@dataclass(frozen=True, slots=True, kw_only=True)
class UploadRequest:
    """What a client says of the bytes it is about to send or sends. `attributes` holds what it set, by name."""

    path: str
    filename: str
    attributes: Mapping[str, Any]
    sha256: bytes | None = None
    bytes: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Upload:
    """One received, or awaited, original. Awaited while `received_at` is None.

    `is_counted` says whether it counts against the quota: the latest of its path does, until its item is deleted.
    `correlation_id` is that of the request or event that began it.
    """

    id: UploadId
    workspace_id: WorkspaceId
    path: str
    filename: str
    source: UploadSource
    source_key: str
    declared_bytes: int | None
    declared_sha256: bytes | None
    attributes: Mapping[str, Any]
    state: UploadState
    reason: Problem | None
    outcome: UploadOutcome | None
    sha256: bytes | None
    bytes: int | None
    media_type: str | None
    extractor: str | None
    extract_seconds: float | None
    warnings: Sequence[Caveat]
    item_id: ItemId | None
    revision: int | None
    created_by: PrincipalId | None
    created_at: datetime
    received_at: datetime | None
    finished_at: datetime | None
    expires_at: datetime | None
    is_counted: bool
    correlation_id: str | None


@dataclass(frozen=True, slots=True)
class UnchangedItem:
    """Same path and same bytes: the item that holds them already."""

    item_id: ItemId
    revision: int


def staging_key(workspace_id: UUID, upload_id: UUID) -> str:
    """Return where an upload's bytes arrive."""
    return f"staging/{workspace_id}/{upload_id}"


def original_key(workspace_id: UUID, sha256: bytes) -> str:
    """Return where an original is kept: once a workspace, by its SHA-256."""
    return f"originals/{workspace_id}/{sha256.hex()}"


def problem_of(error: LorebaseError) -> Problem:
    """Return why something came to nothing, as it is shown on an upload or an item."""
    return {"type": error.problem_type(), "title": error.title(), "detail": error.detail}
