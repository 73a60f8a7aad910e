"""Who may read, said and asked at the terminal against a server of one's own."""

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
    assert why.out.startswith("Vera cannot read legal/plan.md\nuser Vera, viewer of the workspace\n")
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
    for wrong in (
        ["legal"],
        ["legal", "--audience", "everybody"],
        ["legal", "--audience", "team:"],
        ["legal", "--audience", "team:Nobody"],
        ["legal", "--audience", "member:Vera", "--audience", "workspace"],
        ["legal", "--audience", "workspace", "--no-audience"],
    ):
        assert run("access", "set", *wrong).code == 2, wrong
    assert run("access", "set", "legal", "--environment", "nosuch").code == 1
    assert run("access", "set", "legla/plan.md", "--restrict").code == 3
    assert run("access", "set", "legal", "--restrict", LOREBASE_KEY=desk.viewer_key).code == 4
    assert run("grant", "legal/plan.md", "--to", "Vera").code == 2
    assert run("access", "show", "legal", "--json").json["is_restricted"] is False
    assert desk.sees()


def test_a_folder_that_is_to_come_is_named_with_a_slash(desk: Desk) -> None:
    run = desk.served.run
    assert run("access", "set", "secret/", "--restrict", "--json").json["is_restricted"] is True
    (desk.served.cwd / "secret.md").write_text("# Secret\n")
    assert run("upload", "secret.md", "--to", "secret").code == 0
    assert run("show", "secret/secret.md", LOREBASE_KEY=desk.viewer_key).code == 3
