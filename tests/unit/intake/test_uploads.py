"""Uploads from their bytes to an item: once, whole, and with a reason where nothing comes of them."""

import hashlib
import io
import threading
from typing import Any

import pytest

from chalicelib.database.statements import Statement
from chalicelib.errors import LorebaseError
from chalicelib.identity.model import WorkspaceRole
from chalicelib.identity.rights import ActionForbidden
from chalicelib.intake import store
from chalicelib.intake.change_upload import delete_upload, expire_uploads, releasing_uploads
from chalicelib.intake.complete_upload import complete_upload
from chalicelib.intake.errors import ProgramRefused, UnsupportedType
from chalicelib.intake.model import UnchangedItem, Upload, UploadOutcome, UploadRequest, UploadState
from chalicelib.intake.start_upload import StartedUpload, start_upload
from chalicelib.intake.upload_errors import UploadNotFound, UploadNotReceived, UploadTooLarge
from chalicelib.items import store as items
from chalicelib.items.change_item import delete_item
from chalicelib.items.errors import InvalidPath, PathTaken, QuotaExceeded
from chalicelib.items.model import ItemClass
from chalicelib.items.quotas import read_usage
from tests.fixtures.lorebases import Lorebase


def _original_keys(lorebase: Lorebase) -> list[str]:
    return [stored.key for stored in lorebase.wired.originals.walk("")]


def _delete(lorebase: Lorebase, upload: Upload, *, with_item: bool = True) -> None:
    with lorebase.database.transaction() as tx:
        delete_upload(
            tx,
            principal=lorebase.owner,
            workspace_id=lorebase.workspace_id,
            upload_id=upload.id,
            with_item=with_item,
            rules=lorebase.wired.intake_rules,
            remove_from_index=lambda _tx, _workspace_id, _item_id: None,
        )


def _start(lorebase: Lorebase, path: str, content: bytes) -> StartedUpload | UnchangedItem:
    request = UploadRequest(
        path=path, filename="", attributes={}, bytes=len(content), sha256=hashlib.sha256(content).digest()
    )
    with lorebase.database.transaction() as tx:
        return start_upload(
            tx,
            principal=lorebase.owner,
            workspace_id=lorebase.workspace_id,
            request=request,
            rules=lorebase.wired.intake_rules,
            now=lorebase.clock.now(),
        )


def test_an_upload_becomes_an_item_with_its_original_kept_once(lorebase: Lorebase) -> None:
    content = b"---\ntags: [travel]\nowner: Ann\n---\n# Trips\n\nBook early.\n"
    upload = lorebase.upload("docs/trips.md", content, item_class="style")
    lorebase.drain()
    [item] = lorebase.items()
    done = lorebase.look_up(upload)
    assert (done.state, done.outcome, done.item_id) == (UploadState.SUCCEEDED, UploadOutcome.ADDED, item.id)
    assert (item.path, item.title, item.attributes.item_class) == ("docs/trips.md", "Trips", ItemClass.STYLE)
    assert (list(item.attributes.tags), item.attributes.metadata["owner"]) == (["travel"], "Ann")
    sha256 = hashlib.sha256(content).hexdigest()
    assert _original_keys(lorebase) == [f"originals/{lorebase.workspace_id}/{sha256}"]


def test_same_path_and_same_bytes_are_nothing_new(lorebase: Lorebase) -> None:
    lorebase.upload("a.txt", b"same words")
    lorebase.drain()
    again = lorebase.upload("a.txt", b"same words")
    assert isinstance(again, UnchangedItem)
    assert isinstance(_start(lorebase, "a.txt", b"same words"), UnchangedItem)
    assert [item.revision for item in lorebase.items()] == [1]


def test_other_bytes_at_the_path_are_the_next_revision(lorebase: Lorebase) -> None:
    lorebase.upload("a.txt", b"first words")
    lorebase.drain()
    upload = lorebase.upload("a.txt", b"other words")
    lorebase.drain()
    [item] = lorebase.items()
    assert (item.revision, lorebase.look_up(upload).outcome) == (2, UploadOutcome.UPDATED)


