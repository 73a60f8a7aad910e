"""The command changes the embedding space of a server that offers two models."""

from tests.fixtures.served import CommandLine


def test_without_an_embedder_words_find_and_no_change_begins(served: CommandLine) -> None:
    shown = served.run("embedding", "show", "--json")
    assert (shown.code, shown.json["active"], shown.json["offered"]) == (0, None, [])
    refused = served.run("embedding", "change", "unheard-of/8", "--yes", "--json")
    assert (refused.code, refused.problem["type"]) == (1, "urn:lorebase:problem:embedding-space-unknown")
    assert served.run("embedding", "rollback").code == 3
    assert served.run("embedding", "forget").code == 2


def test_nothing_is_stale_unless_chunks_have_another_size(served: CommandLine) -> None:
    (served.cwd / "a.md").write_text("# A\n\nA sentence.\n")
    assert served.run("upload", "a.md").code == 0
    done = served.run("reindex")
    assert (done.code, done.out) == (0, "indexed again  0 of 0 items\n")
