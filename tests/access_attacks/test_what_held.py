"""Look-alikes of a path, ids and headers that were guessed, and rights that nobody has, get nobody anything."""

import unicodedata
from typing import Any

import pytest

from chalicelib.database.ids import new_id
from tests.access_attacks.besieged import Besieged


@pytest.mark.parametrize("folder", ["h%", "h_", "hr", "h'r", "a.b", "(hr)", "Ä"])
def test_a_folder_is_its_path_and_no_pattern(besieged: Besieged, folder: str) -> None:
    viewer = besieged.member("viewer")
    besieged.folder(folder, is_restricted=True)
    for path in (f"{folder}/a.md", f"{folder}x/a.md", f"x{folder}/a.md", "hq/a.md", "axb/a.md", f"{folder}.md"):
        besieged.add(besieged.owner, path)
    besieged.add(besieged.owner, f"{folder}/x/{folder}/a.md")
    open_to_all = {f"{folder}x/a.md", f"x{folder}/a.md", "hq/a.md", "axb/a.md", f"{folder}.md"}
    assert set(besieged.paths(viewer)) == open_to_all
    for asked in (folder, f"{folder}/", f"/{folder}", unicodedata.normalize("NFD", folder)):
        assert besieged.paths(viewer, folder=asked) == []
        assert besieged.done(viewer, "GET", f"{besieged.workspace}/tree", query={"folder": asked})["items"] == []


def test_another_form_of_accents_leads_into_the_same_folder(besieged: Besieged) -> None:
    viewer, editor = besieged.member("viewer"), besieged.member("editor")
    besieged.folder("Büro", is_restricted=True)
    path = unicodedata.normalize("NFD", "Büro/a.md")
    besieged.add(besieged.owner, path)
    assert besieged.upload(besieged.owner, unicodedata.normalize("NFD", "Büro/b.md"), b"text").status == 202
    besieged.lorebase.drain()
    assert besieged.paths(viewer) == []
    assert besieged.paths(besieged.owner) == ["Büro/a.md", "Büro/b.md"]
    assert besieged.upload(editor, unicodedata.normalize("NFD", "Büro/c.md"), b"text").problem == "action-forbidden"


@pytest.mark.parametrize("headers", [{"If-None-Match": '"1"'}, {"If-None-Match": "*"}, {"If-Match": '"9"'}])
def test_a_guessed_revision_of_what_x_from_none(besieged: Besieged, headers: dict[str, str]) -> None:
    editor = besieged.member("editor")
    item = besieged.add(besieged.owner, "x/a.md")
    besieged.say(item, is_restricted=True)
    absent = f"{besieged.workspace}/items/{new_id()}"
    for method, body in (("GET", None), ("PATCH", {"title": "Mine"}), ("DELETE", None)):
        answers = [besieged.ask(editor, method, address, body, headers=headers) for address in (item, absent)]
        assert [answered.problem for answered in answers] == ["item-not-found"] * 2
        assert answers[0].json["detail"] == answers[1].json["detail"]
        assert "etag" not in answers[0].headers


def test_an_editor_and_a_guest_who_may_write_give_nobody_anything(besieged: Besieged) -> None:
    editor, guest = besieged.member("editor"), besieged.member()
    item, folder = besieged.add(besieged.owner, "x/a.md"), besieged.folder("x")
    besieged.grant(folder, "write", guest)
    team = besieged.own("POST", f"{besieged.organization}/teams", {"name": "Legal"})["id"]
    base = besieged.own("POST", f"{besieged.workspace}/knowledge-bases", {"name": "K", "visibility": "workspace"})["id"]
    there = {"item": item, "folder": folder, "team": team, "base": base}
    for who in (editor, guest):
        for method, path, body in _giving(besieged, there, who.id):
            answered = besieged.ask(who, method, path, body)
            assert answered.status in {403, 404}, f"{method} {path} {answered.status}"
        assert besieged.ask(who, "GET", f"{besieged.workspace}/activity").problem == "action-forbidden"


