"""Cursors are good for the list and the caller they were given to, and for nothing else."""

import base64

import pytest

from chalicelib.identity.found_organization import Foundation
from tests.fixtures.api import Api


@pytest.fixture
def acme(api: Api) -> Foundation:
    founded = api.found()
    for number in range(3):
        body = {"path": f"f/{number}.md", "body": "x"}
        api.call("POST", f"/v1/workspaces/{founded.workspace.id}/items", key=founded.token, json_body=body)
    return founded


def next_cursor(api: Api, acme: Foundation, **query: object) -> str:
    items = f"/v1/workspaces/{acme.workspace.id}/items"
    return str(api.call("GET", items, key=acme.token, query={"limit": 1, **query}).json["next_cursor"])


@pytest.mark.parametrize("made_up", ["x", "", "!", "é", base64.urlsafe_b64encode(b'["f/0.md"]' + bytes(16)).decode()])
def test_a_made_up_cursor_is_refused(api: Api, acme: Foundation, made_up: str) -> None:
    items = f"/v1/workspaces/{acme.workspace.id}/items"
    refused = api.call("GET", items, key=acme.token, query={"cursor": made_up})
    assert (refused.status, refused.problem) == (400, "invalid-cursor")


def test_a_cursor_serves_no_other_filter_list_workspace_or_caller(api: Api, acme: Foundation) -> None:
    cursor = next_cursor(api, acme)
    items = f"/v1/workspaces/{acme.workspace.id}/items"
    other_filter = api.call("GET", items, key=acme.token, query={"cursor": cursor, "tag": "x"})
    other_list = api.call("GET", f"/v1/workspaces/{acme.workspace.id}/tree", key=acme.token, query={"cursor": cursor})
    beta = api.found("Beta")
    other_workspace = api.call(
        "GET", f"/v1/workspaces/{beta.workspace.id}/items", key=beta.token, query={"cursor": cursor}
    )
    assert {other_filter.problem, other_list.problem, other_workspace.problem} == {"invalid-cursor"}


def test_a_cursor_goes_on_with_another_page_size(api: Api, acme: Foundation) -> None:
    items = f"/v1/workspaces/{acme.workspace.id}/items"
    page = api.call("GET", items, key=acme.token, query={"cursor": next_cursor(api, acme), "limit": 2}).json
    assert ([item["path"] for item in page["items"]], page["next_cursor"]) == (["f/1.md", "f/2.md"], None)
