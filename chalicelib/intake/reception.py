"""What a deployment lets uploads be, and the steps that every way in shares."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from chalicelib.database.transaction import Transaction
from chalicelib.intake.model import Upload
from chalicelib.intake.upload_errors import UploadTooLarge
from chalicelib.items.write_item import ItemRules
from chalicelib.platform.ports import Originals

EXTRACT_UPLOAD = "extract_upload"
"""The kind of the job that reads an upload's bytes and makes them an item."""

CONCURRENT_INTAKES = 4
"""How many uploads of one workspace are extracted at a time."""

_DOWNLOADABLE_FOR = timedelta(seconds=60)


@dataclass(frozen=True, slots=True)
class IntakeRules:
    """Limits and collaborators of intake.

    `awaited_for` is how long the bytes of a started upload may take. `downloadable_for` is short, since no store
    asks again who may read once a URL is signed; it is asked for when a download begins, however long that takes.
    """

    items: ItemRules
    originals: Originals
    upload_bytes: int
    presigned_for: timedelta
    awaited_for: timedelta = timedelta(hours=24)

    @property
    def downloadable_for(self) -> timedelta:
        """How long a signed URL of an original is good."""
        return min(self.presigned_for, _DOWNLOADABLE_FOR)


def check_size(size: int, *, rules: IntakeRules) -> None:
    """Raise UploadTooLarge where a file is over the limit."""
    if size > rules.upload_bytes:
        raise UploadTooLarge(
            f"A file has at most {rules.upload_bytes} bytes, this one has {size}; split it.",
            limit=rules.upload_bytes,
            bytes=size,
        )


def enqueue_extraction(
    tx: Transaction, upload: Upload, *, rules: IntakeRules, not_before: datetime | None = None
) -> None:
    """Promise that the upload's bytes are made an item.

    Serial keys share out CONCURRENT_INTAKES slots, so that one workspace's flood leaves workers to the others.
    """
    slot = upload.id.int % CONCURRENT_INTAKES
    rules.items.jobs.enqueue(
        tx,
        kind=EXTRACT_UPLOAD,
        key=str(upload.id),
        payload={"upload_id": str(upload.id)},
        workspace_id=upload.workspace_id,
        serial_key=f"intake:{upload.workspace_id}:{slot}",
        not_before=not_before,
    )
