"""A renamed file moves its item; what is not certain does not."""

from pathlib import Path
from typing import Any

from chalicelib.cli.fingerprints import FingerprintedFile
from chalicelib.cli.local_files import LocalFile, Root
from chalicelib.cli.moves import find_moves


def file_at(folder: Path, path: str, sha256: str) -> FingerprintedFile:
    return FingerprintedFile(LocalFile(folder / path, f"docs/{path}"), sha256, 1)


def items(**sha256_by_name: str) -> dict[str, Any]:
    return {
        f"docs/{name}.md": {"path": f"docs/{name}.md", "original": {"sha256": sha256}}
        for name, sha256 in sha256_by_name.items()
    }


def moves(
    folder: Path, files: list[FingerprintedFile], items_by_path: dict[str, Any], *, prefix: str = "docs"
) -> dict[str, str]:
    found = find_moves(
        files,
        items_by_path,
        roots=[Root(folder, prefix)],
        local_paths=frozenset(file.file.path for file in files),
    )
    return {path: item["path"] for path, item in found.items()}


def test_item_whose_file_has_another_name_now_moves(tmp_path: Path) -> None:
    assert moves(tmp_path, [file_at(tmp_path, "new.md", "a")], items(old="a")) == {"docs/new.md": "docs/old.md"}


def test_copy_of_a_file_that_is_still_here_is_an_addition(tmp_path: Path) -> None:
    both = [file_at(tmp_path, "new.md", "a"), file_at(tmp_path, "old.md", "a")]

    assert moves(tmp_path, both, items(old="a")) == {}


def test_file_that_is_here_but_left_out_keeps_its_item(tmp_path: Path) -> None:
    (tmp_path / "old.md").write_text("ignored by now")

    assert moves(tmp_path, [file_at(tmp_path, "new.md", "a")], items(old="a")) == {}


def test_one_of_several_candidates_is_not_guessed(tmp_path: Path) -> None:
    assert moves(tmp_path, [file_at(tmp_path, "new.md", "a")], items(old="a", older="a")) == {}
    two = [file_at(tmp_path, "new.md", "a"), file_at(tmp_path, "newer.md", "a")]
    assert moves(tmp_path, two, items(old="a")) == {}


def test_item_outside_of_what_is_uploaded_stays(tmp_path: Path) -> None:
    assert moves(tmp_path, [file_at(tmp_path, "new.md", "a")], items(old="a"), prefix="other") == {}


def test_item_without_an_original_stays(tmp_path: Path) -> None:
    by_hand = {"docs/old.md": {"path": "docs/old.md", "original": None}}

    assert moves(tmp_path, [file_at(tmp_path, "new.md", "a")], by_hand) == {}
