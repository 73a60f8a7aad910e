"""D-API-4: the command uploads a folder with hidden files, links, names in two forms of accents, and a locked file."""

import unicodedata
from pathlib import Path

import pytest

from tests.fixtures.served import CommandLine, command_line, served

__all__ = ["command_line", "served"]


@pytest.fixture
def folder(served: CommandLine) -> Path:
    folder = served.cwd / "notes"
    (folder / ".git").mkdir(parents=True)
    (folder / "drafts").mkdir()
    for number in range(58):
        (folder / f"note-{number}.md").write_text(f"# Note {number}\n\nOn subject {number}.\n", "utf-8")
    (folder / "日本.md").write_text("# 日本\n\n東京の文書。\n", "utf-8")
    (folder / "u\u0308ber.md").write_text("# Über\n\nEin Text.\n", "utf-8")
    (folder / ".git" / "config").write_text("[core]\n", "utf-8")
    (folder / ".env").write_text("SECRET=1\n", "utf-8")
    (folder / ".lorebaseignore").write_text("drafts/\n", "utf-8")
    (folder / "drafts" / "draft.md").write_text("# Draft\n", "utf-8")
    (folder / "loop").symlink_to(".")
    locked = folder / "locked.md"
    locked.write_text("# Locked\n", "utf-8")
    locked.chmod(0)
    return folder


def test_folder_is_taken_in_whole_once_and_follows_a_rename(served: CommandLine, folder: Path) -> None:
    first = served.run_unprivileged("upload", "notes", "--wait", "--json")

    assert first.code == 1
    assert _counts(first.json) == {"added": 60, "updated": 0, "unchanged": 0, "refused": 0, "failed": 1}
    [locked] = first.json["items"]["failed"]
    assert locked["path"] == "notes/locked.md"
    assert "Permission denied" in locked["detail"]
    assert {Path(entry["path"]).name for entry in first.json["left_out"]} == {".git", ".env", "drafts", "loop"}
    assert _paths(served) == {
        *(f"notes/note-{number}.md" for number in range(58)),
        "notes/日本.md",
        "notes/über.md",
    }

    second = served.run_unprivileged("upload", "notes", "--wait", "--json")

    assert _counts(second.json) == {"added": 0, "updated": 0, "unchanged": 60, "refused": 0, "failed": 1}

    (folder / "u\u0308ber.md").rename(folder / "\u00fcber.md")
    (folder / "note-7.md").rename(folder / "renamed.md")
    third = served.run_unprivileged("upload", "notes", "--wait", "--json")

    assert _counts(third.json) == {"added": 0, "updated": 1, "unchanged": 59, "refused": 0, "failed": 1}
    [moved] = third.json["items"]["updated"]
    assert (moved["moved_from"], moved["path"]) == ("notes/note-7.md", "notes/renamed.md")
    assert len(_paths(served)) == 60


def _counts(document: dict[str, int]) -> dict[str, int]:
    return {name: document[name] for name in ("added", "updated", "unchanged", "refused", "failed")}


def _paths(served: CommandLine) -> set[str]:
    paths = [item["path"] for item in served.run("list", "--all", "--json").json["items"]]
    assert all(unicodedata.is_normalized("NFC", path) for path in paths)
    assert len(paths) == len(set(paths))
    return set(paths)
