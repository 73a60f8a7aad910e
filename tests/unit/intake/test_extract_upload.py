import hashlib
import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from chalicelib.database.database import Database
from chalicelib.intake.extract.model import Extract
from chalicelib.intake.extract_upload import UploadExtraction
from chalicelib.intake.reception import EXTRACT_UPLOAD
from chalicelib.intake.sniff import MediaType
from chalicelib.jobs.handlers import Registration
from chalicelib.jobs.model import JobId
from chalicelib.jobs.perform_job import Performance, Worker, perform_job
from chalicelib.platform.local.clock import SystemClock
from chalicelib.platform.local.originals import LocalOriginals
from chalicelib.platform.local.presigning import Presigner
from chalicelib.triggers.originals import receive_originals
from tests.fixtures.jobs import RememberingDoorbell
from tests.fixtures.reception import ReceptionRoom, drop_event


class ReplacedOriginals(LocalOriginals):
    """A store whose dropped objects are replaced as soon as they have been read."""

    @contextmanager
    def open(self, key: str) -> Iterator[BinaryIO]:
        with super().open(key) as content:
            yield content
        if key.startswith("drop/"):
            self.put(key, io.BytesIO(b"later"))


def read_text(path: Path, _media_type: MediaType, _filename: str) -> Extract:
    return Extract(body=path.read_text("utf-8"), extractor="test")


def test_an_original_is_what_was_hashed_even_where_its_source_is_replaced_meanwhile(
    database: Database, tmp_path: Path
) -> None:
    presigner = Presigner(b"key", address=lambda: "http://localhost", clock=SystemClock())
    bell = RememberingDoorbell()
    room = ReceptionRoom(database, ReplacedOriginals(tmp_path, presigner=presigner), bell)
    room.originals.put("drop/acme/a.txt", io.BytesIO(b"first"))
    receive_originals(drop_event(("drop/acme/a.txt", "01")), reception=room.reception)
    extraction = UploadExtraction(room.rules, read_text, room.clock)
    worker = Worker(database, room.jobs, {EXTRACT_UPLOAD: Registration(extraction.handle)}, "test")
    assert perform_job(worker, JobId(bell.rings[0].job_id)) is Performance.DONE
    (kept,) = room.originals.walk("originals/")
    with room.originals.open(kept.key) as content:
        assert hashlib.sha256(content.read()).hexdigest() == kept.key.rpartition("/")[2]
    (upload,) = room.uploads()
    assert (upload.state, upload.sha256) == ("succeeded", hashlib.sha256(b"first").digest())
