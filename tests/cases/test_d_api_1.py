"""D-API-1: a browser can read every error, and a foreign page none."""

import json

import pytest

from chalicelib.http.gateway import GATEWAY_PROBLEMS, refuse_request
from chalicelib.http.routing import Route
from tests.fixtures.api import ORIGIN, Answered, Api
from tests.fixtures.route_walk import Visit, is_anonymous, visits

NAMES = ("organization_id", "workspace_id", "member_id", "api_key_id", "provider_id", "item_id", "upload_id", "job_id")


def absent_visits() -> list[Visit]:
    return visits(dict.fromkeys(NAMES, "01a22b43-b73c-71ff-ae04-c2701223fc9a"))


def takes_json(route: Route) -> bool:
    return route.method != "GET" and not route.takes_bytes


def _type_of(route: Route) -> str:
    return "application/octet-stream" if route.takes_bytes else "application/json"


def assert_problem(answered: Answered) -> None:
    assert answered.status < 500, answered.text
    assert {"type", "title", "status", "detail", "instance"} <= answered.json.keys()
    assert answered.json["status"] == answered.status
    assert answered.json["instance"] == f"urn:lorebase:request:{answered.headers['x-request-id']}"


@pytest.mark.parametrize("token", ["", "x", "lb_AAAAAAAAAA_" + "a" * 43, "Basic x"])
def test_a_missing_or_wrong_token_is_a_problem_on_every_route(api: Api, token: str) -> None:
    for visit in absent_visits():
        answered = api.call(visit.method, visit.path, key=token, **visit.options)
        if not is_anonymous(visit.route):
            assert_problem(answered)
            assert (answered.status, answered.headers["www-authenticate"]) == (401, "Bearer")


def test_garbage_in_the_body_is_a_problem_on_every_route_that_takes_json(api: Api) -> None:
    acme = api.found()
    garbage: dict[bytes, int] = {
        b"\x00\xff{": 400,
        b'{"a":': 400,
        b'{"a": NaN}': 400,
        b'{"a": 1e999}': 400,
        b'{"a": "\\ud800"}': 400,
        b"[" * 100_000: 400,
        b'"text"': 422,
        b"[]": 422,
        b"null": 422,
        b'{"no such field": 1}': 422,
    }
    for visit in absent_visits():
        if takes_json(visit.route):
            for body, status in garbage.items():
                answered = api.call(
                    visit.method,
                    visit.path,
                    key=acme.token,
                    raw=body,
                    headers={"Content-Type": "application/json"},
                    query=visit.options["query"],
                )
                assert_problem(answered)
                assert answered.status == status, f"{visit.path} {body[:20]!r}"


def test_a_wrong_content_type_and_an_unknown_parameter_are_problems_on_every_route(api: Api) -> None:
    acme = api.found()
    for visit in absent_visits():
        if visit.method != "GET":
            html, query = {"Content-Type": "text/html"}, visit.options["query"]
            answered = api.call(visit.method, visit.path, key=acme.token, raw=b"{}", headers=html, query=query)
            assert (answered.status, answered.problem) == (415, "unsupported-content-type")
            packed = {"Content-Type": _type_of(visit.route), "Content-Encoding": "gzip"}
            answered = api.call(visit.method, visit.path, key=acme.token, raw=b"{}", headers=packed, query=query)
            assert (answered.status, answered.problem) == (415, "unsupported-content-type")
        misspelt = {**visit.options, "query": {**(visit.options["query"] or {}), "nonsense": "1"}}
        answered = api.call(visit.method, visit.path, key=acme.token, **misspelt)
        assert (answered.status, answered.problem) == (400, "invalid-query")


def test_an_unknown_method_names_those_that_there_are(api: Api) -> None:
    answered = api.call("DELETE", "/v1/me")
    assert (answered.problem, answered.headers["allow"]) == ("method-not-allowed", "GET, HEAD, OPTIONS")


def test_what_the_gateway_answers_by_itself_has_the_same_form(api: Api) -> None:
    assert api.application.settings.cors_origins == [ORIGIN]
    for status, (leaf, _) in GATEWAY_PROBLEMS.items():
        reply = refuse_request(status, {"origin": ORIGIN})
        document = json.loads(reply.body)
        assert (reply.status, document["type"]) == (status, f"urn:lorebase:problem:{leaf.problem_type()}")
        assert reply.headers["Access-Control-Allow-Origin"] == ORIGIN


def test_a_handler_that_raises_is_a_problem_that_tells_nothing(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    acme = api.found()
    monkeypatch.setattr("chalicelib.http.me.read_organization", lambda *_, **__: 1 / 0)
    answered = api.call("GET", "/v1/me", key=acme.token)
    assert (answered.status, answered.problem) == (500, "internal-error")
    assert "zero" not in answered.text


def test_every_path_answers_a_pre_flight_for_each_of_its_methods(api: Api) -> None:
    for visit in absent_visits():
        asked = {"Access-Control-Request-Method": visit.method, "Access-Control-Request-Headers": "authorization"}
        answered = api.call("OPTIONS", visit.path, headers=asked)
        assert answered.status == 204
        assert visit.method in answered.headers["access-control-allow-methods"].split(", ")
        allowed = answered.headers["access-control-allow-headers"].lower().split(", ")
        assert {"authorization", "content-type", "if-match", "idempotency-key"} <= set(allowed)


def test_a_foreign_page_may_read_nothing(api: Api) -> None:
    client = api.client.http
    for origin in ("https://evil.example.org", "null", ORIGIN + ".evil.org", ORIGIN.upper()):
        for visit in absent_visits():
            for method in (visit.method, "OPTIONS"):
                response = client.request(method, visit.path, headers={"origin": origin})
                names = {name.lower() for name in response.headers}
                assert not any(name.startswith("access-control-") for name in names)
                assert response.headers["Vary"] == "Origin"


def test_text_that_the_database_cannot_hold_is_a_problem_and_no_defect(api: Api) -> None:
    acme = api.found()
    ids = dict.fromkeys(NAMES, acme.owner.id) | {
        "organization_id": acme.organization.id,
        "workspace_id": acme.workspace.id,
    }
    for visit in visits(ids):
        for name, schema in visit.route.query.model_json_schema().get("properties", {}).items():
            if "string" in json.dumps(schema):
                query = {**(visit.options["query"] or {}), name: "a\x00b"}
                answered = api.call(visit.method, visit.path, key=acme.token, **{**visit.options, "query": query})
                assert answered.status < 500, f"{visit.method} {visit.path} {name} {answered.text}"
        for name in visit.options.get("json_body", {}):
            body = {**visit.options["json_body"], name: "a\x00b"}
            answered = api.call(visit.method, visit.path, key=acme.token, json_body=body)
            assert answered.status < 500, f"{visit.method} {visit.path} {name} {answered.text}"
