"""`lorebase recover-key` on the data folder, beside the running server and without one."""

from uuid import uuid4

import pytest

from tests.fixtures.served import CommandLine


def test_beside_the_running_server_a_lost_key_is_replaced(served: CommandLine, conninfo: str) -> None:
    owner_key = served.home / "owner-key"
    lost = owner_key.read_text()
    owner_key.unlink()
    assert served.run("status").code == 4
    recovered = served.run("recover-key", "--keep", LOREBASE_DATABASE_URL=conninfo)
    assert (recovered.code, recovered.out.strip()) == (0, owner_key.read_text())
    assert recovered.out.strip() != lost
    assert (served.run("status").code, owner_key.stat().st_mode & 0o777) == (0, 0o600)
    listed = served.run("--json", "keys", "list").json["api_keys"]
    assert [key["name"] for key in listed] == ["first key", "recovered key"]


def test_without_keep_the_key_is_printed_alone(served: CommandLine, conninfo: str) -> None:
    kept = (served.home / "owner-key").read_text()
    recovered = served.run("--json", "recover-key", LOREBASE_DATABASE_URL=conninfo)
    assert served.run("keys", "list", LOREBASE_KEY=recovered.json["token"]).code == 0
    assert (served.home / "owner-key").read_text() == kept


def test_an_organization_that_is_not_there_is_not_found(served: CommandLine, conninfo: str) -> None:
    ran = served.run("recover-key", "--organization", str(uuid4()), LOREBASE_DATABASE_URL=conninfo)
    assert (ran.code, ran.out) == (3, "")


@pytest.mark.parametrize("exists", [True, False])
def test_where_no_server_ever_ran_nothing_comes_into_being(command_line: CommandLine, *, exists: bool) -> None:
    home = command_line.home
    if exists:
        home.mkdir()
    ran = command_line.run("recover-key")
    assert (ran.code, "No server has ever run" in ran.err) == (3, True)
    assert list(home.iterdir()) == [] if exists else not home.exists()
