"""What was uploaded comes to its path by the rights that its uploader has when it is read, and by no others."""

import io
from collections.abc import Callable

import pytest

from chalicelib.intake.receive_drop import DroppedObject, receive_drop, refuse_drop
from chalicelib.items.errors import InvalidPath
from tests.access_attacks.besieged import Besieged, Somebody

Lose = Callable[[Besieged, Somebody], None]


def state_of(besieged: Besieged, path: str) -> tuple[str, str]:
    (upload,) = [
        upload for upload in besieged.own("GET", f"{besieged.workspace}/uploads")["uploads"] if upload["path"] == path
    ]
    return upload["state"], str(upload["reason"]["type"]).rpartition(":")[2]


def demote(besieged: Besieged, who: Somebody) -> None:
    besieged.own("PUT", f"{besieged.workspace}/members/{who.id}", {"role": "viewer"})


def disable(besieged: Besieged, who: Somebody) -> None:
    besieged.own("PATCH", f"{besieged.organization}/members/{who.id}", {"disabled": True})


def remove(besieged: Besieged, who: Somebody) -> None:
    besieged.own("DELETE", f"{besieged.organization}/members/{who.id}")


@pytest.mark.parametrize("lose", [demote, disable, remove])
def test_nothing_comes_of_an_upload_whose_sender_may_not_write_any_more(besieged: Besieged, lose: Lose) -> None:
    editor = besieged.member("editor")
    present = besieged.add(besieged.owner, "x/a.md", "As it was.")
    for path in ("x/a.md", "x/new.md"):
        assert besieged.upload(editor, path, b"Written by who was an editor.").status == 202
    lose(besieged, editor)
    besieged.lorebase.drain()
    assert besieged.paths(besieged.owner) == ["x/a.md"]
    assert besieged.own("GET", present)["revision"] == 1
    assert state_of(besieged, "x/new.md") == ("failed", "action-forbidden")


def test_an_agent_brings_nobody_over_an_item_that_the_agent_alone_may_read(besieged: Besieged) -> None:
    user, agent = besieged.member("editor"), besieged.member("editor", kind="agent")
    item = besieged.add(besieged.owner, "x/a.md", "As it was.")
    besieged.say(item, audience={"kind": "named", "member_ids": [agent.id]})
    refused = besieged.upload(agent, "x/a.md", b"Anything.", headers={"X-On-Behalf-Of": user.id})
    assert refused.problem == "path-taken"
    begun = {"path": "x/a.md", "bytes": 9}
    refused = besieged.ask(agent, "POST", f"{besieged.workspace}/uploads", begun, headers={"X-On-Behalf-Of": user.id})
    assert refused.problem == "path-taken"


def test_a_refused_drop_of_no_valid_path_is_shown_to_owners_alone(besieged: Besieged) -> None:
    viewer = besieged.member("viewer")
    besieged.folder("hr", is_restricted=True)
    paths = [
        "/hr/fired.md",
        "./hr/fired.md",
        "hr /fired.md",
        "hr//fired.md",
        "hr/fired.md",
        "open/a.md",
        "x/../hr/f.md",
    ]
    with besieged.lorebase.database.transaction() as tx:
        for number, path in enumerate(paths):
            dropped = DroppedObject("main", path, f"drop/main/{path}", 3, str(number))
            refuse_drop(tx, dropped, error=InvalidPath("It is refused."), now=besieged.lorebase.clock.now())
    uploads = f"{besieged.workspace}/uploads"
    assert sorted(upload["path"] for upload in besieged.own("GET", uploads)["uploads"]) == sorted(paths)
    assert [upload["path"] for upload in besieged.done(viewer, "GET", uploads)["uploads"]] == ["open/a.md"]


def test_what_is_on_its_way_to_an_item_that_is_restricted_is_kept_as_well(besieged: Besieged) -> None:
    editor, viewer = besieged.member("editor"), besieged.member("viewer")
    item = besieged.add(editor, "x/a.md")
    upload = besieged.upload(editor, "x/a.md", b"The next revision.").json["upload"]["id"]
    address = f"{besieged.workspace}/uploads/{upload}"
    assert besieged.ask(viewer, "GET", address).status == 200
    besieged.say(item, is_restricted=True)
    assert besieged.ask(viewer, "GET", address).problem == "upload-not-found"
    assert besieged.ask(editor, "GET", address).status == 200


def test_a_drop_onto_what_somebody_keeps_tells_the_readers_of_the_folder_nothing(besieged: Besieged) -> None:
    editor, viewer = besieged.member("editor"), besieged.member("viewer")
    besieged.say(besieged.add(editor, "x/a.md"), who=editor, audience={"kind": "only_me"})
    wired, key = besieged.lorebase.wired, "drop/main/x/a.md"
    wired.originals.put(key, io.BytesIO(b"Dropped."))
    with besieged.lorebase.database.transaction() as tx:
        dropped = DroppedObject("main", "x/a.md", key, 8, "1")
        receive_drop(tx, dropped, rules=wired.intake_rules, now=besieged.lorebase.clock.now())
    besieged.lorebase.drain()
    for who in (viewer, besieged.owner):
        assert besieged.done(who, "GET", f"{besieged.workspace}/uploads")["uploads"] == []
        status = besieged.done(who, "GET", f"{besieged.workspace}/status")
        assert (status["failures"], sum(status["uploads"].values())) == ([], 0)
