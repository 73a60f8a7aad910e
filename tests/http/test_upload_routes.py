"""Uploads over HTTP, up to the job that extracts them."""

import hashlib
import io
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from chalicelib.database.statements import Statement
from chalicelib.intake.model import staging_key
from tests.fixtures.api import Answered, Api

BYTES = {"Content-Type": "application/octet-stream"}
_TAKEN_IN = Statement(
    "taken_in",
    "Let uploads have been taken in.",
    b"with kept as (insert into originals select workspace_id, sha256('x'), 1, 'text/plain' from uploads)"
    b" update uploads set sha256 = sha256('x'), media_type = 'text/plain'",
)


class Uploads:
    """A founded workspace's uploads."""

    def __init__(self, api: Api) -> None:
        self.api = api
        self.acme = api.found()
        self.path = f"/v1/workspaces/{self.acme.workspace.id}/uploads"

    def call(self, method: str, below: str, **options: Any) -> Answered:
        return self.api.call(method, self.path + below, key=self.acme.token, **options)

    def send(self, content: bytes, **query: object) -> Answered:
        return self.call("POST", "/direct", raw=content, headers=BYTES, query=query)


@pytest.fixture
def uploads(api: Api) -> Uploads:
    return Uploads(api)


def test_a_started_upload_is_completed_once_its_bytes_are_there(uploads: Uploads) -> None:
    body = {"path": "hr/travel.md", "bytes": 8, "sha256": hashlib.sha256(b"# Travel").hexdigest(), "tags": ["hr"]}
    started = uploads.call("POST", "", json_body=body)
    assert (started.status, started.json["upload"]["state"], started.json["target"]["method"]) == (
        201,
        "pending",
        "PUT",
    )
    upload_id = started.json["upload"]["id"]
    assert uploads.call("POST", f"/{upload_id}/complete").problem == "upload-not-received"
    key = staging_key(uploads.acme.workspace.id, upload_id)
    uploads.api.application.originals.put(key, io.BytesIO(b"# Travel"))
    completed = uploads.call("POST", f"/{upload_id}/complete")
    assert (completed.status, completed.json["upload"]["received_at"] is None) == (202, False)
    assert uploads.call("POST", f"/{upload_id}/complete").json == completed.json
    assert uploads.call("GET", f"/{upload_id}").json == completed.json["upload"]
    assert uploads.call("GET", f"/{upload_id}/raw").problem == "upload-not-received"


def test_bytes_can_be_sent_along(uploads: Uploads) -> None:
    sent = uploads.send(b"# Travel\n\nKeep receipts.", path="hr/travel.md", tag=["hr", "money"])
    assert (sent.status, sent.json["upload"]["source"]) == (202, "direct")
    listed = uploads.call("GET", "", query={"state": ["pending", "running"], "path": "hr/travel.md"}).json["uploads"]
    assert [upload["id"] for upload in listed] == [sent.json["upload"]["id"]]
    assert uploads.call("GET", "", query={"state": "failed"}).json["uploads"] == []


def test_a_program_is_refused_at_once(uploads: Uploads) -> None:
    refused = uploads.send(b"\x7fELF\x02\x01\x01" + bytes(100), path="a.md")
    assert (refused.status, refused.problem) == (415, "program-refused")
    assert uploads.call("GET", "").json["uploads"] == []


def test_bytes_that_are_not_the_announced_ones_are_refused(uploads: Uploads) -> None:
    assert uploads.send(b"# Travel", path="a.md", sha256="0" * 64).problem == "upload-mismatch"
    assert uploads.send(b"# Travel", path="a.md", sha256="0" * 63).problem == "invalid-query"
    assert uploads.send(b"# Travel").problem == "invalid-query"
    assert uploads.send(b"# Travel", path="../a.md").problem == "invalid-path"


def test_an_announced_size_over_the_limit_is_refused(uploads: Uploads) -> None:
    limit = uploads.api.application.settings.upload_bytes
    refused = uploads.call("POST", "", json_body={"path": "a.pdf", "bytes": limit + 1})
    assert (refused.status, refused.problem, refused.json["limit"]) == (413, "upload-too-large", limit)


def test_an_upload_is_deleted_in_any_state(uploads: Uploads) -> None:
    upload_id = uploads.send(b"# Travel", path="a.md").json["upload"]["id"]
    assert uploads.call("POST", f"/{upload_id}/retry").problem == "upload-not-failed"
    assert uploads.call("DELETE", f"/{upload_id}", query={"item": "burn"}).problem == "invalid-query"
    assert uploads.call("DELETE", f"/{upload_id}", query={"item": "delete"}).status == 204
    assert uploads.call("GET", f"/{upload_id}").problem == "upload-not-found"
    assert uploads.call("DELETE", f"/{upload_id}").problem == "upload-not-found"


def test_a_url_to_download_with_is_good_for_a_minute(uploads: Uploads) -> None:
    sent = uploads.send(b"# A", path="a.md").json["upload"]["id"]
    with uploads.api.application.database.transaction() as tx:
        tx.execute(_TAKEN_IN)
    answered = uploads.call("GET", f"/{sent}/raw", query={"redirect": "false"})
    good_for = datetime.fromisoformat(answered.json["expires_at"]) - uploads.api.application.clock.now()
    assert timedelta(seconds=50) < good_for <= timedelta(seconds=60)
    expires = int(parse_qs(urlsplit(answered.json["url"]).query)["expires"][0])
    assert abs(expires - datetime.fromisoformat(answered.json["expires_at"]).timestamp()) <= 1
