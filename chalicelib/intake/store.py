"""Reads and writes uploads and originals' records in the database."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from datetime import datetime
from typing import Any
from uuid import UUID

from psycopg.types.json import Jsonb

from chalicelib.access.model import AudienceId, Audiences
from chalicelib.database.statements import load_statements
from chalicelib.database.transaction import Row, Transaction
from chalicelib.identity.model import PrincipalId, WorkspaceId
from chalicelib.intake.model import Upload, UploadOutcome, UploadRequest, UploadSource, UploadState
from chalicelib.items.model import Caveat, ItemId, Problem, UploadId
from chalicelib.telemetry.correlation import current_correlation_id

_SQL = load_statements(__package__, "uploads.sql")
_UPLOAD_FIELDS = [field.name for field in fields(Upload)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """How an upload's extraction ended."""

    state: UploadState
    reason: Problem | None = None
    outcome: UploadOutcome | None = None
    sha256: bytes | None = None
    bytes: int | None = None
    media_type: str | None = None
    extractor: str | None = None
    extract_seconds: float | None = None
    warnings: Sequence[Caveat] = ()
    item_id: ItemId | None = None
    revision: int | None = None


def insert_upload(
    tx: Transaction,
    workspace_id: WorkspaceId,
    *,
    upload_id: UploadId,
    request: UploadRequest,
    source: UploadSource,
    source_key: str,
    audience_id: AudienceId,
    principal_id: PrincipalId | None,
    now: datetime,
    received: bool,
    expires_at: datetime | None = None,
    event_sequencer: str | None = None,
) -> Upload | None:
    """Note an upload; None where it is a drop's event that was noted before."""
    row = tx.fetch_one(
        _SQL["insert_upload"],
        id=upload_id,
        workspace_id=workspace_id,
        path=request.path,
        filename=request.filename,
        source=source,
        source_key=source_key,
        declared_bytes=request.bytes,
        declared_sha256=request.sha256,
        attributes=Jsonb(dict(request.attributes)),
        audience_id=audience_id,
        event_sequencer=event_sequencer,
        principal_id=principal_id,
        now=now,
        received_at=now if received else None,
        expires_at=expires_at,
        correlation_id=current_correlation_id(),
    )
    return _upload(row) if row else None


def newest_drop_event(tx: Transaction, workspace_id: WorkspaceId, *, source_key: str) -> str | None:
    """Return the highest sequencer seen of a dropped key."""
    row = tx.fetch_one(_SQL["newest_drop_event"], workspace_id=workspace_id, source_key=source_key)
    return row["event_sequencer"] if row else None


def find_upload(
    tx: Transaction, workspace_id: WorkspaceId, upload_id: UploadId, *, audiences: Audiences, lock: bool = False
) -> Upload | None:
    """Read an upload that the asker may see; locked until commit where that is asked for."""
    statement = _SQL["lock_upload" if lock else "find_upload"]
    row = tx.fetch_one(statement, workspace_id=workspace_id, upload_id=upload_id, audiences=audiences)
    return _upload(row) if row else None


def take_upload(tx: Transaction, workspace_id: WorkspaceId, upload_id: UploadId) -> Upload | None:
    """Lock and read an upload for its worker or its event, which act for no principal."""
    row = tx.fetch_one(_SQL["take_upload"], workspace_id=workspace_id, upload_id=upload_id)
    return _upload(row) if row else None


def list_uploads(
    tx: Transaction,
    workspace_id: WorkspaceId,
    *,
    audiences: Audiences,
    states: Sequence[UploadState],
    path: str | None,
    before: UploadId | None,
    limit: int,
) -> Sequence[Upload]:
    """Read uploads, latest first, from behind `before`."""
    rows = tx.fetch_all(
        _SQL["list_uploads"],
        workspace_id=workspace_id,
        audiences=audiences,
        states=list(states) or None,
        path=path,
        before=before,
        limit=limit,
    )
    return [_upload(row) for row in rows]


def count_states(tx: Transaction, workspace_id: WorkspaceId, *, audiences: Audiences) -> Mapping[UploadState, int]:
    """Count uploads by state; every state is there."""
    rows = tx.fetch_all(_SQL["count_upload_states"], workspace_id=workspace_id, audiences=audiences)
    counts = {row["state"]: row["uploads"] for row in rows}
    return {state: counts.get(state, 0) for state in UploadState}


def list_subjects(
    tx: Transaction, workspace_id: WorkspaceId, ids: Sequence[UUID], *, audiences: Audiences
) -> Mapping[UUID, str]:
    """Read the paths, by id, of those of some items and uploads that the asker may see."""
    rows = tx.fetch_all(_SQL["list_subjects"], workspace_id=workspace_id, ids=list(ids), audiences=audiences)
    return {row["id"]: row["path"] for row in rows}


