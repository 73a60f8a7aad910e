"""The job that makes an upload an item: hash, sniff, deduplicate, extract, and one transaction at the end."""

import hashlib
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from uuid import UUID

from chalicelib.access.store import put_audiences_of_uploads_of, put_audiences_of_uploads_to, share_places
from chalicelib.database.transaction import Transaction
from chalicelib.errors import LorebaseError, Rejected
from chalicelib.identity.model import WorkspaceId
from chalicelib.identity.rights import ActionForbidden
from chalicelib.intake import store
from chalicelib.intake.errors import ExtractionFailed, NoTextFound
from chalicelib.intake.extract.formats import require_taken
from chalicelib.intake.extract.model import Extract
from chalicelib.intake.model import Upload, UploadState, original_key, problem_of
from chalicelib.intake.put_file import find_holder, is_shown_as_item, put_failed_file, put_file
from chalicelib.intake.reception import IntakeRules, check_size
from chalicelib.intake.scratch import scratch_folder
from chalicelib.intake.sniff import MediaType, sniff_file
from chalicelib.intake.store import Ending
from chalicelib.intake.upload_errors import UploadMismatch
from chalicelib.items import usage_store
from chalicelib.items.errors import PathTaken
from chalicelib.items.model import Caveat, ItemId, Original, UploadId
from chalicelib.items.quotas import charge
from chalicelib.items.store import lock_item_at_path
from chalicelib.jobs.lease import LeasedJob
from chalicelib.jobs.model import Job
from chalicelib.jobs.problem import Problem as JobProblem
from chalicelib.platform.errors import OriginalNotFound
from chalicelib.platform.ports import Clock

ReadExtract = Callable[[Path, MediaType, str], Extract]
"""Reads the Markdown out of a file that its uploader called so; raises a leaf of ExtractionFailed."""

