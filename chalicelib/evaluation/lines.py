"""Reads text files line by line, however large or broken they are, and says in which line something is wrong."""

import gzip
import json
import zlib
from collections.abc import Iterator
from contextlib import closing
from io import BufferedReader
from pathlib import Path
from typing import Any, NoReturn

from chalicelib.evaluation.errors import CollectionUnreadable

LINE_BYTES = 64 * 1024 * 1024
"""The longest line that is read: a file without line ends is no list of documents."""

_MARK = b"\xef\xbb\xbf"


def read_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the number, from 1 on, and the text of each line that is not blank; of a `.gz` file what is packed in it.

    Raises CollectionUnreadable.
    """
    try:
        with closing(_opened(path)) as file:
            number = 0
            while line := file.readline(LINE_BYTES + 1):
                number += 1
                if len(line) > LINE_BYTES:
                    refuse(path, number, f"The line is longer than {LINE_BYTES} bytes")
                text = _decoded(path, number, line.removeprefix(_MARK) if number == 1 else line)
                if text.strip():
                    yield number, text
    except (OSError, EOFError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise CollectionUnreadable(f"{path} cannot be read: {reason}.", file=str(path)) from error


def read_objects(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the number of each line and the JSON object that it is. Raises CollectionUnreadable."""
    for number, line in read_lines(path):
        try:
            value = json.loads(line)
        except (ValueError, RecursionError) as error:
            refuse(path, number, f"The line is no JSON ({error})")
        if not isinstance(value, dict):
            refuse(path, number, "The line is no JSON object")
        yield number, value


def refuse(path: Path, number: int, what: str) -> NoReturn:
    """Raise CollectionUnreadable for a line."""
    raise CollectionUnreadable(f"{path}, line {number}: {what}.", file=str(path), line=number)


def _opened(path: Path) -> gzip.GzipFile | BufferedReader:
    return gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb")


def _decoded(path: Path, number: int, line: bytes) -> str:
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError as error:
        refuse(path, number, f"Byte {error.start + 1} is no UTF-8")
