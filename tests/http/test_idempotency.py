"""A repeated POST under the same Idempotency-Key is done once."""

import threading

import pytest

from chalicelib.bootstrap import Application
from chalicelib.database.statements import Statement
from chalicelib.http import idempotency
from chalicelib.http.idempotency import forget_answers
from tests.fixtures.api import Answered, Api


def add(api: Api, path: str, key: str, *, under: str, name: str = "a.md") -> Answered:
    return api.call("POST", path, key=key, json_body={"path": name, "body": "x"}, headers={"Idempotency-Key": under})


def test_the_same_request_is_answered_as_the_first_time(api: Api) -> None:
    acme = api.found()
    items = f"/v1/workspaces/{acme.workspace.id}/items"
    first, again = (add(api, items, acme.token, under="k") for _ in range(2))
    assert (again.status, again.json, again.headers["location"], again.headers["etag"]) == (
        201,
        first.json,
        first.headers["location"],
        '"1"',
    )
    assert len(api.call("GET", items, key=acme.token).json["items"]) == 1


def test_another_request_under_the_same_key_is_refused(api: Api) -> None:
    acme = api.found()
    items = f"/v1/workspaces/{acme.workspace.id}/items"
    add(api, items, acme.token, under="k")
    other = add(api, items, acme.token, under="k", name="b.md")
    assert (other.status, other.problem) == (422, "idempotency-key-reused")


def test_a_refused_request_may_be_sent_again_under_its_key(api: Api) -> None:
    acme = api.found()
    items = f"/v1/workspaces/{acme.workspace.id}/items"
    taken = add(api, items, acme.token, under="other")
    assert add(api, items, acme.token, under="k").problem == "path-taken"
    api.call("DELETE", f"{items}/{taken.json['id']}", key=acme.token)
    assert add(api, items, acme.token, under="k").status == 201


def test_keys_of_different_principals_are_different_keys(api: Api) -> None:
    first, second = api.found("First"), api.found("Second")
    for founded in (first, second):
        assert add(api, f"/v1/workspaces/{founded.workspace.id}/items", founded.token, under="k").status == 201


def test_an_answer_with_a_secret_is_not_kept_and_the_thing_not_made_twice(api: Api) -> None:
    acme = api.found()
    keys = f"/v1/organizations/{acme.organization.id}/api-keys"

    def issue() -> Answered:
        return api.call("POST", keys, key=acme.token, json_body={"name": "k"}, headers={"Idempotency-Key": "k"})

    token = issue().json["token"]
    again = issue()
    assert (again.status, again.problem) == (409, "answer-not-kept")
    assert token not in again.text
    assert len(api.call("GET", keys, key=acme.token).json["api_keys"]) == 2