_BLOCK = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Reading:
    """What reading an upload came to. `extract` is None where it was not needed or `error` says why not."""

    original: Original | None = None
    extract: Extract | None = None
    error: LorebaseError | None = None
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class UploadExtraction:
    """The handler of the kind `extract_upload`, with what it works with."""

    rules: IntakeRules
    read_extract: ReadExtract
    clock: Clock

    def handle(self, job: LeasedJob) -> None:
        """Do the work of one job; an upload that is gone or ended by now is done."""
        with job.fenced() as tx:
            upload = _take(tx, job.job)
            if upload is not None:
                store.mark_running(tx, upload)
        if upload is None:
            with job.finish():
                return
        with scratch_folder() as folder:
            reading = self._read(job, upload, folder / "original")
        try:
            with job.finish() as tx:
                self._conclude(tx, job.job, reading)
        except (Rejected, PathTaken, ActionForbidden) as error:
            # No room, or what cannot be an item here: the bytes stay where they arrived, for a retry.
            with job.finish() as tx:
                self._conclude(tx, job.job, Reading(error=error))
            job.is_refused = True
            return
        job.is_refused = reading.error is not None and not isinstance(reading.error, NoTextFound)
        if upload.source_key.startswith("staging/"):
            self.rules.originals.delete(upload.source_key)

    def on_dead(self, tx: Transaction, job: Job, problem: JobProblem) -> None:
        """Show on the upload, and where its item would have come to lie, why nothing came of it."""
        upload = _take(tx, job)
        if upload is not None:
            reason = {"type": problem.type, "title": problem.title, "detail": problem.detail}
            item_id = put_failed_file(tx, upload, reason, rules=self.rules.items)
            store.finish_upload(
                tx,
                upload,
                Ending(state=UploadState.FAILED, reason=reason, item_id=item_id),
                now=self.clock.now(),
            )
            if item_id is not None:
                put_audiences_of_uploads_of(tx, upload.workspace_id, item_id)

    def _read(self, job: LeasedJob, upload: Upload, path: Path) -> Reading:
        try:
            original = self._fetch(upload, path)
        except (Rejected, OriginalNotFound) as error:
            return Reading(error=error)
        try:
            with job.fenced() as tx:
                if find_holder(tx, upload, sha256=original.sha256):
                    return Reading(original)
        except (PathTaken, ActionForbidden) as error:
            return Reading(error=error)
        self._keep(upload, original, path)
        job.require_lease()
        started = time.monotonic()
        try:
            extract = self.read_extract(path, MediaType(original.media_type), upload.filename)
        except ExtractionFailed as error:
            return Reading(original, error=error, seconds=time.monotonic() - started)
        return Reading(original, extract, seconds=time.monotonic() - started)

    def _fetch(self, upload: Upload, path: Path) -> Original:
        digest, size = hashlib.sha256(), 0
        key = original_key(upload.workspace_id, upload.sha256) if upload.sha256 else upload.source_key
        with self.rules.originals.open(key) as source, path.open("wb") as target:
            while block := source.read(_BLOCK):
                size += len(block)
                check_size(size, rules=self.rules)
                digest.update(block)
                target.write(block)
        if upload.declared_sha256 not in {None, digest.digest()}:
            raise UploadMismatch("The SHA-256 of the bytes is not the one announced; send them again.")
        media_type = sniff_file(path, upload.filename)
        require_taken(media_type, upload.filename)
        return Original(upload.id, digest.digest(), size, media_type)

    def _keep(self, upload: Upload, original: Original, path: Path) -> None:
        """Keep the very bytes that were hashed: those under the source's key may have been replaced meanwhile."""
        key = original_key(upload.workspace_id, original.sha256)
        stored = self.rules.originals.find(key)
        if stored is None or stored.size != original.bytes:
            with path.open("rb") as content:
                self.rules.originals.put(key, content)

    def _conclude(self, tx: Transaction, job: Job, reading: Reading) -> None:
        upload = _take(tx, job)
        if upload is None:
            return
        original, error = reading.original, reading.error
        if original is None or (error is not None and not isinstance(error, NoTextFound)):
            self._conclude_failed(tx, upload, reading)
            return
        extract = Extract(body="", extractor="none") if error else reading.extract
        placed = put_file(tx, upload, original, extract, rules=self.rules.items)
        ending = Ending(
            state=UploadState.SKIPPED if error else UploadState.SUCCEEDED,
            reason=problem_of(error) if error else None,
            outcome=placed.outcome,
            item_id=placed.item_id,
            revision=placed.revision,
        )
        self._finish(tx, upload, _with_reading(ending, reading))

    def _conclude_failed(self, tx: Transaction, upload: Upload, reading: Reading) -> None:
        if reading.error is None:
            raise LookupError(f"upload {upload.id} failed without a reason")
        reason = problem_of(reading.error)
        item_id: ItemId | None = None
        # A workspace that is full has no room for a failed item either.
        if is_shown_as_item(reading.error) and isinstance(reading.error, ExtractionFailed | UploadMismatch):
            item_id = put_failed_file(tx, upload, reason, rules=self.rules.items)
        ending = Ending(state=UploadState.FAILED, reason=reason, item_id=item_id)
        self._finish(tx, upload, _with_reading(ending, reading))
        taken_by = (
            lock_item_at_path(tx, upload.workspace_id, upload.path) if isinstance(reading.error, PathTaken) else None
        )
        if taken_by is not None:
            # What it says tells of an item that is kept from others who may read in the folder.
            put_audiences_of_uploads_to(tx, upload.workspace_id, taken_by.id)

    def _finish(self, tx: Transaction, upload: Upload, ending: Ending) -> None:
        if ending.sha256 is not None and ending.bytes is not None:
            added = store.put_original(
                tx,
                upload.workspace_id,
                sha256=ending.sha256,
                size=ending.bytes,
                media_type=ending.media_type or "",
            )
            if added:
                charge(tx, upload.workspace_id, self.rules.items.quotas, original_bytes=ending.bytes)
        store.finish_upload(tx, upload, ending, now=self.clock.now())
        if ending.item_id is not None:
            put_audiences_of_uploads_of(tx, upload.workspace_id, ending.item_id)
        released = store.release_path(tx, upload)
        if released:
            usage_store.add_usage(tx, upload.workspace_id, {"uploads": -released})


def _with_reading(ending: Ending, reading: Reading) -> Ending:
    original, extract = reading.original, reading.extract
    return replace(
        ending,
        sha256=original.sha256 if original else None,
        bytes=original.bytes if original else None,
        media_type=original.media_type if original else None,
        extractor=extract.extractor if extract else None,
        extract_seconds=round(reading.seconds, 3) if reading.seconds else None,
        warnings=[Caveat(warning.code, warning.detail, warning.count) for warning in extract.warnings]
        if extract
        else (),
    )


def _take(tx: Transaction, job: Job) -> Upload | None:
    """Lock the job's upload; None where it is gone or has ended."""
    if job.workspace_id is None:
        raise LookupError(f"job {job.id} names no workspace")
    # Before the upload's row: who says who may read waits for rows with the places in hand.
    share_places(tx, WorkspaceId(job.workspace_id))
    upload = store.take_upload(tx, WorkspaceId(job.workspace_id), UploadId(UUID(str(job.payload["upload_id"]))))
    return upload if upload and upload.finished_at is None else None
