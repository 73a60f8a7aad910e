"""The command shows usage, and sets, shows and clears budgets."""

from tests.fixtures.served import CommandLine


def test_a_budget_is_set_shown_with_the_usage_and_cleared(served: CommandLine) -> None:
    empty = served.run("usage", "--by", "model")
    assert (empty.code, empty.out.split()[:2]) == (0, ["MODEL", "CALLS"])
    assert "total" in empty.out
    assert served.run("budget", "show").code == 3
    shown = served.run("budget", "set", "--tokens", "2000000")
    assert shown.code == 0
    assert shown.out.startswith("budget  organization: 0 of 2,000,000 tokens in ")
    assert shown.out.endswith("(0%, within)\n")
    assert served.run("usage").out.splitlines()[-1] == served.run("budget", "show").out.strip() == shown.out.strip()
    here = served.run("budget", "set", "--here", "--tokens", "0", "--json")
    assert (here.json["state"], here.json["share"]) == ("spent", 1.0)
    assert served.run("budget", "show", "--here").out.startswith("budget  workspace main: 0 of 0 tokens in ")
    assert "spent); work waits until " in served.run("usage", "--here").out
    assert served.run("budget", "clear").out == "cleared\n"
    assert served.run("budget", "clear").code == 3
    assert served.run("usage", "--month", "2020-01", "--json").json["entries"] == []


def test_a_budget_of_nothing_in_particular_is_wrong_usage(served: CommandLine) -> None:
    assert served.run("budget", "set").code == 2
    assert served.run("budget", "set", "--tokens", "-1").code == 2
    refused = served.run("budget", "set", "--money", "5", "--json")
    assert (refused.code, refused.problem["type"]) == (1, "urn:lorebase:problem:budget-refused")
    assert served.run("usage", "--month", "November").code == 1
