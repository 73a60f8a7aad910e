"""At the terminal: every command that reads tells each member of what the rules let them read, and of nothing else."""

from collections.abc import Iterator

import pytest

from tests.fixtures.served import CommandLine, command_line, served

__all__ = ["command_line", "served"]

TOPICS = {"open": "openword", "team": "teamword", "named": "namedword", "restricted": "restrictedword"}


class Office:
    """Four folders with a document each, for everybody, a team, one person and owners; a fifth document is deleted."""

    def __init__(self, served: CommandLine) -> None:
        self.served = served
        for topic, word in TOPICS.items():
            (served.cwd / topic).mkdir()
            (served.cwd / topic / f"{word}.md").write_text(f"# Title {word}\n\nThe zebra of {word}.\n")
        gone = served.cwd / "restricted" / "goneword.md"
        gone.write_text("# Title goneword\n\nThe zebra of goneword.\n")
        for topic, word in TOPICS.items():
            assert served.run("upload", topic, "--tag", word, "--json").code == 0
        self.ids: dict[str, str] = {}
        self.keys = {name: self._settle(name) for name in ("vera", "tom", "nina")}
        run = served.run
        team = run("teams", "create", "red", "--json").json["id"]
        assert run("teams", "add", team, self.ids["tom"]).code == 0
        assert run("access", "set", "team/", "--audience", "team:red").code == 0
        assert run("access", "set", "named/", "--audience", "member:nina@example.org").code == 0
        assert run("access", "set", "restricted/", "--restrict").code == 0
        assert run("delete", "restricted/goneword.md", "--yes").code == 0

    def _settle(self, name: str) -> str:
        run = self.served.run
        member = str(run("members", "add", "user", name, "--email", f"{name}@example.org", "--json").json["id"])
        self.ids[name] = member
        assert run("members", "place", member, "viewer").code == 0
        return str(run("keys", "create", name, "--member", member, "--json").json["token"])

    def told(self, key: str | None) -> Iterator[tuple[str, set[str]]]:
        """What each command that reads tells of, by the words of the documents."""
        environment = {} if key is None else {"LOREBASE_KEY": key}
        commands = [
            ["list", "--all"],
            ["search", "zebra", "--limit", "50"],
            ["status"],
            ["trash"],
            *(["list", topic] for topic in TOPICS),
            *(["tree", topic] for topic in TOPICS),
            *(["show", f"{topic}/{word}.md", "--body"] for topic, word in TOPICS.items()),
        ]
        for command in commands:
            ran = self.served.run(*command, "--json", **environment)
            yield " ".join(command), {word for word in [*TOPICS.values(), "goneword"] if f"Title {word}" in ran.out}


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_each_is_told_of_what_they_may_read_on_every_command(served: CommandLine) -> None:
    office = Office(served)
    may_read = {
        None: set(TOPICS.values()) | {"goneword"},
        "vera": {"openword"},
        "tom": {"openword", "teamword"},
        "nina": {"openword", "namedword"},
    }
    for name, words in may_read.items():
        key = None if name is None else office.keys[name]
        told = dict(office.told(key))
        assert set().union(*told.values()) == words, (name, told)
        assert told["list --all"] == told["search zebra --limit 50"] == words - {"goneword"}