def test_simultaneous_requests_under_one_key_have_one_effect(api: Api) -> None:
    acme = api.found()
    items = f"/v1/workspaces/{acme.workspace.id}/items"
    answers: list[Answered] = []
    threads = [
        threading.Thread(target=lambda: answers.append(add(api, items, acme.token, under="k"))) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {answer.status for answer in answers} <= {201, 409}
    assert all(answer.problem == "request-in-progress" for answer in answers if answer.status == 409)
    assert len({answer.json["id"] for answer in answers if answer.status == 201}) == 1


def test_an_effect_is_undone_with_the_answer_that_could_not_be_kept(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    acme = api.found()
    items = f"/v1/workspaces/{acme.workspace.id}/items"
    with monkeypatch.context() as patched:
        patched.setattr("chalicelib.http.edge.keep_answer", lambda *_: (_ for _ in ()).throw(RuntimeError))
        assert add(api, items, acme.token, under="k").status == 500
    assert api.call("GET", items, key=acme.token).json["items"] == []
    assert add(api, items, acme.token, under="k").status == 201


def test_a_kept_answer_is_withheld_from_who_lost_the_workspace(api: Api) -> None:
    acme = api.found()
    organization = f"/v1/organizations/{acme.organization.id}"
    bot = api.call("POST", f"{organization}/members", key=acme.token, json_body={"kind": "agent", "name": "B"}).json
    issued = {"name": "k", "member_id": bot["id"], "scopes": ["read", "write"]}
    key = api.call("POST", f"{organization}/api-keys", key=acme.token, json_body=issued).json["token"]
    role = f"/v1/workspaces/{acme.workspace.id}/members/{bot['id']}"
    api.call("PUT", role, key=acme.token, json_body={"role": "editor"})
    items = f"/v1/workspaces/{acme.workspace.id}/items"
    assert add(api, items, key, under="k").status == 201
    api.call("DELETE", role, key=acme.token)
    assert add(api, items, key, under="k").problem == "workspace-not-found"


def test_an_item_that_is_kept_from_its_author_by_now_is_absent_in_the_repeated_answer(api: Api) -> None:
    acme = api.found()
    items = f"/v1/workspaces/{acme.workspace.id}/items"
    first = add(api, items, acme.token, under="k")
    with api.application.database.transaction() as tx:
        tx.execute(Statement("hide", "Keep items from everybody.", b"update items set audience_id = null"))
    again = add(api, items, acme.token, under="k")
    assert (first.status, again.status, again.problem) == (201, 404, "item-not-found")


def test_a_deleted_item_is_absent_in_the_repeated_answer(api: Api) -> None:
    acme = api.found()
    items = f"/v1/workspaces/{acme.workspace.id}/items"
    api.call("DELETE", f"{items}/{add(api, items, acme.token, under='k').json['id']}", key=acme.token)
    assert add(api, items, acme.token, under="k").problem == "item-not-found"
    assert api.call("GET", items, key=acme.token).json["items"] == []


def test_a_member_is_shown_again_only_to_who_is_an_admin_still(api: Api) -> None:
    acme = api.found()
    organization = f"/v1/organizations/{acme.organization.id}"
    admin = {"kind": "user", "name": "Eve", "organization_role": "admin"}
    eve = api.call("POST", f"{organization}/members", key=acme.token, json_body=admin).json["id"]
    issued = {"name": "k", "member_id": eve, "scopes": ["read", "write", "admin"]}
    key = api.call("POST", f"{organization}/api-keys", key=acme.token, json_body=issued).json["token"]

    def add_bob() -> Answered:
        bob = {"kind": "user", "name": "Bob", "email": "bob@example.org"}
        under = {"Idempotency-Key": "k"}
        return api.call("POST", f"{organization}/members", key=key, json_body=bob, headers=under)

    assert add_bob().json == add_bob().json
    demoted = {"organization_role": "member"}
    api.call("PATCH", f"{organization}/members/{eve}", key=acme.token, json_body=demoted)
    assert (add_bob().status, add_bob().problem) == (403, "action-forbidden")


def test_where_to_send_bytes_is_signed_anew_and_kept_nowhere(api: Api) -> None:
    acme = api.found()
    uploads = f"/v1/workspaces/{acme.workspace.id}/uploads"

    def begin() -> Answered:
        return api.call(
            "POST", uploads, key=acme.token, json_body={"path": "a.md", "bytes": 1}, headers={"Idempotency-Key": "k"}
        )

    first, again = begin(), begin()
    assert (first.status, again.status) == (201, 201)
    assert again.json["upload"] == first.json["upload"]
    assert again.headers["location"] == first.headers["location"]
    with api.application.database.transaction() as tx:
        kept = tx.fetch_all(Statement("kept", "Read what is kept.", b"select k::text as row from idempotency_keys k"))
    assert "signature" in first.json["target"]["url"]
    assert all("signature" not in row["row"] for row in kept)


def test_keys_are_forgotten_after_a_day(api: Api, application: Application) -> None:
    acme = api.found()
    items = f"/v1/workspaces/{acme.workspace.id}/items"
    add(api, items, acme.token, under="k")
    with application.database.transaction() as tx:
        assert forget_answers(tx, now=application.clock.now()) == 0
        assert forget_answers(tx, now=application.clock.now() + idempotency.KEPT_FOR) == 1


@pytest.mark.parametrize("key", ["", "a b", "ü", "x" * 256])
def test_a_key_that_is_none_is_refused(api: Api, key: str) -> None:
    acme = api.found()
    assert add(api, f"/v1/workspaces/{acme.workspace.id}/items", acme.token, under=key).problem == "invalid-header"
