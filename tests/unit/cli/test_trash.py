"""The command deletes, restores, deletes for good and moves folders on a real server."""

import pytest

from tests.fixtures.served import CommandLine


@pytest.fixture
def filled(served: CommandLine) -> CommandLine:
    folder = served.cwd / "docs"
    folder.mkdir()
    for name in ("a", "b"):
        (folder / f"{name}.md").write_text(f"# {name}\n\nA sentence.\n")
    assert served.run("upload", "docs").code == 0
    return served


def paths(command: CommandLine) -> list[str]:
    return [item["path"] for item in command.run("list", "--json").json["items"]]


def test_what_was_deleted_is_listed_and_restored(filled: CommandLine) -> None:
    filled.run("delete", "docs/a.md", "--yes")
    listed = filled.run("trash")
    assert listed.code == 0
    assert [line.split("\t")[0] for line in listed.out.splitlines()] == ["PATH", "docs/a.md"]
    assert filled.run("trash", "elsewhere").err == "Nothing here.\n"
    restored = filled.run("restore", "docs/a.md")
    assert (restored.code, restored.out) == (0, "restored  docs/a.md\n")
    assert paths(filled) == ["docs/a.md", "docs/b.md"]
    assert filled.run("restore", "docs/a.md").code == 3
    filled.run("delete", "docs/a.md", "--yes")
    moved = filled.run("restore", "docs/a.md", "--to", "c.md")
    assert (moved.code, moved.out) == (0, "restored  docs/a.md: now at c.md\n")
    assert filled.run("restore", "x.md", "y.md", "--to", "z.md").code == 2


def test_a_path_whose_item_lies_in_the_trash_says_so_to_whom_it_could_be_read(filled: CommandLine) -> None:
    invitation = filled.run("members", "invite", "eve@example.org", "--role", "viewer", "--json").json
    key = filled.run("invitations", "accept", invitation["token"], "Eve", LOREBASE_KEY="").out.strip()
    assert filled.run("teams", "create", "Writers").code == 0
    assert filled.run("access", "set", "docs/b.md", "--audience", "team:Writers").code == 0
    deleted = {item["path"]: item["id"] for item in filled.run("list", "--json").json["items"]}
    filled.run("delete", "docs", "--recursive", "--yes")
    in_trash = "is in the trash; `lorebase restore` brings it back."
    for reference in ("docs/a.md", deleted["docs/a.md"]):
        missed = filled.run("search", "sentence", "--why-not", reference, LOREBASE_KEY=key)
        assert (missed.code, missed.err) == (0, f"Nothing found.\n{reference} {in_trash}\n")
    shown = filled.run("show", "docs/a.md", LOREBASE_KEY=key)
    assert (shown.code, f"Nothing lies at docs/a.md any more: it {in_trash}" in shown.err) == (3, True)
    for command in (["show"], ["search", "sentence", "--why-not"]):
        hidden, absent = (filled.run(*command, path, LOREBASE_KEY=key) for path in ("docs/b.md", "docs/c.md"))
        assert (hidden.code, absent.code, hidden.err) == (3, 3, absent.err.replace("c.md", "b.md"))


def test_a_taken_path_is_said_and_another_one_named(filled: CommandLine) -> None:
    filled.run("delete", "docs/a.md", "--yes")
    filled.run("upload", "docs")
    refused = filled.run("restore", "docs/a.md")
    assert refused.code == 1
    assert "restore this one to another path" in refused.out


def test_for_good_means_out_of_the_trash_as_well(filled: CommandLine) -> None:
    gone = filled.run("delete", "--for-good", "docs/a.md", "--yes")
    assert (gone.code, gone.out) == (0, "deleted for good  docs/a.md\n")
    assert filled.run("trash", "--json").json["items"] == []
    filled.run("delete", "docs/b.md", "--yes")
    assert filled.run("delete", "--for-good", "docs/b.md").code == 2
    assert filled.run("delete", "--for-good", "docs/b.md", "--yes").code == 0
    assert filled.run("trash", "--json").json["items"] == []
    assert filled.run("delete", "--for-good", "docs/b.md", "--yes").code == 3


def test_of_several_that_lay_at_a_path_one_is_named_by_its_id(filled: CommandLine) -> None:
    filled.run("delete", "docs/a.md", "--yes")
    filled.run("upload", "docs")
    filled.run("delete", "docs/a.md", "--yes")
    refused = filled.run("delete", "--for-good", "docs/a.md", "--yes")
    ids = [entry["item"]["id"] for entry in filled.run("trash", "--json").json["items"]]
    assert refused.code == 2
    assert all(id_ in refused.err for id_ in ids)
    assert filled.run("delete", "--for-good", ids[0], "--yes").code == 0
    assert len(filled.run("trash", "--json").json["items"]) == 1


def test_the_whole_trash_is_emptied_by_who_says_so(filled: CommandLine) -> None:
    filled.run("delete", "docs", "--recursive", "--yes")
    assert filled.run("trash", "--empty").code == 2
    assert filled.run("trash", "docs", "--empty", "--yes").code == 2
    emptied = filled.run("trash", "--empty", "--yes", "--json")
    assert (emptied.code, emptied.json) == (0, {"deleted": 2})
    assert filled.run("trash", "--json").json["items"] == []


def test_a_folder_moves_with_all_that_lies_in_it(filled: CommandLine) -> None:
    moved = filled.run("move-folder", "docs/", "handbook")
    assert (moved.code, moved.out, moved.err) == (0, "moved  docs to handbook: 2 items\n", "Workspace: main\n")
    assert paths(filled) == ["handbook/a.md", "handbook/b.md"]
    assert filled.run("move-folder", "docs", "elsewhere").code == 3
    refused = filled.run("move-folder", "handbook", "handbook/deeper", "--json")
    assert (refused.code, refused.problem["status"]) == (1, 422)
