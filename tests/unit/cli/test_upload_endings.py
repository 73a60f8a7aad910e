"""What is reported of a file that was sent."""

from typing import Any

import pytest

from chalicelib.cli.errors import ServerUnreachable
from chalicelib.cli.upload_endings import note_ending
from chalicelib.cli.upload_report import UploadReport


def upload(**given: Any) -> dict[str, Any]:
    return {
        "state": "succeeded",
        "reason": None,
        "outcome": "added",
        "item_id": "i",
        "revision": 1,
        "warnings": [],
        **given,
    }


def reason(name: str) -> dict[str, str]:
    return {"type": f"urn:lorebase:problem:{name}", "title": "T", "detail": "D."}


def indexed(state: str, **given: Any) -> dict[str, Any]:
    return {"i": {"index": {"state": state, "reason": None, **given}}}


@pytest.mark.parametrize(
    ("ended", "items", "outcome", "members"),
    [
        (upload(), indexed("ready"), "added", {"revision": 1}),
        (upload(outcome="updated", revision=2), indexed("text_ready"), "updated", {"revision": 2}),
        (upload(outcome="unchanged"), indexed("ready"), "unchanged", {}),
        (upload(state="skipped", reason=reason("no-text-found")), indexed("no_text"), "added", {"note": "T"}),
        (
            upload(warnings=[{"detail": "Guessed the charset."}]),
            indexed("ready"),
            "added",
            {"note": "Guessed the charset."},
        ),
        (upload(state="failed", reason=reason("program-refused")), {}, "refused", {"reason": "program-refused"}),
        (upload(state="failed", reason=reason("quota-exceeded")), {}, "refused", {"detail": "D."}),
        (upload(state="failed", reason=reason("password-required")), {}, "failed", {"reason": "password-required"}),
        (upload(state="running", outcome=None), {}, "failed", {"reason": "wait-timed-out"}),
        (upload(), indexed("indexing"), "failed", {"reason": "wait-timed-out"}),
        (upload(), indexed("failed", reason=reason("embedder-down")), "failed", {"reason": "embedder-down"}),
        (upload(), {}, "added", {"item_id": "i"}),
        (upload(), indexed("text_ready", reason=reason("budget-spent")), "added", {"waits": "D."}),
    ],
)
def test_file_is_reported_once_by_what_became_of_it(
    ended: dict[str, Any], items: dict[str, Any], outcome: str, members: dict[str, Any]
) -> None:
    report = UploadReport()

    note_ending(report, "a.md", "u", upload=ended, items_by_id=items, end=None)

    assert {name: count for name, count in report.counts.items() if count} == {outcome: 1}
    [entry] = report.document()["items"][outcome]
    assert (entry["path"], entry["upload_id"]) == ("a.md", "u")
    assert members.items() <= entry.items()


def test_upload_that_is_gone_or_out_of_reach_has_failed() -> None:
    report = UploadReport()

    note_ending(report, "a.md", "u", upload=None, items_by_id={}, end=None)
    note_ending(report, "b.md", "v", upload=None, items_by_id={}, end=ServerUnreachable("No server answers."))

    assert [entry["reason"] for entry in report.document()["items"]["failed"]] == [
        "upload-not-found",
        "server-unreachable",
    ]
    assert not report.is_complete
