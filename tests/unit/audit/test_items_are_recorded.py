"""What happens to items and uploads is recorded: who did what to which, and nothing of what they say."""

import io
from collections.abc import Callable
from typing import Any

from chalicelib.index.swap import remove_from_index
from chalicelib.intake.change_upload import delete_upload, expire_uploads, releasing_uploads, retry_upload
from chalicelib.intake.complete_upload import complete_upload
from chalicelib.intake.model import UploadRequest
from chalicelib.intake.read_uploads import presign_original
from chalicelib.intake.receive_drop import DroppedObject, receive_drop
from chalicelib.intake.start_upload import start_upload
from chalicelib.items.change_item import change_item, delete_item, retry_indexing
from chalicelib.items.model import Attributes, Draft, Item, ItemStatus
from tests.fixtures.activity import recorded, recorded_by
from tests.fixtures.lorebases import Lorebase

WORDS = {"kind": "page", "class": "freeform", "scope": "library", "status": "active", "language": None}
FILE_WORDS = {**WORDS, "kind": "file"}
SECRETS = ("Plan-of-the-board.md", "The hidden title", "Nobody outside may read this sentence.", "renamed-board.md")


def run(lorebase: Lorebase, use_case: Callable[..., Any], **given: Any) -> tuple[Any, list[dict[str, Any]]]:
    def do() -> Any:
        with lorebase.database.transaction() as tx:
            return use_case(tx, principal=lorebase.owner, workspace_id=lorebase.workspace_id, **given)

    return recorded_by(lorebase.database, do)


def change(lorebase: Lorebase, item: Item, changed: Callable[[Draft], Draft]) -> list[dict[str, Any]]:
    rules = lorebase.wired.item_rules
    return run(lorebase, change_item, item_id=item.id, expected_revision=None, change=changed, rules=rules)[1]


