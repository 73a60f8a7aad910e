"""Tells what became of a file that was sent: read off its upload and its item once both have ended, or not."""

from collections.abc import Mapping
from typing import Any

from chalicelib.cli.client import Json
from chalicelib.cli.errors import problem_name_of
from chalicelib.cli.upload_report import Outcome, UploadReport
from chalicelib.errors import LorebaseError

_REFUSED = frozenset(
    {
        "unsupported-type",
        "program-refused",
        "unreadable-file",
        "upload-too-large",
        "body-too-large",
        "invalid-path",
        "invalid-item",
        "quota-exceeded",
    }
)


def note_ending(
    report: UploadReport,
    path: str,
    upload_id: str,
    *,
    upload: Json | None,
    items_by_id: Mapping[str, Json],
    end: LorebaseError | None,
) -> None:
    """Report a sent file. `upload` None: nothing is known of it, because of `end` or because it was deleted."""
    item_id = upload["item_id"] if upload else None
    item = items_by_id.get(item_id) if item_id else None
    known = {"item_id": item_id, "revision": upload["revision"] if upload else None, "upload_id": upload_id}
    if upload is None:
        report.note(Outcome.FAILED, path, upload_id=upload_id, **_why_unknown(end))
    elif upload["state"] in {"pending", "running"}:
        report.note(Outcome.FAILED, path, **known, **_too_late("read"))
    elif upload["state"] == "failed":
        reason = _reason_of(upload["reason"])
        report.note(Outcome.REFUSED if reason["reason"] in _REFUSED else Outcome.FAILED, path, **known, **reason)
    elif item is not None and (problem := ending_of_item(item)):
        report.note(Outcome.FAILED, path, **known, **problem)
    else:
        report.note(Outcome(upload["outcome"]), path, **known, note=_note_on(upload), waits=_wait_of(item))


def ending_of_item(item: Json) -> dict[str, Any] | None:
    """Return why an item is not in search once it should be; None where it is, or has nothing to find."""
    state = item["index"]["state"]
    if state in {"pending", "indexing"}:
        return _too_late("indexed")
    return _reason_of(item["index"]["reason"]) if state == "failed" else None


def _wait_of(item: Json | None) -> str | None:
    """Return what an item waits for that is found by its words so far, where that is known."""
    index = item["index"] if item is not None else {}
    return str(index["reason"]["detail"]) if index.get("state") == "text_ready" and index["reason"] else None


def _note_on(upload: Json) -> str | None:
    """Return what the uploader should know of a document that was taken in."""
    remarks = [warning["detail"] for warning in upload["warnings"]]
    if upload["state"] == "skipped" and upload["reason"]:
        remarks.insert(0, upload["reason"]["title"])
    return " ".join(remarks) or None


def _reason_of(reason: Json | None) -> dict[str, Any]:
    if reason is None:
        return {"reason": "unknown", "detail": "No reason was recorded."}
    return {"reason": str(reason["type"]).rpartition(":")[2], "detail": reason["detail"] or reason["title"]}


def _why_unknown(end: LorebaseError | None) -> dict[str, str]:
    if end is None:
        return {"reason": "upload-not-found", "detail": "The upload was deleted before it ended."}
    return {"reason": problem_name_of(end), "detail": f"It was sent, but not seen to its end: {end.detail}"}


def _too_late(done: str) -> dict[str, str]:
    detail = f"It was sent, but is not {done} yet; it goes on, and `lorebase status` shows how far it is."
    return {"reason": "wait-timed-out", "detail": detail}
