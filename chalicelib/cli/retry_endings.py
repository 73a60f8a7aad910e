"""Waits for what was retried, and tells what came of it."""

from collections.abc import Sequence

from chalicelib.cli.batch import Batch
from chalicelib.cli.client import Json
from chalicelib.cli.session import Session
from chalicelib.cli.upload_endings import ending_of_item, note_ending
from chalicelib.cli.upload_report import Outcome, UploadReport
from chalicelib.cli.waiting import Patience, await_items, await_uploads


def see_endings(session: Session, batch: Batch, things: Sequence[Json], *, patience: Patience) -> None:
    """Wait for the `things` of the batch that are promised; those that fail once more go from its done to its failed.

    Each of the things has `collection` beside `id` and `path`: `uploads` or `items`.
    """
    client, url = session.client, session.workspace_url
    promised = [thing for thing in things if thing["id"] in {done["id"] for done in batch.done}]
    upload_ids = [thing["id"] for thing in promised if thing["collection"] == "uploads"]
    with session.printer.progress() as stages:
        uploads = await_uploads(client, url, upload_ids, patience=patience, stages=stages)
        item_ids = {thing["id"] for thing in promised if thing["collection"] == "items"}
        item_ids |= {str(upload["item_id"]) for upload in uploads.values() if upload["item_id"]}
        items = await_items(client, url, item_ids, changed=item_ids, patience=patience, stages=stages)
    endings = UploadReport()
    for thing in promised:
        if thing["collection"] == "uploads":
            upload = uploads.get(thing["id"])
            note_ending(endings, thing["path"], thing["id"], upload=upload, items_by_id=items, end=None)
        else:
            _note_item(endings, thing, items.get(thing["id"]))
    batch.done.clear()
    for outcome, entries in endings.entries.items():
        for entry in entries:
            ended = {"id": entry.pop("upload_id", entry.get("item_id")), **entry}
            (batch.failed if outcome in {Outcome.REFUSED, Outcome.FAILED} else batch.done).append(ended)


def _note_item(endings: UploadReport, thing: Json, item: Json | None) -> None:
    problem = ending_of_item(item) if item is not None else {"reason": "item-not-found", "detail": "It was deleted."}
    if problem is not None:
        endings.note(Outcome.FAILED, thing["path"], item_id=thing["id"], **problem)
        return
    index = (item or {})["index"]
    note = index["reason"]["title"] if index["state"] == "no_text" else None
    endings.note(Outcome.UNCHANGED, thing["path"], item_id=thing["id"], note=note)
