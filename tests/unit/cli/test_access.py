"""Who may read, said and asked at the terminal against a server of one's own."""

from uuid import uuid4

import pytest

from tests.fixtures.served import CommandLine


class Desk:
    """The owner's command line, with a document in a folder, a team and a viewer."""

    def __init__(self, served: CommandLine) -> None:
        self.served = served
        folder = served.cwd / "legal"
        folder.mkdir()
        (folder / "plan.md").write_text("# Plan\n\nText.\n")
        assert served.run("upload", "legal", "--json").code == 0
        self.owner = served.run("members", "list", "--json").json["members"][0]["name"]
        self.viewer = served.run("members", "add", "user", "Vera", "--email", "vera@example.org", "--json").json["id"]
        assert served.run("members", "place", self.viewer, "viewer").code == 0
        made = served.run("keys", "create", "vera", "--member", self.viewer, "--json").json
        self.viewer_key = made["token"]

    def sees(self) -> bool:
        return self.served.run("show", "legal/plan.md", LOREBASE_KEY=self.viewer_key).code == 0


@pytest.fixture
def desk(served: CommandLine) -> Desk:
    return Desk(served)


def test_who_may_read_is_said_explained_granted_and_revoked(desk: Desk) -> None:
    run = desk.served.run
    assert desk.sees()
    assert "audience     that of the folder above" in run("access", "show", "legal").out
    assert run("access", "set", "legal/plan.md", "--restrict").code == 0
    assert not desk.sees()

    why = run("access", "why", "legal/plan.md", "--member", "Vera")
    assert why.out.startswith("Vera can neither read nor write legal/plan.md\nuser Vera, viewer of the workspace\n")
    assert f"  restriction at legal/plan.md ({desk.owner}): not met" in why.out
    assert run("access", "why", "legal/plan.md", LOREBASE_KEY=desk.viewer_key).code == 3

    granted = run("grant", "legal/plan.md", "--to", "member:vera@example.org", "--write", "--json").json
    assert [grant["action"] for grant in granted["grants"]] == ["write"]
    assert desk.sees()
    told = run("access", "why", "legal/plan.md", LOREBASE_KEY=desk.viewer_key).out
    assert "  restriction at legal/plan.md: met by grant at legal/plan.md on " in told
    readers = run("access", "readers", "legal/plan.md", "--json").json["readers"]
    assert {reader["name"] for reader in readers} == {desk.owner, "Vera"}
    assert "member:Vera" in run("grants", "legal/plan.md").out
    assert run("grants", "legal/").code == 0

    assert run("revoke", "legal/plan.md", "member:Vera").code == 0
    assert not desk.sees()
    assert run("revoke", "legal/plan.md", "member:Vera").code == 3
    assert run("grants", "legal/plan.md", "--json").json["grants"] == []


def test_set_changes_what_was_named_and_leaves_the_rest(desk: Desk) -> None:
    run = desk.served.run
    first = run("access", "set", "legal", "--audience", f"member:{desk.viewer}", "--no-inherit", "--json").json
    assert (first["audience"]["member_ids"], first["inherits"]) == ([desk.viewer], False)
    second = run("access", "set", "legal", "--environment", "default", "--json").json
    assert second == {**first, "environment": "default"}
    third = run("access", "set", "legal", "--audience", "organization", "--no-environment", "--json").json
    assert (third["audience"]["kind"], third["inherits"], third["environment"]) == ("organization", False, None)
    assert run("access", "set", "legal/plan.md", "--audience", "only-me", "--json").code == 0
    kept = run("access", "set", "legal/plan.md", "--inherit", "--json").json
    assert kept["audience"]["kind"] == "only_me"
    assert not desk.sees()
    assert run("access", "set", "legal/plan.md", "--no-audience").code == 0
    assert run("access", "set", "legal", "--inherit", "--no-audience").code == 0
    assert desk.sees()


def test_what_is_said_wrongly_changes_nothing(desk: Desk) -> None:
    run = desk.served.run
    for wrong, code in (
        (["legal"], 2),
        (["legal", "--audience", "everybody"], 2),
        (["legal", "--audience", "team:"], 2),
        (["legal", "--audience", "team:Nobody"], 3),
        (["legal", "--audience", "member:Nobody"], 3),
        (["legal", "--audience", f"member:{uuid4()}"], 3),
        (["legal", "--audience", "member:Vera", "--audience", "workspace"], 2),
        (["legal", "--audience", "workspace", "--no-audience"], 2),
        (["legal", "--environment", "nosuch"], 3),
        (["legla/plan.md", "--restrict"], 3),
    ):
        assert run("access", "set", *wrong).code == code, wrong
    assert run("access", "set", "legal", "--restrict", LOREBASE_KEY=desk.viewer_key).code == 4
    assert run("grant", "legal/plan.md", "--to", "Vera").code == 2
    assert run("grant", "legal/plan.md", "--to", "member:Nobody").code == 3
    assert run("access", "show", "legal", "--json").json["is_restricted"] is False
    assert desk.sees()


