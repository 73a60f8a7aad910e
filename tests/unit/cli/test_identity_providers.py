"""Issuers at the command line: trusted, tried and forgotten; and the command itself asks with a token of one."""

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from tests.fixtures.issuers import CLIENT, Issuer, first_key, issuer
from tests.fixtures.served import CommandLine, running

__all__ = ["first_key", "issuer"]


@pytest.fixture
def trying(command_line: CommandLine, conninfo: str) -> Iterator[CommandLine]:
    """The command beside a server that takes issuers on this machine."""
    with running(command_line, LOREBASE_DATABASE_URL=conninfo, LOREBASE_LOOPBACK_ISSUERS="true"):
        yield command_line


def test_an_issuer_is_trusted_tried_and_forgotten(trying: CommandLine, issuer: Issuer) -> None:
    slashed = trying.run("identity-providers", "create", issuer.url + "/", "--audience", CLIENT)
    assert (slashed.code, "a slash at the end included" in slashed.err) == (1, True)
    created = trying.run("identity-providers", "create", issuer.url, "--audience", CLIENT, "--name", "Ours", "--json")
    assert created.code == 0, created.err
    provider = created.json["id"]
    token = issuer.token(datetime.now(UTC), name="Zoë")

    refused = trying.run("identity-providers", "test", provider, stdin=token)
    assert (refused.code, refused.out.startswith("refused  ")) == (1, True)
    assert trying.run("workspaces", "list", LOREBASE_KEY=token).code == 4

    assert trying.run("identity-providers", "change", provider, "--admit", "--domain", "example.com").code == 0
    assert trying.run("identity-providers", "test", provider, "-", stdin=token).code == 1
    assert trying.run("identity-providers", "change", provider, "--any-domain").code == 0
    taken = trying.run("identity-providers", "test", provider, stdin=token + "\n")
    assert taken.out == "taken  subject-1 is a new member, admitted\n"
    assert trying.run("workspaces", "list", LOREBASE_KEY=token).code == 0

    (member,) = trying.run("identity-providers", "members", provider, "--json").json["members"]
    assert (member["subject"], member["known_by"]) == ("subject-1", "admission")
    assert "Ours" in trying.run("identity-providers", "list").out
    assert trying.run("identity-providers", "forget", provider, member["member_id"]).code == 0
    assert trying.run("identity-providers", "forget", provider, member["member_id"]).code == 3

    assert trying.run("identity-providers", "change", provider, "--disable").code == 0
    assert trying.run("workspaces", "list", LOREBASE_KEY=token).code == 4
    assert trying.run("identity-providers", "delete", provider).code == 0
    assert trying.run("identity-providers", "list", "--json").json == {"identity_providers": []}
