"""Requests as API Gateway hands them on: below its stage, under its own request id, with bodies as Base64."""

import json
import logging
from collections.abc import Iterator
from typing import Any

import pytest

from app import app
from chalicelib.bootstrap import install_application
from chalicelib.settings import load_settings
from tests.fixtures.api import Api
from tests.fixtures.gateway_events import REQUEST_ID, gateway_event

WORKSPACE = "/v1/workspaces/{workspace_id}"


def ask(method: str, pattern: str, **options: Any) -> Any:
    """Return what the function answers."""
    return app(gateway_event(method, pattern, **options), None)


def test_the_place_of_what_was_made_is_below_the_stage(api: Api) -> None:
    acme = api.found()
    values = {"workspace_id": acme.workspace.id}
    made = ask("POST", f"{WORKSPACE}/items", values=values, key=acme.token, body=b'{"path": "a.md", "body": "Text."}')
    item = json.loads(made["body"])["id"]
    assert made["statusCode"] == 201
    assert made["headers"]["Location"] == f"/api/v1/workspaces/{acme.workspace.id}/items/{item}"


def test_under_a_domain_of_ones_own_there_is_no_stage_in_it(api: Api) -> None:
    acme = api.found()
    values = {"organization_id": acme.organization.id}
    made = ask(
        "POST",
        "/v1/organizations/{organization_id}/workspaces",
        values=values,
        key=acme.token,
        body=b'{"slug": "lab", "name": "Lab"}',
        base_path="",
    )
    assert made["statusCode"] == 201, made["body"]
    assert made["headers"]["Location"].startswith("/v1/workspaces/")


def test_the_openapi_document_says_where_its_paths_begin(api: Api) -> None:
    assert api.application.embedder is None
    served = ask("GET", "/v1/openapi.json")
    assert json.loads(served["body"])["servers"] == [{"url": "/api"}]


def test_a_request_that_its_client_did_not_name_goes_by_the_gateways_name(api: Api) -> None:
    assert api.application.embedder is None
    answered = ask("GET", "/v1/me")
    assert json.loads(answered["body"])["instance"] == f"urn:lorebase:request:{REQUEST_ID}"
    assert answered["headers"]["X-Request-Id"] == REQUEST_ID
    assert ask("GET", "/v1/me", headers={"X-Request-Id": "mine-1"})["headers"]["X-Request-Id"] == "mine-1"


def test_bytes_come_as_base64(api: Api) -> None:
    acme = api.found()
    content = b"# \xc3\xa4 and \x00\xff"
    sent = ask(
        "POST",
        f"{WORKSPACE}/uploads/direct",
        values={"workspace_id": acme.workspace.id},
        key=acme.token,
        query={"path": "a.md"},
        body=content,
        content_type="application/octet-stream",
    )
    assert sent["statusCode"] == 202, sent["body"]
    [kept] = api.application.originals.walk("")
    with api.application.originals.open(kept.key) as original:
        assert original.read() == content


@pytest.fixture
def misconfigured(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("LOREBASE_DATABASE_POOL_SIZE", "canary-of-a-setting")
    install_application(None)
    load_settings.cache_clear()
    root, handlers = logging.getLogger(), logging.getLogger().handlers[:]
    yield
    root.handlers[:] = handlers
    load_settings.cache_clear()


@pytest.mark.usefixtures("misconfigured")
def test_a_function_that_cannot_be_wired_answers_with_a_problem_that_quotes_no_setting() -> None:
    answered = ask("GET", "/v1/me")
    assert answered["statusCode"] == 500
    assert json.loads(answered["body"])["type"] == "urn:lorebase:problem:internal-error"
    assert "canary" not in answered["body"]