def test_the_same_bytes_at_two_paths_share_one_original(lorebase: Lorebase) -> None:
    lorebase.upload("a.txt", b"words")
    lorebase.upload("b.txt", b"words")
    lorebase.drain()
    assert [item.path for item in lorebase.items()] == ["a.txt", "b.txt"]
    assert len(_original_keys(lorebase)) == 1


def test_simultaneous_uploads_to_one_path_make_one_item(lorebase: Lorebase) -> None:
    """D-ING-3."""
    content = b"\n\n".join(b"# Part %d\n\nwords of it" % number for number in range(350))
    start = threading.Barrier(4)

    def upload() -> None:
        start.wait()
        lorebase.upload("same.md", content)
        lorebase.drain()

    threads = [threading.Thread(target=upload) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    lorebase.drain()
    [item] = lorebase.items()
    assert (item.path, item.revision) == ("same.md", 1)
    assert len(_original_keys(lorebase)) == 1


def test_a_presigned_upload_waits_for_its_bytes_and_is_completed_once(lorebase: Lorebase) -> None:
    started = _start(lorebase, "a.txt", b"the bytes")
    assert isinstance(started, StartedUpload)
    where: dict[str, Any] = {
        "principal": lorebase.owner,
        "workspace_id": lorebase.workspace_id,
        "upload_id": started.upload.id,
    }
    rules, now = lorebase.wired.intake_rules, lorebase.clock.now()
    with lorebase.database.transaction() as tx, pytest.raises(UploadNotReceived):
        complete_upload(tx, **where, rules=rules, now=now)
    lorebase.wired.originals.put(started.upload.source_key, io.BytesIO(b"the bytes"))
    for _ in range(2):
        with lorebase.database.transaction() as tx:
            complete_upload(tx, **where, rules=rules, now=now)
    lorebase.drain()
    with lorebase.database.transaction() as tx:
        complete_upload(tx, **where, rules=rules, now=now)
    lorebase.drain()
    assert [(item.path, item.revision) for item in lorebase.items()] == [("a.txt", 1)]


def test_bytes_that_are_not_the_announced_ones_fail_with_the_reason(lorebase: Lorebase) -> None:
    started = _start(lorebase, "a.txt", b"the bytes")
    assert isinstance(started, StartedUpload)
    lorebase.wired.originals.put(started.upload.source_key, io.BytesIO(b"THE BYTES"))
    with lorebase.database.transaction() as tx:
        complete_upload(
            tx,
            principal=lorebase.owner,
            workspace_id=lorebase.workspace_id,
            upload_id=started.upload.id,
            rules=lorebase.wired.intake_rules,
            now=lorebase.clock.now(),
        )
    lorebase.drain()
    done = lorebase.look_up(started.upload)
    assert (done.state, done.reason and done.reason["type"]) == (UploadState.FAILED, "upload-mismatch")


@pytest.mark.parametrize(
    ("path", "content", "error"),
    [
        ("a.bin", b"\x7fELF" + bytes(100), ProgramRefused),
        ("a.png", b"\x89PNG\r\n\x1a\n" + bytes(100), UnsupportedType),
        ("../a.txt", b"x", InvalidPath),
        ("a.txt", b"x" * 11, UploadTooLarge),
    ],
)
def test_what_is_not_taken_is_refused_at_once_and_leaves_nothing(
    lorebase: Lorebase, path: str, content: bytes, error: type[LorebaseError]
) -> None:
    lorebase.configure(upload_bytes=200 if error is not UploadTooLarge else 10)
    with pytest.raises(error):
        lorebase.upload(path, content)
    assert (lorebase.items(), _original_keys(lorebase)) == ([], [])


def test_an_upload_deleted_before_it_is_extracted_leaves_nothing(lorebase: Lorebase) -> None:
    """D-ING-4."""
    upload = lorebase.upload("a.txt", b"five megabytes, so to speak")
    _delete(lorebase, upload)
    lorebase.drain()
    with pytest.raises(UploadNotFound):
        lorebase.look_up(upload)
    with lorebase.database.transaction() as tx:
        usage = read_usage(tx, lorebase.workspace_id, lorebase.wired.item_rules.quotas)
    assert {use.used for use in usage.values()} == {0}
    assert (lorebase.items(), _original_keys(lorebase)) == ([], [])
    lorebase.upload("a.txt", b"five megabytes, so to speak")
    lorebase.drain()
    assert [item.path for item in lorebase.items()] == ["a.txt"]


def test_deleting_an_upload_can_keep_its_item_and_keeps_bytes_that_others_need(lorebase: Lorebase) -> None:
    first = lorebase.upload("a.txt", b"words")
    second = lorebase.upload("b.txt", b"words")
    lorebase.drain()
    _delete(lorebase, first)
    assert ([item.path for item in lorebase.items()], len(_original_keys(lorebase))) == (["b.txt"], 1)
    _delete(lorebase, second, with_item=False)
    assert [item.path for item in lorebase.items()] == ["b.txt"]


def test_only_the_latest_upload_of_a_path_counts_and_none_of_a_deleted_item(lorebase: Lorebase) -> None:
    quotas = lorebase.wired.item_rules.quotas
    counted = []
    for content in (b"one", b"two", b"three"):
        upload = lorebase.upload("a.txt", content)
        lorebase.drain()
        with lorebase.database.transaction() as tx:
            counted.append(read_usage(tx, lorebase.workspace_id, quotas)["uploads"].used)
    [item] = lorebase.items()
    with lorebase.database.transaction() as tx:
        delete_item(
            tx,
            principal=lorebase.owner,
            workspace_id=lorebase.workspace_id,
            item_id=item.id,
            expected_revision=None,
            rules=lorebase.wired.item_rules,
            remove_from_index=releasing_uploads(lambda _tx, _workspace_id, _item_id: None),
        )
        counted.append(read_usage(tx, lorebase.workspace_id, quotas)["uploads"].used)
    _delete(lorebase, upload)
    with lorebase.database.transaction() as tx:
        counted.append(read_usage(tx, lorebase.workspace_id, quotas)["uploads"].used)
    assert counted == [1, 1, 1, 0, 0]


def test_a_full_workspace_refuses_with_the_limit(lorebase: Lorebase) -> None:
    lorebase.configure(quota_uploads=1)
    lorebase.upload("a.txt", b"words")
    with pytest.raises(QuotaExceeded) as raised:
        lorebase.upload("b.txt", b"other words")
    assert raised.value.members["quota"] == "uploads"


def test_a_viewer_uploads_nothing(lorebase: Lorebase) -> None:
    lorebase.owner = lorebase.member(WorkspaceRole.VIEWER)
    with pytest.raises(ActionForbidden):
        lorebase.upload("a.txt", b"words")


def test_uploads_whose_bytes_never_come_are_forgotten(lorebase: Lorebase) -> None:
    started = _start(lorebase, "a.txt", b"the bytes")
    assert isinstance(started, StartedUpload)
    lorebase.clock.move(hours=25)
    with lorebase.database.transaction() as tx:
        assert expire_uploads(tx, rules=lorebase.wired.intake_rules, now=lorebase.clock.now()) == 1
        assert store.take_upload(tx, lorebase.workspace_id, started.upload.id) is None


_HIDE = Statement("hide", "Keep items from everybody.", b"update items set audience_id = null")


def test_an_upload_onto_an_item_that_its_uploader_may_not_read_is_refused(lorebase: Lorebase) -> None:
    lorebase.upload("a.txt", b"kept from you")
    lorebase.drain()
    with lorebase.database.transaction() as tx:
        tx.execute(_HIDE)
    with pytest.raises(PathTaken):
        lorebase.upload("a.txt", b"an overwriting")


def test_an_upload_onto_an_item_that_is_kept_from_its_uploader_meanwhile_changes_nothing(lorebase: Lorebase) -> None:
    lorebase.upload("a.txt", b"kept from you")
    lorebase.drain()
    upload = lorebase.upload("a.txt", b"an overwriting")
    with lorebase.database.transaction() as tx:
        tx.execute(_HIDE)
    lorebase.drain()
    with lorebase.database.transaction() as tx:
        done = store.take_upload(tx, lorebase.workspace_id, upload.id)
        assert done is not None
        reason = done.reason and done.reason["type"]
        assert (done.state, reason, done.item_id) == (UploadState.FAILED, "path-taken", None)
        item = items.lock_item_at_path(tx, lorebase.workspace_id, "a.txt")
    assert item is not None
    assert item.revision == 1
