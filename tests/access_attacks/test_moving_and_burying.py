"""The right to write one item is none to lay it into a folder, and nothing is left there for what comes after it."""

import pytest

from tests.access_attacks.besieged import Besieged


def test_who_may_write_one_item_alone_cannot_lay_it_into_a_folder_that_is_kept(besieged: Besieged) -> None:
    guest = besieged.member()
    besieged.folder("legal", is_restricted=True)
    besieged.add(besieged.owner, "legal/there.md")
    item = besieged.add(besieged.owner, "x/a.md")
    besieged.grant(item, "write", guest)
    said = {
        besieged.ask(guest, "PATCH", item, {"path": path}).json["detail"]
        for path in ("legal/there.md", "legal/free.md", "elsewhere/free.md")
    }
    assert len(said) == 1
    assert besieged.ask(guest, "PATCH", item, {"path": "legal/free.md"}).problem == "action-forbidden"
    assert besieged.ask(guest, "PATCH", item, {"body": "What it may do."}).status == 200


def test_an_open_item_is_no_way_into_a_folder_that_its_writer_may_not_read(besieged: Besieged) -> None:
    editor = besieged.member("editor")
    besieged.folder("legal", is_restricted=True)
    item = besieged.add(besieged.owner, "x/open.md")
    besieged.say(item, inherits=False, audience={"kind": "organization"})
    assert besieged.ask(editor, "PATCH", item, {"path": "legal/plan.md"}).problem == "action-forbidden"
    besieged.done(editor, "PATCH", item, {"path": "y/open.md"})
    besieged.done(editor, "DELETE", item)
    besieged.add(besieged.owner, "legal/plan.md", "The plan.")
    assert besieged.paths(editor) == []


def test_nothing_is_restored_into_a_folder_by_the_right_to_write_it_alone(besieged: Besieged) -> None:
    guest = besieged.member()
    besieged.folder("legal", is_restricted=True)
    besieged.add(besieged.owner, "legal/there.md")
    item = besieged.add(besieged.owner, "x/a.md")
    besieged.grant(item, "write", guest)
    besieged.done(guest, "DELETE", item)
    trashed = item.replace("/items/", "/trash/")
    for path in ("legal/there.md", "legal/free.md"):
        assert besieged.ask(guest, "POST", f"{trashed}/restore", {"path": path}).problem == "action-forbidden"
    besieged.done(guest, "POST", f"{trashed}/restore", {})


def test_an_upload_does_not_bury_its_item_where_its_sender_may_not_write(besieged: Besieged) -> None:
    viewer = besieged.member("viewer")
    besieged.grant(besieged.folder("inbox"), "write", viewer)
    upload = besieged.upload(viewer, "inbox/a.md", b"text").json["upload"]["id"]
    besieged.lorebase.drain()
    (item,) = besieged.own("GET", f"{besieged.workspace}/items")["items"]
    address = f"{besieged.workspace}/items/{item['id']}"
    besieged.own("PATCH", address, {"path": "archive/a.md"})
    refused = besieged.ask(viewer, "DELETE", f"{besieged.workspace}/uploads/{upload}", query={"item": "delete"})
    assert refused.problem == "action-forbidden"
    assert besieged.ask(viewer, "GET", address).status == 200


@pytest.mark.parametrize("is_editors_own", [True, False])
def test_what_opens_an_item_is_not_left_to_what_others_put_where_it_lay(
    besieged: Besieged, *, is_editors_own: bool
) -> None:
    editor, guest = besieged.member("editor"), besieged.member()
    besieged.folder("legal", audience={"kind": "named", "member_ids": [editor.id]})
    item = besieged.add(editor if is_editors_own else besieged.owner, "x/open.md")
    besieged.grant(item, "read", guest)
    besieged.say(item, inherits=False, audience={"kind": "organization"})
    besieged.done(editor, "PATCH", item, {"path": "legal/plan.md"})
    assert besieged.paths(guest) == ["legal/plan.md"]
    besieged.done(editor, "DELETE", item)
    other = besieged.member("owner")
    made = besieged.add(other, "legal/plan.md", "The plan.")
    assert besieged.paths(guest) == []
    assert besieged.done(editor, "GET", made)["path"] == "legal/plan.md"


def test_what_is_left_to_owners_stays_so_when_another_one_brings_it_back(besieged: Besieged) -> None:
    editor, viewer = besieged.member("editor"), besieged.member("viewer")
    item = besieged.add(besieged.owner, "x/a.md")
    besieged.say(item, inherits=False)
    besieged.own("DELETE", item)
    assert besieged.upload(editor, "x/a.md", b"Brought back.").status == 202
    besieged.lorebase.drain()
    assert (besieged.paths(viewer), besieged.paths(editor)) == ([], ["x/a.md"])


def test_who_brings_back_their_own_brings_back_whom_it_was_granted_to(besieged: Besieged) -> None:
    guest = besieged.member()
    item = besieged.add(besieged.owner, "x/a.md")
    besieged.grant(item, "read", guest)
    besieged.own("DELETE", item)
    besieged.add(besieged.owner, "x/a.md")
    assert besieged.paths(guest) == ["x/a.md"]
