"""A renamed file moves its item, but for where others could then read it and the uploader is no owner."""

from tests.fixtures.served import CommandLine


def test_a_file_renamed_into_an_open_folder_is_added_and_its_item_stays(served: CommandLine) -> None:
    kept, opened = served.cwd / "docs" / "kept", served.cwd / "docs" / "open"
    for folder in (kept, opened):
        folder.mkdir(parents=True)
        (folder / f"{folder.name}.md").write_text(f"# {folder.name}\n\nText.\n")
    assert served.run("upload", "docs").code == 0
    member = served.run("members", "add", "user", "Eda", "--json").json["id"]
    served.run("members", "add", "user", "Vera", "--json")
    assert served.run("members", "place", member, "editor").code == 0
    assert served.run("members", "place", "Vera", "viewer").code == 0
    key = served.run("keys", "create", "eda", "--member", member, "--scope", "write", "--scope", "read", "--json").json
    assert served.run("access", "set", "docs/kept/", "--audience", f"member:{member}").code == 0

    (kept / "kept.md").rename(opened / "kept.md")
    told = served.run("upload", "docs", LOREBASE_KEY=key["token"])
    note = "The item at docs/kept/kept.md stays there: only owners move it to where others can read it."
    assert (told.code, told.out) == (0, "1 added, 0 updated, 1 unchanged, 0 refused, 0 failed\n")
    assert told.err.splitlines()[1:] == [f"note  docs/open/kept.md: {note}"]
    paths = [item["path"] for item in served.run("list", "--json").json["items"]]
    assert paths == ["docs/kept/kept.md", "docs/open/kept.md", "docs/open/open.md"]
