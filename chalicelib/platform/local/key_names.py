"""Keys of the original store as paths of files: reversible, and safe on any file system.

A segment of a key becomes a folder, the last one a file that ends in `.bytes`. Everything but
`a-z 0-9 - _` is written as `%xx` of its UTF-8, so nothing depends on case, on Unicode normalisation or
on names with a meaning; what is too long for one name goes on in a folder that ends in `~`.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote_to_bytes

_PLAIN = frozenset(b"abcdefghijklmnopqrstuvwxyz0123456789-_")
_EMPTY = "%"
_NAME_LETTERS = 200
_FILE = ".bytes"
_CONTINUED = "~"
_DEVICE = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)")


def path_of_key(root: Path, key: str) -> Path:
    """Return where `key` is kept below `root`."""
    *folders, last = (_names_of_segment(segment) for segment in key.split("/"))
    names = [name for segment in folders for name in segment]
    return root.joinpath(*names, *last[:-1], last[-1] + _FILE)


def walk_keys(root: Path, prefix: str) -> Iterator[tuple[str, Path]]:
    """Yield the keys that start with `prefix`, in the order of their UTF-8 bytes, and their files."""
    *folders, _ = prefix.split("/")
    start = root.joinpath(*(name for segment in folders for name in _names_of_segment(segment)))
    yield from _walk(start, b"".join(segment.encode() + b"/" for segment in folders), prefix.encode())


def _walk(folder: Path, above: bytes, prefix: bytes) -> Iterator[tuple[str, Path]]:
    for key, path in sorted(_entries(folder, above, "")):
        if not key.startswith(prefix[: len(key)]):
            continue
        if key.endswith(b"/") and not path.name.endswith(_FILE):
            yield from _walk(path, key, prefix)
        elif key.startswith(prefix):
            yield key.decode(), path


def _entries(folder: Path, above: bytes, begun: str) -> Iterator[tuple[bytes, Path]]:
    """Yield files as their keys and folders as their keys with a slash, which is what orders them rightly."""
    try:
        paths = list(folder.iterdir())
    except (FileNotFoundError, NotADirectoryError):
        return
    for path in paths:
        if path.name.startswith("."):
            continue
        if path.name.endswith(_CONTINUED):
            yield from _entries(path, above, begun + path.name.removesuffix(_CONTINUED))
        elif path.name.endswith(_FILE):
            yield above + _segment_of_name(begun + path.name.removesuffix(_FILE)), path
        else:
            yield above + _segment_of_name(begun + path.name) + b"/", path


def _names_of_segment(segment: str) -> list[str]:
    name = "".join(chr(byte) if byte in _PLAIN else f"%{byte:02x}" for byte in segment.encode()) or _EMPTY
    if _DEVICE.fullmatch(name):
        name = f"%{ord(name[0]):02x}{name[1:]}"
    pieces = [name[start : start + _NAME_LETTERS] for start in range(0, len(name), _NAME_LETTERS)]
    return [piece + _CONTINUED for piece in pieces[:-1]] + pieces[-1:]


def _segment_of_name(name: str) -> bytes:
    return b"" if name == _EMPTY else unquote_to_bytes(name)
