"""Requests made up from the served OpenAPI document find no defect, no leak and nothing undocumented."""

import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.core.result import Ok
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from app import app
from chalicelib.bootstrap import install_application
from chalicelib.http.gateway import LocalGateway
from chalicelib.platform.local.http_server import LocalServer
from tests.fixtures.api import ORIGIN, Api, presigner_of
from tests.fixtures.lorebases import Lorebase

EXAMPLES = 4
"""Requests to each operation by each asker, of each mode: as documented, and otherwise."""

MARKER = "victim-42"
_ORDER = ("GET", "POST", "PUT", "PATCH", "DELETE")
_CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]
# They ask other machines, and none is there.
_ASKING_OTHERS = {"add_identity_provider", "try_identity_token", "change_identity_provider"}


@dataclass(frozen=True)
class Ground:
    """A server, the things of one organization by the names that paths give their ids, and who asks."""

    url: str
    ids: Mapping[str, str]
    keys: Mapping[str, str]


@pytest.fixture
def ground(whole_api: Api, lorebase: Lorebase) -> Iterator[Ground]:
    with LocalServer(app, host="127.0.0.1", port=0, gateway=LocalGateway(), request_bytes=6_000_000) as listening:
        presigner_of(lorebase.wired, listening.url)
        thread = threading.Thread(target=listening.serve_forever, daemon=True)
        thread.start()
        yield furnished(listening.url, whole_api, lorebase)
        listening.shutdown()
        thread.join(20)
    install_application(None)


def furnished(url: str, api: Api, lorebase: Lorebase) -> Ground:
    """Fill the organization; what bears the marker is for its owners alone."""
    organization = f"/v1/organizations/{lorebase.owner.organization_id}"
    workspace = f"/v1/workspaces/{lorebase.workspace_id}"

    def own(method: str, path: str, **options: Any) -> Any:
        answered = api.call(method, path, key=lorebase.foundation.token, **options)
        assert answered.status < 400, answered.text
        return answered.json if answered.text else None

    def member(name: str) -> tuple[str, Any]:
        made = own("POST", f"{organization}/members", json_body={"kind": "user", "name": name})["id"]
        own("PUT", f"{workspace}/members/{made}", json_body={"role": "viewer"})
        key = {"name": name, "member_id": made, "scopes": ["read", "write", "admin"]}
        return made, own("POST", f"{organization}/api-keys", json_body=key)

    _, viewer = member("viewer")
    spare, spare_key = member("spare")
    team = own("POST", f"{organization}/teams", json_body={"name": MARKER})["id"]
    own("PUT", f"{organization}/teams/{team}/members/{spare}")
    folder = own("POST", f"{workspace}/folders", json_body={"path": MARKER})["id"]
    own("PUT", f"{workspace}/folders/{folder}/access", json_body={"is_restricted": True})
    written = {"path": f"{MARKER}/{MARKER}.md", "title": MARKER, "body": f"The {MARKER} plan", "tags": [MARKER]}
    item = own("POST", f"{workspace}/items", json_body=written)["id"]
    granted = {"action": "read", "member_id": spare}
    grant = own("POST", f"{workspace}/items/{item}/grants", json_body=granted)["id"]
    base = own("POST", f"{workspace}/knowledge-bases", json_body={"name": MARKER})["id"]
    own("POST", f"{workspace}/items", json_body={"path": "open.md", "body": "An open plan"})
    upload = lorebase.upload(f"{MARKER}/original.md", f"# {MARKER}\n\nAn original.".encode())
    lorebase.drain()
    ids = {
        "organization_id": lorebase.owner.organization_id,
        "workspace_id": lorebase.workspace_id,
        "member_id": spare,
        "api_key_id": spare_key["id"],
        "team_id": team,
        "folder_id": folder,
        "item_id": item,
        "grant_id": grant,
        "knowledge_base_id": base,
        "upload_id": upload.id,
        "job_id": own("GET", f"{workspace}/jobs")["jobs"][0]["id"],
    }
    outsider = api.found("Others").token
    keys = {"owner": lorebase.foundation.token, "viewer": viewer["token"], "foreign": outsider}
    return Ground(url, {name: str(value) for name, value in ids.items()}, keys)


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("asker", ["owner", "viewer", "foreign"])
def test_no_made_up_request_finds_a_defect_or_a_leak(ground: Ground, asker: str) -> None:
    schema = schemathesis.openapi.from_url(f"{ground.url}/v1/openapi.json")
    operations = sorted(
        (result.ok() for result in schema.get_all_operations() if isinstance(result, Ok)),
        key=lambda operation: (_ORDER.index(operation.method.upper()), operation.path),
    )
    assert len(operations) > 60
    failures: list[str] = []
    told: list[str] = []
    for operation in operations:
        if operation.definition.raw["operationId"] in _ASKING_OTHERS:
            continue
        try:
            ask(ground, asker, operation, told)
        except Exception as failure:  # noqa: BLE001  all operations are tried before the test fails
            failures.append(f"{operation.label}: {failure}")
    assert failures == []
    if asker == "owner":
        assert len(told) > 5
    else:
        assert told == []


def ask(ground: Ground, asker: str, operation: Any, told: list[str]) -> None:
    """Ask an operation many times, and note in `told` the answers that bear the marker. Raises what is wrong."""
    as_documented = operation.as_strategy(generation_mode=GenerationMode.POSITIVE)
    otherwise = operation.as_strategy(generation_mode=GenerationMode.NEGATIVE)
    has_input = bool(operation.body) or bool(operation.query) or bool(operation.path_parameters)

    @settings(
        max_examples=EXAMPLES * (2 if has_input else 1),
        derandomize=True,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=st.one_of(as_documented, otherwise) if has_input else as_documented, knows_ids=st.booleans())
    def run(*, case: Any, knows_ids: bool) -> None:
        if knows_ids and case.path_parameters:
            case.path_parameters = {name: ground.ids.get(name, value) for name, value in case.path_parameters.items()}
        headers = {"Authorization": f"Bearer {ground.keys[asker]}", "Origin": ORIGIN}
        response = case.call(base_url=ground.url, headers=headers)
        case.validate_response(response, checks=_CHECKS)
        if MARKER in f"{response.text} {response.headers}".lower():
            told.append(f"{case.method} {case.formatted_path}")

    run()
