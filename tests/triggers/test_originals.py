import hashlib
import io
import logging
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from chalicelib.database.database import Database
from chalicelib.intake import store
from chalicelib.intake.model import UploadState
from chalicelib.intake.store import Ending
from chalicelib.platform.local.clock import SystemClock
from chalicelib.platform.local.originals import LocalOriginals
from chalicelib.platform.local.presigning import Presigner
from chalicelib.triggers.originals import EventNotTaken, receive_or_raise, receive_originals
from tests.fixtures.aws import sqs_event
from tests.fixtures.jobs import RememberingDoorbell
from tests.fixtures.reception import ReceptionRoom, drop_event, object_created

DONE: dict[str, list[str]] = {"batchItemFailures": []}


@pytest.fixture
def bell() -> RememberingDoorbell:
    return RememberingDoorbell()


@pytest.fixture
def room(database: Database, tmp_path: Path, bell: RememberingDoorbell) -> ReceptionRoom:
    presigner = Presigner(b"key", address=lambda: "http://localhost", clock=SystemClock())
    return ReceptionRoom(database, LocalOriginals(tmp_path, presigner=presigner), bell)


def receive(room: ReceptionRoom, event: dict[str, Any]) -> object:
    return receive_originals(event, reception=room.reception)


@pytest.mark.parametrize("by", ["slug", "id"])
def test_a_drop_becomes_an_upload_at_its_path_with_a_job(
    room: ReceptionRoom, bell: RememberingDoorbell, by: str
) -> None:
    workspace = room.foundation.workspace
    key = f"drop/{workspace.slug if by == 'slug' else workspace.id}/q1 + q2/überblick (1).pdf"
    assert receive(room, drop_event((key, "01"))) == DONE
    (upload,) = room.uploads()
    assert (upload.path, upload.source_key, upload.source) == ("q1 + q2/überblick (1).pdf", key, "drop")
    assert upload.received_at is not None
    assert [ring.kind for ring in bell.rings] == ["extract_upload"]


def test_a_drop_told_twice_is_noted_once(room: ReceptionRoom, bell: RememberingDoorbell) -> None:
    event = drop_event(("drop/acme/a.txt", "01"))
    assert receive(room, event) == DONE
    assert receive(room, event) == DONE
    assert receive(room, drop_event(("drop/acme/b.txt", "01"), ("drop/acme/b.txt", "01"))) == DONE
    assert [upload.path for upload in room.uploads()] == ["a.txt", "b.txt"]
    assert len(bell.rings) == 2


def test_simultaneous_deliveries_of_a_drop_note_it_once(room: ReceptionRoom) -> None:
    event = drop_event(("drop/acme/a.txt", "01"))
    with ThreadPoolExecutor(4) as threads:
        answers = list(threads.map(lambda _: receive(room, event), range(8)))
    assert answers == [DONE] * 8
    assert len(room.uploads()) == 1


def test_a_replaced_drop_is_noted_anew_and_a_late_event_is_not(room: ReceptionRoom) -> None:
    for sequencer in ("0055AED6DCD90281E5", "0055AED6DCD90281E501", "0055AED6DCD90281E4", "0055aed6dcd90281e5"):
        assert receive(room, drop_event(("drop/acme/a.txt", sequencer))) == DONE
    assert len(room.uploads()) == 2


@pytest.mark.parametrize(
    "key",
    [
        "drop/nobody/a.txt",
        "drop/00000000-0000-7000-8000-000000000000/a.txt",
        "drop/acme",
        "drop/",
        "elsewhere/a.txt",
        "a.txt",
        "",
        "staging/x/y",
        "staging/00000000-0000-7000-8000-000000000000/00000000-0000-7000-8000-000000000000",
    ],
)
def test_what_is_nobodys_is_acknowledged(room: ReceptionRoom, key: str, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG, "chalicelib.triggers"):
        assert receive(room, drop_event((key, "01"))) == DONE
    assert room.uploads() == []
    assert len(caplog.messages) == 1


@pytest.mark.parametrize("key", ["drop/acme/folder/", "drop/acme/", "originals/x/y"])
def test_folder_markers_and_our_own_copies_are_ignored_without_a_warning(
    room: ReceptionRoom, key: str, caplog: pytest.LogCaptureFixture
) -> None:
    assert receive(room, drop_event((key, "01"))) == DONE
    assert room.uploads() == []
    assert [record for record in caplog.records if record.levelno >= logging.WARNING] == []


def test_one_bad_record_harms_no_other(room: ReceptionRoom) -> None:
    event = drop_event(*((f"drop/acme/{number}.txt", "01") for number in range(4)))
    event["Records"][1]["body"] = "no event"
    event["Records"][2] = drop_event(("drop/nobody/2.txt", "01"))["Records"][0]
    failure = {"itemIdentifier": event["Records"][1]["messageId"]}
    assert receive(room, event) == {"batchItemFailures": [failure]}
    assert [upload.path for upload in room.uploads()] == ["0.txt", "3.txt"]