def told(entries: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    return [
        tuple(entry[name] for name in ("action", "actor_name", "subject_id", "before", "after")) for entry in entries
    ]


def test_an_item_from_its_first_to_its_last_revision(lorebase: Lorebase) -> None:
    path, title, body, other = SECRETS
    item, entries = recorded_by(lorebase.database, lambda: lorebase.add_item(path, body, title=title))
    assert told(entries) == [("item.created", "Ann", item.id, None, {"revision": 1, **WORDS})]

    def rewritten(draft: Draft) -> Draft:
        attributes = Attributes(status=ItemStatus.ARCHIVED, tags=[title], description=body)
        return Draft(path=draft.path, title=title + "!", body=body + body, attributes=attributes)

    changed = ["body", "description", "status", "tags", "title"]
    assert told(change(lorebase, item, rewritten)) == [
        (
            "item.changed",
            "Ann",
            item.id,
            {"revision": 1, "status": "active"},
            {"revision": 2, "status": "archived", "changed": changed},
        )
    ]
    assert change(lorebase, item, lambda draft: draft) == []

    def moved(draft: Draft) -> Draft:
        return Draft(path=other, title=draft.title, body=draft.body, attributes=draft.attributes)

    assert told(change(lorebase, item, moved)) == [
        ("item.moved", "Ann", item.id, {"revision": 2}, {"revision": 3, "changed": ["path"], "readers_changed": False})
    ]
    rules = lorebase.wired.item_rules
    lorebase.drain()
    _, entries = run(lorebase, retry_indexing, item_id=item.id, rules=rules)
    assert told(entries) == [("item.retried", "Ann", item.id, {"state": "text_ready"}, None)]
    _, entries = run(
        lorebase,
        delete_item,
        item_id=item.id,
        expected_revision=None,
        rules=rules,
        remove_from_index=remove_from_index,
    )
    assert told(entries) == [("item.deleted", "Ann", item.id, {"revision": 3}, None)]
    assert not [entry["id"] for entry in recorded(lorebase.database) if entry["is_kept_from_owners"]]
    everything = str(recorded(lorebase.database))
    assert [secret for secret in SECRETS if secret in everything] == []


def test_an_upload_is_recorded_by_its_uploader_also_where_a_worker_goes_on(lorebase: Lorebase) -> None:
    path, _, body, _ = SECRETS
    upload, entries = recorded_by(lorebase.database, lambda: lorebase.upload(path, body.encode()))
    assert told(entries) == [("upload.received", "Ann", upload.id, None, {"bytes": len(body)})]
    _, entries = recorded_by(lorebase.database, lorebase.drain)
    item_id = lorebase.look_up(upload).item_id
    origin = {"upload_id": str(upload.id)}
    assert told(entries) == [("item.created", "Ann", item_id, None, {"revision": 1, **FILE_WORDS, **origin})]
    again, _ = recorded_by(lorebase.database, lambda: lorebase.upload(path, body.encode() * 2))
    _, entries = recorded_by(lorebase.database, lorebase.drain)
    assert told(entries) == [
        (
            "item.changed",
            "Ann",
            item_id,
            {"revision": 1},
            {"revision": 2, "changed": ["body", "original"], "upload_id": str(again.id)},
        )
    ]
    rules = lorebase.wired.intake_rules
    _, entries = run(lorebase, presign_original, upload_id=again.id, rules=rules)
    assert told(entries) == [("original.downloaded", "Ann", again.id, None, {"bytes": 2 * len(body)})]
    removal = releasing_uploads(remove_from_index)
    _, entries = run(
        lorebase, delete_upload, upload_id=again.id, with_item=True, rules=rules, remove_from_index=removal
    )
    assert told(entries) == [
        ("upload.deleted", "Ann", again.id, {"state": "succeeded"}, None),
        ("item.deleted", "Ann", item_id, {"revision": 2}, None),
    ]
    assert not [entry["id"] for entry in recorded(lorebase.database) if entry["is_kept_from_owners"]]
    everything = str(recorded(lorebase.database))
    assert [secret for secret in SECRETS if secret in everything] == []


def test_an_upload_that_is_announced_arrives_once_or_expires(lorebase: Lorebase) -> None:
    rules, now = lorebase.wired.intake_rules, lorebase.clock.now()
    requests = [UploadRequest(path=f"{name}.md", filename="", attributes={}, bytes=4) for name in ("a", "b")]
    (started, first), (lost, _) = (
        run(lorebase, start_upload, request=request, rules=rules, now=now) for request in requests
    )
    assert told(first) == [("upload.started", "Ann", started.upload.id, None, {"bytes": 4})]
    rules.originals.put(started.upload.source_key, io.BytesIO(b"text"))
    for expected in ([("upload.received", "Ann", started.upload.id, None, {"bytes": 4})], []):
        _, entries = run(lorebase, complete_upload, upload_id=started.upload.id, rules=rules, now=now)
        assert told(entries) == expected
    lorebase.clock.move(days=3)

    def expire() -> None:
        with lorebase.database.transaction() as tx:
            expire_uploads(tx, rules=rules, now=lorebase.clock.now())

    _, entries = recorded_by(lorebase.database, expire)
    assert told(entries) == [("upload.expired", None, lost.upload.id, {"state": "pending"}, None)]


def test_a_drop_is_recorded_as_nobodys(lorebase: Lorebase) -> None:
    dropped = DroppedObject(workspace="main", path="d.md", key="drop/main/d.md", size=7, sequencer="1")

    def drop() -> Any:
        with lorebase.database.transaction() as tx:
            return receive_drop(tx, dropped, rules=lorebase.wired.intake_rules, now=lorebase.clock.now())

    upload, entries = recorded_by(lorebase.database, drop)
    assert told(entries) == [("upload.dropped", None, upload.id, None, {"bytes": 7})]
    assert recorded_by(lorebase.database, drop) == (None, [])


def test_what_could_not_be_read_is_recorded_and_so_is_another_try(lorebase: Lorebase) -> None:
    upload = lorebase.upload("broken.pdf", b"%PDF-1.7\nnothing that is one")
    _, entries = recorded_by(lorebase.database, lorebase.drain)
    [(action, name, _, _, after)] = told(entries)
    reason = lorebase.look_up(upload).reason
    assert reason is not None
    assert (action, name) == ("item.created", "Ann")
    assert (after["upload_id"], after["reason"]) == (str(upload.id), reason["type"])
    _, entries = run(lorebase, retry_upload, upload_id=upload.id, rules=lorebase.wired.intake_rules)
    assert told(entries) == [("upload.retried", "Ann", upload.id, {"state": "failed"}, None)]
