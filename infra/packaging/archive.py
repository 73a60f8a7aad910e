"""Writes a zip whose bytes follow from its content alone."""

from collections.abc import Iterator
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

_DATE = (1980, 1, 1, 0, 0, 0)
_UNIX = 3
_MODE = 0o100644 << 16


def write_archive(path: Path, *folders: Path) -> None:
    """Write the files of the folders into one zip, in the order of their names."""
    entries = sorted(entry for folder in folders for entry in _files(folder))
    with ZipFile(path, "w", ZIP_DEFLATED, compresslevel=9) as archive:
        for name, file in entries:
            info = ZipInfo(name, _DATE)
            info.create_system = _UNIX
            info.external_attr = _MODE
            info.compress_type = ZIP_DEFLATED
            archive.writestr(info, file.read_bytes(), compresslevel=9)


def _files(folder: Path) -> Iterator[tuple[str, Path]]:
    for file in folder.rglob("*"):
        if file.is_file():
            yield file.relative_to(folder).as_posix(), file
