"""What a path may be: `folder/folder/name`, the same wherever it is mounted, mirrored or unpacked."""

import unicodedata

from chalicelib.items.errors import InvalidPath

PATH_CHARACTERS = 1000
SEGMENT_BYTES = 255
PATH_DEPTH = 32

# Controls, lone surrogates, line and paragraph separators, and the bidi controls that make a name read
# as another one (Unicode TR 36, section 2.9).
_FORBIDDEN_CATEGORIES = {"Cc", "Cs", "Zl", "Zp"}
_FORBIDDEN_CHARACTERS = set("\\\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff")


def checked_path(path: str) -> str:
    """Return the path in NFC. Raises InvalidPath saying what is wrong with it.

    Nothing is repaired but the form of accents: a path that climbs (`..`), is absolute or hides
    something is refused rather than turned into another one.
    """
    checked = unicodedata.normalize("NFC", path)
    if not 1 <= len(checked) <= PATH_CHARACTERS:
        raise InvalidPath(f"A path has 1 to {PATH_CHARACTERS} characters.", length=len(checked))
    for character in checked:
        if character in _FORBIDDEN_CHARACTERS or unicodedata.category(character) in _FORBIDDEN_CATEGORIES:
            raise InvalidPath(f"A path cannot hold the character U+{ord(character):04X}.", path=_shown(checked))
    segments = checked.split("/")
    if len(segments) > PATH_DEPTH:
        raise InvalidPath(f"A path has at most {PATH_DEPTH} levels.", path=_shown(checked))
    for segment in segments:
        _check_segment(segment, path=checked)
    return checked


def checked_folder(folder: str) -> str:
    """Return a folder's path; `""` and `/` are the root. Raises InvalidPath."""
    stripped = folder.strip("/")
    return checked_path(stripped) if stripped else ""


def name_of(path: str) -> str:
    """Return the last segment."""
    return path.rpartition("/")[2]


def folder_of(path: str) -> str:
    """Return everything before the last segment; `""` at the root."""
    return path.rpartition("/")[0]


def _check_segment(segment: str, *, path: str) -> None:
    if segment in {"", ".", ".."}:
        raise InvalidPath(
            "A path has no empty parts, no `.` and no `..`, and neither begins nor ends with `/`.", path=_shown(path)
        )
    if segment != segment.strip():
        raise InvalidPath("No part of a path begins or ends with a blank.", path=_shown(path))
    if len(segment.encode()) > SEGMENT_BYTES:
        raise InvalidPath(f"A part of a path has at most {SEGMENT_BYTES} bytes in UTF-8.", path=_shown(path))


def _shown(path: str) -> str:
    return path[:200].encode("utf-8", "backslashreplace").decode()
