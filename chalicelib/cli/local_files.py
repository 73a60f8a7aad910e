"""Finds the files that an upload takes in, and says what it leaves out and why."""

import os
import stat
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from pathspec import GitIgnoreSpec

IGNORE_FILE = ".lorebaseignore"

# The bookkeeping of version control is left out whatever an ignore file says.
_VERSION_CONTROL = frozenset({".git", ".hg", ".svn", ".bzr", ".jj", "CVS", "_darcs"})
_HIDDEN = GitIgnoreSpec.from_lines([".*", "Thumbs.db", "desktop.ini", "__MACOSX/"])


class LeftOut(StrEnum):
    """Why something in a folder is not taken in."""

    HIDDEN = "hidden"
    IGNORED = "ignored"
    LINK = "link"
    NOT_A_FILE = "not-a-file"


@dataclass(frozen=True, slots=True)
class LocalFile:
    """A file to upload: where it lies here, and the path it gets there."""

    local: Path
    path: str


@dataclass(frozen=True, slots=True)
class Root:
    """A folder that is taken in: what lies in `local` gets paths beneath `prefix` (empty: the workspace's root)."""

    local: Path
    prefix: str


@dataclass
class Found:
    """What there is to upload, what was left out, and what could not be looked at."""

    files: list[LocalFile] = field(default_factory=list)
    roots: list[Root] = field(default_factory=list)
    left_out: list[tuple[Path, LeftOut]] = field(default_factory=list)
    unreadable: list[tuple[LocalFile, str]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Rules:
    """The ignore rules that hold in a folder: the nearest first, each with the folder that its patterns start from."""

    layers: tuple[tuple[Path, GitIgnoreSpec], ...] = ()

    def beneath(self, folder: Path) -> "_Rules":
        """Return the rules that hold in a subfolder, with those of its own ignore file. Raises OSError."""
        try:
            lines = (folder / IGNORE_FILE).read_text("utf-8", errors="replace").splitlines()
        except (FileNotFoundError, IsADirectoryError):
            return self
        return _Rules(((folder, GitIgnoreSpec.from_lines(lines)), *self.layers))

    def judge(self, path: Path, *, is_folder: bool) -> LeftOut | None:
        """Tell why a path is left out; the last pattern that fits decides, and the nearest file's come last."""
        if path.name in _VERSION_CONTROL:
            return LeftOut.HIDDEN
        for start, spec in self.layers:
            verdict = spec.check_file(_pattern_path(path.relative_to(start), is_folder=is_folder)).include
            if verdict is not None:
                return LeftOut.IGNORED if verdict else None
        hidden = _HIDDEN.check_file(_pattern_path(Path(path.name), is_folder=is_folder)).include
        return LeftOut.HIDDEN if hidden else None


def find_files(arguments: Sequence[str], *, to: str) -> Found:
    """Return what the arguments name. A folder keeps its name as the first part of its files' paths.

    A folder that is written with a trailing slash, or as `.` or `..`, gives its contents alone. Everything
    goes beneath the folder `to`. A file that is named itself is taken whatever it is called.
    """
    found = Found()
    for argument in arguments:
        local = Path(argument)
        if local.is_dir():
            prefix = _joined(to, "" if _means_contents(argument) else local.name)
            found.roots.append(Root(local, prefix))
            _walk(found, found.roots[-1], local, _Rules())
        else:
            found.files.append(LocalFile(local, _joined(to, local.name)))
    return found


def _walk(found: Found, root: Root, folder: Path, rules: _Rules) -> None:
    try:
        rules = rules.beneath(folder)
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError as error:
        found.unreadable.append((_file_at(root, folder), error.strerror or str(error)))
        return
    for entry in entries:
        local = Path(folder, entry.name)
        is_folder = entry.is_dir(follow_symlinks=False)
        reason = rules.judge(local, is_folder=is_folder) or _judge_kind(entry, root)
        if reason is not None:
            if entry.name != IGNORE_FILE:
                found.left_out.append((local, reason))
        elif is_folder:
            _walk(found, root, local, rules)
        else:
            found.files.append(_file_at(root, local))


def _judge_kind(entry: "os.DirEntry[str]", root: Root) -> LeftOut | None:
    """Tell why something that is no plain file or folder is left out.

    A link to a folder always is: what it points to is taken in at its own place, if it lies in the root at
    all, and a loop has no end. A link to a file counts as the file while it stays in the root.
    """
    if entry.is_symlink():
        target = Path(os.path.realpath(entry.path))
        is_inside = target.is_relative_to(os.path.realpath(root.local))
        return None if is_inside and target.is_file() else LeftOut.LINK
    mode = entry.stat(follow_symlinks=False).st_mode
    return None if stat.S_ISREG(mode) or stat.S_ISDIR(mode) else LeftOut.NOT_A_FILE


def local_places(roots: Sequence[Root], path: str) -> Iterator[Path]:
    """Yield where the file of an item's path would lie in the roots."""
    for root in roots:
        if not root.prefix:
            yield root.local / path
        elif path.startswith(f"{root.prefix}/"):
            yield root.local / path[len(root.prefix) + 1 :]


def _file_at(root: Root, local: Path) -> LocalFile:
    return LocalFile(local, _joined(root.prefix, *local.relative_to(root.local).parts))


def _joined(*parts: str) -> str:
    return unicodedata.normalize("NFC", "/".join(part.strip("/") for part in parts if part.strip("/")))


def _means_contents(argument: str) -> bool:
    return argument.endswith(("/", os.sep)) or Path(argument).name in {"", ".", ".."}


def _pattern_path(path: Path, *, is_folder: bool) -> str:
    return path.as_posix() + ("/" if is_folder else "")