def _giving(besieged: Besieged, there: dict[str, str], own_id: str) -> list[tuple[str, str, dict[str, Any] | None]]:
    organization, workspace = besieged.organization, besieged.workspace
    item, folder, team, base = (there[name] for name in ("item", "folder", "team", "base"))
    grant = {"action": "write", "member_id": own_id}
    key = {"name": "k", "member_id": besieged.owner.id, "scopes": ["read"]}
    return [
        ("POST", f"{item}/grants", grant),
        ("POST", f"{folder}/grants", grant),
        ("POST", f"{workspace}/knowledge-bases/{base}/grants", grant),
        ("PATCH", f"{workspace}/knowledge-bases/{base}", {"visibility": "organization"}),
        ("PUT", f"{item}/access", {"inherits": False, "audience": {"kind": "organization"}}),
        ("PUT", f"{folder}/access", {"inherits": False}),
        ("DELETE", folder, None),
        ("POST", f"{workspace}/folders", {"path": "x/y"}),
        ("PUT", f"{workspace}/members/{own_id}", {"role": "owner"}),
        ("PUT", f"{organization}/teams/{team}/members/{own_id}", None),
        ("PATCH", f"{organization}/members/{own_id}", {"organization_role": "admin"}),
        ("POST", f"{organization}/invitations", {"email": "a@example.org", "organization_role": "admin"}),
        ("POST", f"{organization}/members", {"kind": "user", "name": "Another me"}),
        ("POST", f"{organization}/api-keys", key),
        ("DELETE", f"{workspace}/trash", None),
    ]


def test_a_key_makes_none_that_may_more(besieged: Besieged) -> None:
    editor = besieged.member("editor")
    besieged.own("POST", f"{besieged.organization}/workspaces", {"slug": "other", "name": "Other"})
    keys = f"{besieged.organization}/api-keys"
    here = besieged.workspace.rpartition("/")[2]
    limited = besieged.key_of(besieged.owner.id, within=[here])
    lesser = besieged.key_of(editor.id, ["read", "admin"])
    wanted = {"name": "k", "member_id": besieged.owner.id, "scopes": ["read"]}
    made = besieged.api.call("POST", keys, key=limited, json_body=wanted)
    assert made.json["workspace_ids"] == [here]
    wider = besieged.api.call(
        "POST", keys, key=lesser, json_body={**wanted, "member_id": editor.id, "scopes": ["write"]}
    )
    assert wider.problem == "action-forbidden"
    listed = besieged.done(editor, "GET", keys)["api_keys"]
    for listed_key in listed:
        if "write" in listed_key["scopes"]:
            rotated = besieged.api.call("POST", f"{keys}/{listed_key['id']}/rotate", key=lesser, json_body={})
            assert rotated.problem == "action-forbidden"
    (unlimited,) = [key for key in besieged.own("GET", keys)["api_keys"] if key["member_id"] == besieged.owner.id][:1]
    rotated = besieged.api.call("POST", f"{keys}/{unlimited['id']}/rotate", key=limited, json_body={})
    assert rotated.problem == "action-forbidden"


def test_what_is_kept_under_a_key_is_for_its_own_sender_alone(besieged: Besieged) -> None:
    editor, other = besieged.member("editor"), besieged.member("editor")
    under = {"Idempotency-Key": "same"}
    body = {"path": "x/a.md", "body": "Kept."}
    items = f"{besieged.workspace}/items"
    made = besieged.done(editor, "POST", items, body, headers=under)
    besieged.say(f"{items}/{made['id']}", who=editor, audience={"kind": "only_me"})
    assert besieged.ask(other, "POST", items, body, headers=under).problem == "path-taken"
    assert besieged.done(editor, "POST", items, body, headers=under)["id"] == made["id"]