def list_refused_drops(tx: Transaction, *, since: datetime) -> Sequence[Row]:
    """Read the dropped files that came to nothing since a moment: slug, path, reason, finished_at, in this order."""
    return tx.fetch_all(_SQL["list_refused_drops"], since=since)


def list_failed(tx: Transaction, workspace_id: WorkspaceId, *, audiences: Audiences, limit: int) -> Sequence[Row]:
    """Read uploads that failed for good: id, path, reason."""
    return tx.fetch_all(_SQL["list_failed_uploads"], workspace_id=workspace_id, audiences=audiences, limit=limit)


def mark_received(tx: Transaction, upload: Upload, *, now: datetime) -> None:
    """Note that the bytes have arrived."""
    tx.execute(_SQL["mark_received"], workspace_id=upload.workspace_id, upload_id=upload.id, now=now)


def mark_running(tx: Transaction, upload: Upload) -> None:
    """Note that extraction has begun."""
    tx.execute(_SQL["mark_running"], workspace_id=upload.workspace_id, upload_id=upload.id)


def mark_pending(tx: Transaction, upload: Upload) -> None:
    """Note that extraction is to be tried anew."""
    tx.execute(_SQL["mark_pending"], workspace_id=upload.workspace_id, upload_id=upload.id)


def finish_upload(tx: Transaction, upload: Upload, ending: Ending, *, now: datetime) -> None:
    """Note how extraction ended."""
    values: dict[str, Any] = {
        "state": ending.state,
        "reason": Jsonb(dict(ending.reason)) if ending.reason else None,
        "outcome": ending.outcome,
        "sha256": ending.sha256,
        "bytes": ending.bytes,
        "media_type": ending.media_type,
        "extractor": ending.extractor,
        "extract_seconds": ending.extract_seconds,
        "warnings": Jsonb([asdict(caveat) for caveat in ending.warnings]),
        "item_id": ending.item_id,
        "revision": ending.revision,
    }
    tx.execute(_SQL["finish_upload"], workspace_id=upload.workspace_id, upload_id=upload.id, now=now, **values)


def release_path(tx: Transaction, upload: Upload) -> int:
    """Count earlier, ended uploads to the same path no more; return how many those were."""
    return tx.execute(_SQL["release_path"], workspace_id=upload.workspace_id, path=upload.path, upload_id=upload.id)


def release_item(tx: Transaction, workspace_id: WorkspaceId, item_id: ItemId) -> int:
    """Count the ended uploads of an item no more; return how many those were."""
    return tx.execute(_SQL["release_item"], workspace_id=workspace_id, item_id=item_id)


def put_original(tx: Transaction, workspace_id: WorkspaceId, *, sha256: bytes, size: int, media_type: str) -> bool:
    """Keep an original's record; True where the workspace did not have it."""
    row = tx.fetch_one(
        _SQL["put_original"], workspace_id=workspace_id, sha256=sha256, bytes=size, media_type=media_type
    )
    return row is not None


def delete_upload(tx: Transaction, upload: Upload) -> None:
    """Forget an upload that this transaction has locked."""
    tx.execute(_SQL["delete_upload"], workspace_id=upload.workspace_id, upload_id=upload.id)


def delete_unused_original(tx: Transaction, workspace_id: WorkspaceId, *, sha256: bytes) -> int | None:
    """Forget an original that nothing refers to any more; return its size, or None where it stays."""
    row = tx.fetch_one(_SQL["delete_unused_original"], workspace_id=workspace_id, sha256=sha256)
    return row["bytes"] if row else None


def list_expired_uploads(tx: Transaction, *, now: datetime, limit: int) -> Sequence[Upload]:
    """Lock and read some uploads, of any workspace, whose bytes never arrived in time."""
    return [_upload(row) for row in tx.fetch_all(_SQL["list_expired_uploads"], now=now, limit=limit)]


def _upload(row: Row) -> Upload:
    # Not whatever the row has: a later version's migration runs before this one's functions are replaced.
    values = {name: row[name] for name in _UPLOAD_FIELDS}
    return Upload(
        state=UploadState(values.pop("state")),
        source=UploadSource(values.pop("source")),
        outcome=UploadOutcome(row["outcome"]) if row["outcome"] else None,
        warnings=tuple(Caveat(**caveat) for caveat in values.pop("warnings")),
        **{name: value for name, value in values.items() if name != "outcome"},
    )
