"""Requests as API Gateway hands them on: below its stage, under its own request id, with bodies as Base64."""

import base64
import json
from collections.abc import Mapping
from typing import Any

from app import app
from tests.fixtures.api import Api

REQUEST_ID = "41b45ea3-70b5-11e6-b7bd-69b5aaebc7d9"


def ask(
    method: str,
    pattern: str,
    *,
    path: str,
    key: str = "",
    values: Mapping[str, str] | None = None,
    body: bytes | None = None,
    content_type: str = "application/json",
    headers: Mapping[str, str] | None = None,
    query: Mapping[str, str] | None = None,
) -> Any:
    """Return what the function answers; docs.aws.amazon.com/lambda/latest/dg/services-apigateway.html has the form."""
    return app(
        {
            "resource": pattern,
            "path": path.removeprefix("/api"),
            "httpMethod": method,
            "headers": {"Content-Type": content_type, "Authorization": f"Bearer {key}", **(headers or {})},
            "multiValueHeaders": {},
            "queryStringParameters": query,
            "multiValueQueryStringParameters": {name: [value] for name, value in (query or {}).items()} or None,
            "pathParameters": values,
            "stageVariables": None,
            "requestContext": {
                "resourcePath": pattern,
                "httpMethod": method,
                "path": path,
                "stage": "api",
                "requestId": REQUEST_ID,
                "identity": {"sourceIp": "192.0.2.1"},
            },
            "body": None if body is None else base64.b64encode(body).decode(),
            "isBase64Encoded": body is not None,
        },
        None,
    )


def test_the_place_of_what_was_made_is_below_the_stage(api: Api) -> None:
    acme = api.found()
    made = ask(
        "POST",
        "/v1/workspaces/{workspace_id}/items",
        path=f"/api/v1/workspaces/{acme.workspace.id}/items",
        values={"workspace_id": str(acme.workspace.id)},
        key=acme.token,
        body=json.dumps({"path": "a.md", "body": "Text."}).encode(),
    )
    item = json.loads(made["body"])["id"]
    assert made["statusCode"] == 201
    assert made["headers"]["Location"] == f"/api/v1/workspaces/{acme.workspace.id}/items/{item}"


def test_under_a_domain_of_ones_own_there_is_no_stage_in_it(api: Api) -> None:
    acme = api.found()
    pattern = "/v1/organizations/{organization_id}/workspaces"
    organization = str(acme.organization.id)
    made = ask(
        "POST",
        pattern,
        path=f"/v1/organizations/{organization}/workspaces",
        values={"organization_id": organization},
        key=acme.token,
        body=b'{"slug": "lab", "name": "Lab"}',
    )
    assert made["statusCode"] == 201, made["body"]
    assert made["headers"]["Location"].startswith("/v1/workspaces/")


def test_the_openapi_document_says_where_its_paths_begin(api: Api) -> None:
    assert api.application.embedder is None
    served = ask("GET", "/v1/openapi.json", path="/api/v1/openapi.json")
    assert json.loads(served["body"])["servers"] == [{"url": "/api"}]


def test_a_request_that_its_client_did_not_name_goes_by_the_gateways_name(api: Api) -> None:
    assert api.application.embedder is None
    answered = ask("GET", "/v1/me", path="/api/v1/me")
    assert json.loads(answered["body"])["instance"] == f"urn:lorebase:request:{REQUEST_ID}"
    assert answered["headers"]["X-Request-Id"] == REQUEST_ID
    named = ask("GET", "/v1/me", path="/api/v1/me", headers={"X-Request-Id": "mine-1"})
    assert named["headers"]["X-Request-Id"] == "mine-1"


def test_bytes_come_as_base64(api: Api) -> None:
    acme = api.found()
    content = b"# \xc3\xa4 and \x00\xff"
    sent = ask(
        "POST",
        "/v1/workspaces/{workspace_id}/uploads/direct",
        path=f"/api/v1/workspaces/{acme.workspace.id}/uploads/direct",
        values={"workspace_id": str(acme.workspace.id)},
        key=acme.token,
        query={"path": "a.md"},
        body=content,
        content_type="application/octet-stream",
    )
    assert sent["statusCode"] == 202, sent["body"]
    [kept] = api.application.originals.walk("")
    with api.application.originals.open(kept.key) as original:
        assert original.read() == content
