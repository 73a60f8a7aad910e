"""What Lambda could not hand on is a problem that says so, measured as Lambda would."""

import json
from dataclasses import replace

import pytest

from chalicelib.bootstrap import Application, install_application
from tests.fixtures.api import Answered, Api

MOST = 20_000


@pytest.fixture
def narrow(api: Api, application: Application) -> Api:
    """The API of a deployment whose answers have an end."""
    settings = application.settings.model_copy(update={"answer_bytes": MOST})
    install_application(replace(application, settings=settings))
    return api


def add(api: Api, key: str, workspace: str, body: str) -> Answered:
    return api.call("POST", f"{workspace}/items", key=key, json_body={"path": "a.md", "body": body})


def test_an_answer_that_fits_is_given(narrow: Api) -> None:
    acme = narrow.found()
    workspace = f"/v1/workspaces/{acme.workspace.id}"
    assert add(narrow, acme.token, workspace, "x" * (MOST - 4_000)).status == 201


def test_an_answer_is_measured_with_its_quotes_escaped(narrow: Api) -> None:
    acme = narrow.found()
    workspace = f"/v1/workspaces/{acme.workspace.id}"
    body = '"' * (MOST // 4)
    answered = add(narrow, acme.token, workspace, body)
    assert len(json.dumps({"body": body})) < MOST
    assert (answered.status, answered.problem, answered.json["limit"]) == (413, "answer-too-large", MOST)


def test_a_change_that_cannot_be_answered_is_not_made(narrow: Api) -> None:
    acme = narrow.found()
    workspace = f"/v1/workspaces/{acme.workspace.id}"
    assert add(narrow, acme.token, workspace, "x" * MOST).problem == "answer-too-large"
    assert narrow.call("GET", f"{workspace}/items", key=acme.token).json["items"] == []


def test_where_no_size_is_set_answers_have_any(api: Api) -> None:
    acme = api.found()
    workspace = f"/v1/workspaces/{acme.workspace.id}"
    assert add(api, acme.token, workspace, "x" * 10 * MOST).status == 201


LONG = "k\x01" * 100_000


@pytest.mark.parametrize("body", [{LONG: 1}, {"path": "a.md", "body": "b", LONG: 1}, {"path": "a.md", "kind": LONG}])
def test_a_refusal_quotes_no_more_than_it_can_send(api: Api, body: dict[str, object]) -> None:
    acme = api.found()
    answered = api.call("POST", f"/v1/workspaces/{acme.workspace.id}/items", key=acme.token, json_body=body)
    assert answered.problem == "invalid-body"
    assert len(answered.text) < MOST


def test_what_a_use_case_refuses_is_quoted_no_longer(api: Api) -> None:
    acme = api.found()
    body = {"quotas": {LONG: 1}}
    answered = api.call("PATCH", f"/v1/workspaces/{acme.workspace.id}", key=acme.token, json_body=body)
    assert answered.problem == "invalid-identity"
    assert "…" in answered.text
    assert len(answered.text) < MOST