def test_a_folder_that_is_to_come_is_said_to_be_new(desk: Desk) -> None:
    run = desk.served.run
    assert run("access", "set", "secret/", "--restrict", "--new", "--json").json["is_restricted"] is True
    (desk.served.cwd / "secret.md").write_text("# Secret\n")
    assert run("upload", "secret.md", "--to", "secret").code == 0
    assert run("show", "secret/secret.md", LOREBASE_KEY=desk.viewer_key).code == 3


@pytest.mark.parametrize(
    ("wrong", "meant"),
    [("Legal/", "legal/"), ("leagl/", "legal/"), ("nosuch/", ""), ("Legal/Plan.md", "legal/plan.md")],
)
def test_a_folder_that_was_mistyped_is_not_spoken_of(desk: Desk, wrong: str, meant: str) -> None:
    for said in (["access", "set", wrong, "--restrict"], ["grant", wrong, "--to", "member:Vera"]):
        refused = desk.served.run(*said)
        assert refused.code == 3
        assert "say --new to speak of a folder to come." in refused.err
        assert (f"Did you mean {meant}?" in refused.err) == bool(meant)
    for asked in (["why", wrong], ["readers", wrong], ["show", wrong]):
        missing = desk.served.run("access", *asked)
        assert (missing.code, "--new" in missing.err) == (3, False)
        assert f"Nothing lies {'in' if wrong.endswith('/') else 'at'} {wrong};" in missing.err
    assert desk.served.run("access", "list", "--json").json == {"folders": []}


def test_what_is_said_about_folders_is_listed_and_forgotten(desk: Desk) -> None:
    run = desk.served.run
    assert run("access", "list").err == "Nothing is said about any folder.\n"
    run("access", "why", "legal/")
    assert run("access", "list", "--json").json == {"folders": []}
    run("access", "set", "legal/", "--restrict")
    run("grant", "legal/", "--to", "member:Vera")
    run("access", "set", "later/", "--audience", "member:Vera", "--new")
    rows = [line.split("\t")[:6] for line in run("access", "list").out.splitlines()[1:]]
    assert rows == [["later/", "member:Vera", "yes", "no", "", "0"], ["legal/", "", "yes", "yes", "", "1"]]
    assert run("access", "list", LOREBASE_KEY=desk.viewer_key).code == 4

    asked = run("access", "forget", "legal/")
    assert (asked.code, "Say --yes" in asked.err) == (2, True)
    assert run("access", "forget", "legal/", "--yes").out == "forgotten  legal/\n"
    assert run("access", "forget", "legal/", "--yes").code == 3
    assert [folder["path"] for folder in run("access", "list", "--json").json["folders"]] == ["later"]
    assert desk.sees()


def test_who_cannot_read_would_write_by_its_role(desk: Desk) -> None:
    run = desk.served.run
    assert run("members", "place", desk.viewer, "editor").code == 0
    assert run("access", "why", "legal/plan.md", "--member", "vera").out.startswith(
        "Vera can read and write legal/plan.md"
    )
    run("access", "set", "legal/plan.md", "--restrict")
    told = run("access", "why", "legal/plan.md", "--member", "Vera").out
    assert told.startswith("Vera can neither read nor write legal/plan.md\n")
    assert "  would write by role, once it can read it\n" in told
    assert "  writes by" not in told


def test_what_is_for_owners_is_said_and_not_asked_in_vain(desk: Desk) -> None:
    run = desk.served.run
    for asked in (["access", "why", "legal/"], ["access", "show", "legal"], ["grants", "legal/"]):
        refused = run(*asked, LOREBASE_KEY=desk.viewer_key)
        assert (refused.code, "ask about an item" in refused.err) == (4, True)
    assert run("access", "why", "nosuch.md", LOREBASE_KEY=desk.viewer_key).code == 3
    assert run("access", "why", "legal/plan.md", LOREBASE_KEY=desk.viewer_key).code == 0
    named = run("access", "why", "legal/plan.md", "--member", desk.owner, LOREBASE_KEY=desk.viewer_key)
    assert (named.code, "only admins" in named.err.lower()) == (4, True)
    assert run("activity", "--outcome", "refused", "--json").json == {"activity": []}
