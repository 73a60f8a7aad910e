"""Members, teams, environments, keys and acting for others at the terminal, against a server of its own."""

from typing import Any
from uuid import uuid4

import pytest

from tests.fixtures.served import CommandLine


def made(served: CommandLine, *arguments: str, **environment: str) -> Any:
    ran = served.run("--json", *arguments, **environment)
    assert ran.code == 0, ran.err
    return ran.json


def test_people_are_invited_join_and_are_put_into_teams(served: CommandLine) -> None:
    invitation = made(served, "members", "invite", "eve@example.org", "--role", "viewer", "--days", "3")
    accepted = served.run("invitations", "accept", "-", "Eve", stdin=invitation["token"] + "\n", LOREBASE_KEY="")
    assert (accepted.code, accepted.out.startswith("lb_")) == (0, True)
    key = accepted.out.strip()
    [eve] = [entry for entry in made(served, "members", "list")["members"] if entry["name"] == "Eve"]
    assert list(eve["roles"].values()) == ["viewer"]
    assert "accepted" in served.run("invitations", "list").out
    again = served.run("invitations", "accept", invitation["token"], "Mallory")
    assert (again.code, again.out) == (3, "")

    team = made(served, "teams", "create", "Editors")["id"]
    assert made(served, "teams", "list", LOREBASE_KEY=key)["teams"] == []
    assert served.run("teams", "add", team, eve["id"]).out == f"added  {eve['id']}\n"
    assert served.run("teams", "rename", team, "Writers").code == 0
    assert [seen["name"] for seen in made(served, "teams", "list", LOREBASE_KEY=key)["teams"]] == ["Writers"]
    assert "eve@example.org" in served.run("teams", "members", team).out
    assert served.run("teams", "remove", team, eve["id"]).code == 0
    assert served.run("teams", "delete", team, "--yes", LOREBASE_KEY=key).code == 4
    for command in ("members", "delete", "Eve"), ("teams", "delete", "writers"):
        asked = served.run(*command)
        assert (asked.code, "Say --yes" in asked.err) == (2, True)
    made(served, "access", "set", "later/", "--audience", "team:Writers", "--new")
    assert served.run("teams", "delete", "writers", "--yes").out == "deleted  writers\n"
    assert "audience     (deleted team)\n" in served.run("access", "show", "later/").out

    assert served.run("members", "delete", eve["id"], "--yes").code == 0
    assert served.run("status", LOREBASE_KEY=key).code == 4


def test_an_invitation_is_revoked(served: CommandLine) -> None:
    invitation = made(served, "members", "invite", "eve@example.org")
    assert served.run("invitations", "revoke", invitation["id"]).code == 0
    assert served.run("invitations", "accept", invitation["token"], "Eve").code == 3
    assert "revoked" in served.run("invitations", "list").out


def test_agents_are_put_into_environments(served: CommandLine) -> None:
    assert served.run("environments", "create", "staging").code == 0
    bot = made(served, "members", "add", "agent", "Bot", "--environment", "staging")
    assert bot["environment"] == "staging"
    assert served.run("environments", "delete", "staging").code == 1
    assert made(served, "members", "environment", bot["id"], "default")["environment"] is None
    assert served.run("environments", "delete", "staging").code == 0
    missing = served.run("environments", "delete", "staging")
    assert (missing.code, "no environment called staging" in missing.err) == (3, True)
    assert made(served, "environments", "list") == {"environments": []}