def test_each_object_of_a_record_is_taken_alone(room: ReceptionRoom) -> None:
    records = [
        {
            "eventName": "ObjectCreated:Put",
            "eventTime": "2026-01-01T00:00:00.000Z",
            "s3": {"object": {"key": key, "size": 1, "sequencer": "01"}},
        }
        for key in ("drop/nobody/a.txt", "drop/acme/x%252By.txt", "drop/acme/b+c.txt")
    ]
    assert receive(room, sqs_event({"Records": records})) == DONE
    assert [upload.path for upload in room.uploads()] == ["x%2By.txt", "b c.txt"]


def test_a_presigned_upload_is_completed_by_its_event_once(room: ReceptionRoom, bell: RememberingDoorbell) -> None:
    upload = room.start_upload("a.txt", 5).upload
    room.originals.put(upload.source_key, io.BytesIO(b"hello"))
    event = drop_event((upload.source_key, "01"), (upload.source_key, "01"))
    assert receive(room, event) == DONE
    assert receive(room, event) == DONE
    (noted,) = room.uploads()
    assert noted.received_at is not None
    assert len(bell.rings) == 1


def test_an_upload_of_another_size_waits_for_the_right_one(room: ReceptionRoom, bell: RememberingDoorbell) -> None:
    upload = room.start_upload("a.txt", 5).upload
    room.originals.put(upload.source_key, io.BytesIO(b"four"))
    assert receive(room, drop_event((upload.source_key, "01"))) == DONE
    assert bell.rings == []
    room.originals.put(upload.source_key, io.BytesIO(b"hello"))
    assert receive(room, drop_event((upload.source_key, "02"))) == DONE
    assert len(bell.rings) == 1


def test_while_the_database_is_away_the_event_stays_in_its_queue(room: ReceptionRoom) -> None:
    away = Database("postgresql://127.0.0.1:9/nowhere?connect_timeout=1", acquire_seconds=0.5)
    event = sqs_event(object_created("drop/acme/a.txt"))
    failure = {"itemIdentifier": event["Records"][0]["messageId"]}
    reception = replace(room.reception, database=away)
    assert receive_originals(event, reception=reception) == {"batchItemFailures": [failure]}
    with pytest.raises(EventNotTaken):
        receive_or_raise(event, reception=reception)
    away.close()
    receive_or_raise(event, reception=room.reception)
    assert len(room.uploads()) == 1


@pytest.mark.parametrize(
    ("key", "path"),
    [("drop/acme/../x", "../x"), ("drop/acme//x", "/x"), ("drop/acme/e\u202evil.txt", "evil.txt")],
)
def test_a_drop_that_cannot_be_taken_is_shown_as_a_failed_upload_once(
    room: ReceptionRoom, bell: RememberingDoorbell, key: str, path: str
) -> None:
    for _ in range(2):
        assert receive(room, drop_event((key, "01"))) == DONE
    (upload,) = room.uploads()
    assert (upload.path, upload.state, upload.reason and upload.reason["type"]) == (path, "failed", "invalid-path")
    assert bell.rings == []


def test_a_full_workspace_shows_what_it_could_not_take(room: ReceptionRoom) -> None:
    room.rules = replace(room.rules, items=replace(room.rules.items, quotas=replace(room.quotas, uploads=0)))
    room.reception = replace(room.reception, rules=room.rules)
    assert receive(room, drop_event(("drop/acme/a.txt", "01"))) == DONE
    (upload,) = room.uploads()
    assert (upload.state, upload.reason and upload.reason["type"]) == ("failed", "quota-exceeded")


def test_bytes_that_come_after_their_upload_was_deleted_are_not_kept(room: ReceptionRoom) -> None:
    started = room.start_upload("a.txt", 5)
    room.originals.put(started.upload.source_key, io.BytesIO(b"bytes"))
    with room.database.transaction() as tx:
        store.delete_upload(tx, started.upload)
    assert receive(room, sqs_event(object_created(started.upload.source_key, size=5))) == DONE
    assert room.originals.find(started.upload.source_key) is None


def test_bytes_that_come_again_after_they_were_taken_in_are_not_kept(room: ReceptionRoom) -> None:
    started = room.start_upload("a.txt", 5)
    key, sha256 = started.upload.source_key, hashlib.sha256(b"bytes").digest()
    for is_taken_in in (False, True):
        room.originals.put(key, io.BytesIO(b"bytes"))
        assert receive(room, sqs_event(object_created(key, size=5))) == DONE
        assert (room.originals.find(key) is None) is is_taken_in
        with room.database.transaction() as tx:
            store.put_original(tx, started.upload.workspace_id, sha256=sha256, size=5, media_type="text/plain")
            ending = Ending(state=UploadState.SUCCEEDED, sha256=sha256)
            store.finish_upload(tx, started.upload, ending, now=room.clock.now())
