"""Documents in, cited passages out, over HTTP."""

import hashlib

import httpx

from tests.fixtures.api import Api
from tests.fixtures.lorebases import Lorebase

BODY = "# Travel\n\nHow to be paid back.\n\n## Receipts\n\nKeep every receipt and send it to finance within 30 days.\n"


def test_an_uploaded_document_is_found_by_a_question_and_its_span_points_into_it(
    whole_api: Api, lorebase: Lorebase
) -> None:
    key = lorebase.foundation.token
    workspace = f"/v1/workspaces/{lorebase.workspace_id}"
    sent = whole_api.call(
        "POST",
        f"{workspace}/uploads/direct",
        key=key,
        raw=BODY.encode(),
        headers={"Content-Type": "application/octet-stream"},
        query={"path": "hr/travel.md", "tag": "hr"},
    )
    lorebase.drain()
    upload = whole_api.call("GET", sent.headers["location"], key=key).json
    assert (upload["state"], upload["outcome"]) == ("succeeded", "added")
    item = whole_api.call("GET", f"{workspace}/items/{upload['item_id']}", key=key).json
    assert item["original"]["sha256"] == hashlib.sha256(BODY.encode()).hexdigest()

    asked = {"query": "send receipts to finance", "filters": {"tags": ["hr"], "folder": "hr"}, "limit": 3}
    answer = whole_api.call("POST", f"{workspace}/search", key=key, json_body=asked).json
    hit = answer["hits"][0]
    assert (hit["path"], hit["item_id"], hit["revision"]) == ("hr/travel.md", item["id"], item["revision"])
    start, end = hit["span"]
    assert "Keep every receipt" in item["body"][start:end]
    assert any("receipt" in hit["snippet"][start:end].lower() for start, end in hit["highlights"])
    linked = whole_api.call("GET", f"{workspace}/search", key=key, query={"q": "receipts", "tag": "none"}).json
    assert linked["hits"] == []
    chunks = whole_api.call("GET", f"{workspace}/items/{item['id']}/chunks", key=key).json["chunks"]
    assert hit["chunk_id"] in {chunk["id"] for chunk in chunks}


def test_the_original_is_given_out_by_redirect_and_the_same_bytes_again_are_unchanged(
    whole_api: Api, lorebase: Lorebase
) -> None:
    key = lorebase.foundation.token
    workspace = f"/v1/workspaces/{lorebase.workspace_id}"
    upload = lorebase.upload("hr/travel.md", BODY.encode())
    lorebase.drain()
    raw = whole_api.call("GET", f"{workspace}/uploads/{upload.id}/raw", key=key)
    told = whole_api.call("GET", f"{workspace}/uploads/{upload.id}/raw", key=key, query={"redirect": "false"})
    assert (raw.status, httpx.URL(raw.headers["location"]).path) == (303, httpx.URL(told.json["url"]).path)
    announced = {"path": "hr/travel.md", "bytes": len(BODY), "sha256": hashlib.sha256(BODY.encode()).hexdigest()}
    again = whole_api.call("POST", f"{workspace}/uploads", key=key, json_body=announced)
    assert (again.status, again.json["outcome"], again.json["revision"]) == (200, "unchanged", 1)


def test_a_blank_or_endless_question_is_refused_and_any_other_answered(whole_api: Api, lorebase: Lorebase) -> None:
    key = lorebase.foundation.token
    search = f"/v1/workspaces/{lorebase.workspace_id}/search"
    assert whole_api.call("GET", search, key=key, query={"q": " "}).problem == "query-empty"
    assert whole_api.call("GET", search, key=key, query={"q": "x" * 2001}).problem == "query-too-long"
    semantic = whole_api.call("GET", search, key=key, query={"q": "x", "mode": "semantic"})
    assert semantic.problem == "search-refused"
    for question in ("'; drop table items; --", "%_\\", "a\x00b", "🙂", "(((", "the of", '"'):
        assert whole_api.call("GET", search, key=key, query={"q": question}).json["hits"] == []