def test_keys_are_rotated_and_acting_is_told_by_options(served: CommandLine) -> None:
    bot = made(served, "members", "add", "agent", "Bot")["id"]
    ann = made(served, "members", "add", "user", "Ann")["id"]
    for member in (bot, ann):
        assert served.run("members", "place", member, "viewer").code == 0
    old = made(served, "keys", "create", "bot", "--member", bot)
    new = made(served, "keys", "rotate", old["id"], "--overlap", "0")
    assert served.run("status", LOREBASE_KEY=old["token"]).code == 4
    assert served.run("status", LOREBASE_KEY=new["token"]).code == 0

    acting = ("--on-behalf-of", ann)
    assert served.run(*acting, "status", LOREBASE_KEY=new["token"]).code == 0
    assert served.run("status", *acting, LOREBASE_KEY=new["token"]).code == 0
    assert served.run("status", *acting).code == 4, "the owner's key is a user's"
    assert served.run("members", "place", ann, "owner").code == 0
    role = made(served, "workspaces", "list", *acting, LOREBASE_KEY=new["token"])["workspaces"][0]["role"]
    assert role == "viewer"
    assert made(served, "workspaces", "list", "--simulate-as", bot)["workspaces"][0]["role"] == "viewer"
    assert served.run("teams", "create", "x", "--simulate-as", bot).code == 4
    assert made(served, "workspaces", "list", "--simulate-as", "Bot")["workspaces"][0]["role"] == "viewer"
    assert served.run("status", "--simulate-as", "Nobody").code == 3
    unnamed = served.run("status", "--on-behalf-of", "Ann", LOREBASE_KEY=new["token"])
    assert (unnamed.code, "Only admins can look for Ann" in unnamed.err) == (4, True)

    rows = [line.split("\t") for line in served.run("keys", "list").out.splitlines()]
    owner = rows[1][4]
    assert rows[0][3:7] == ["SCOPES", "MEMBER", "MADE BY", "FOLLOWS"]
    assert [row[4:7] for row in rows[2:]] == [["Bot", owner, ""], ["Bot", owner, rows[2][2]]]
    own = [line.split("\t") for line in served.run("keys", "list", LOREBASE_KEY=new["token"]).out.splitlines()[1:]]
    assert [row[4] for row in own] == ["Bot", "Bot"]


def test_members_and_teams_are_named_as_people_name_them(served: CommandLine) -> None:
    made(served, "members", "add", "user", "Ann", "--email", "ann@example.org")
    same = [made(served, "members", "add", "user", "Kim")["id"] for _ in range(2)]
    made(served, "teams", "create", "Legal")
    assert served.run("members", "place", "ANN@example.org", "editor").out == "placed  ANN@example.org as editor\n"
    assert served.run("teams", "add", "legal", "Ann").out == "added  Ann\n"
    assert [row["name"] for row in made(served, "teams", "members", "Legal")["members"]] == ["Ann"]
    assert served.run("teams", "remove", "Legal", "ann@example.org").code == 0

    ambiguous = served.run("members", "place", "Kim", "viewer")
    assert (ambiguous.code, all(member in ambiguous.err for member in same)) == (2, True)
    for missing in (
        ["members", "place", "Nobody", "viewer"],
        ["teams", "members", "Nobody"],
        ["members", "environment", "Ann", "nosuch"],
        ["members", "add", "agent", "Bot", "--environment", "nosuch"],
        ["trash", "--deleted-by", "Nobody"],
        ["activity", "--actor", "Nobody"],
        ["keys", "create", "x", "--member", "Nobody"],
    ):
        assert served.run(*missing).code == 3, missing

    members, _, ann = served.run("members", "list").out.splitlines()[:3]
    assert members.split("\t")[3:] == ["ORG ROLE", "ROLES", "EMAIL", "ENVIRONMENT", "STATE"]
    assert ann.split("\t")[2:6] == ["Ann", "member", "main: editor", "ann@example.org"]
    removed = served.run("members", "remove", "Ann")
    assert (removed.out, "they stay in as a guest" in removed.err) == ("removed  Ann\n", True)
    invited = served.run("members", "invite", "eve@example.org", "--role", "viewer")
    assert "--endpoint http" in invited.err
    assert "invitations accept - NAME" in invited.err
    assert "\tmember\tmain: viewer\topen\t" in served.run("invitations", "list").out


@pytest.mark.parametrize(
    "options",
    [
        ["--on-behalf-of", ""],
        ["--simulate-as", " "],
        ["--on-behalf-of", str(uuid4()), "--simulate-as", str(uuid4())],
    ],
)
def test_a_member_that_did_not_arrive_is_never_left_out(command_line: CommandLine, options: list[str]) -> None:
    for arguments in ([*options, "status"], ["status", *options]):
        ran = command_line.run(*arguments, "--key", "lb_x")
        assert (ran.code, "--on-behalf-of" in ran.err or "--simulate-as" in ran.err) == (2, True)


def test_nobody_is_placed_as_a_guest(command_line: CommandLine) -> None:
    ran = command_line.run("members", "place", str(uuid4()), "guest")
    assert (ran.code, "guest" in ran.err) == (2, True)
