"""Which files of a folder an upload takes in, and under which paths."""

import os
from pathlib import Path

import pytest

from chalicelib.cli.local_files import Found, LeftOut, find_files


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs" / "deep").mkdir(parents=True)
    (tmp_path / "docs" / "a.md").write_text("a")
    (tmp_path / "docs" / "deep" / "b.md").write_text("b")
    return tmp_path / "docs"


def paths_of(found: Found) -> list[str]:
    return [file.path for file in found.files]


@pytest.mark.parametrize(
    ("argument", "to", "expected"),
    [
        ("docs", "", ["docs/a.md", "docs/deep/b.md"]),
        ("docs/", "", ["a.md", "deep/b.md"]),
        ("docs/.", "", ["docs/a.md", "docs/deep/b.md"]),
        (".", "", ["docs/a.md", "docs/deep/b.md"]),
        ("docs", "team/x", ["team/x/docs/a.md", "team/x/docs/deep/b.md"]),
        ("docs/", "/team/", ["team/a.md", "team/deep/b.md"]),
        ("docs/deep/b.md", "team", ["team/b.md"]),
        ("../{name}/docs", "", ["docs/a.md", "docs/deep/b.md"]),
    ],
)
def test_path_begins_with_the_folders_name_unless_its_contents_are_meant(
    folder: Path, argument: str, to: str, expected: list[str]
) -> None:
    assert expected == paths_of(find_files([argument.format(name=folder.parent.name)], to=to))


def test_absolute_folder_gives_paths_from_its_own_name_on(folder: Path) -> None:
    assert paths_of(find_files([str(folder)], to="")) == ["docs/a.md", "docs/deep/b.md"]


def test_names_are_in_one_form_of_accents(folder: Path) -> None:
    (folder / "u\u0308ber.md").write_text("x")

    assert "docs/\u00fcber.md" in paths_of(find_files(["docs"], to=""))


def test_hidden_files_and_version_control_are_left_out(folder: Path) -> None:
    for name in (".env", ".DS_Store", "Thumbs.db"):
        (folder / name).write_text("x")
    for name in (".git", "CVS"):
        (folder / name).mkdir()
        (folder / name / "entry").write_text("x")

    found = find_files(["docs"], to="")

    assert paths_of(found) == ["docs/a.md", "docs/deep/b.md"]
    assert {(path.name, reason) for path, reason in found.left_out} == {
        (name, LeftOut.HIDDEN) for name in (".env", ".DS_Store", "Thumbs.db", ".git", "CVS")
    }


def test_hidden_file_that_is_named_itself_is_taken(folder: Path) -> None:
    (folder / ".env").write_text("x")

    assert paths_of(find_files(["docs/.env"], to="")) == [".env"]


def test_ignore_file_follows_the_rules_of_gitignore(folder: Path) -> None:
    (folder / ".lorebaseignore").write_text("*.log\n/a.md\ndeep/*.tmp\n!keep.log\n!.well-known/\n# a comment\n!.git/\n")
    (folder / "deep" / "a.md").write_text("x")
    (folder / "deep" / "x.tmp").write_text("x")
    (folder / "deep" / "x.log").write_text("x")
    (folder / "keep.log").write_text("x")
    (folder / ".well-known").mkdir()
    (folder / ".well-known" / "c.md").write_text("x")
    (folder / ".git").mkdir()
    (folder / ".git" / "config").write_text("x")

    found = find_files(["docs"], to="")

    assert paths_of(found) == ["docs/.well-known/c.md", "docs/deep/a.md", "docs/deep/b.md", "docs/keep.log"]


def test_nearer_ignore_file_overrules_the_one_above(folder: Path) -> None:
    (folder / ".lorebaseignore").write_text("*.md\n")
    (folder / "deep" / ".lorebaseignore").write_text("!b.md\n")

    assert paths_of(find_files(["docs"], to="")) == ["docs/deep/b.md"]


def test_links_are_cut_where_they_loop_or_lead_out(folder: Path) -> None:
    (folder.parent / "secret.txt").write_text("x")
    (folder / "loop").symlink_to(".")
    (folder / "deep" / "up").symlink_to("..")
    (folder / "out").symlink_to(folder.parent)
    (folder / "secret.md").symlink_to(folder.parent / "secret.txt")
    (folder / "nowhere.md").symlink_to("gone.md")
    (folder / "itself.md").symlink_to("itself.md")
    (folder / "inside.md").symlink_to("a.md")

    found = find_files(["docs"], to="")

    assert paths_of(found) == ["docs/a.md", "docs/deep/b.md", "docs/inside.md"]
    assert {path.name for path, reason in found.left_out if reason is LeftOut.LINK} == {
        "loop",
        "up",
        "out",
        "secret.md",
        "nowhere.md",
        "itself.md",
    }


def test_pipe_is_not_waited_for(folder: Path) -> None:
    os.mkfifo(folder / "pipe")

    found = find_files(["docs"], to="")

    assert (folder.relative_to(folder.parent) / "pipe", LeftOut.NOT_A_FILE) in found.left_out
