"""Recognises a file that was renamed here since it was uploaded, so that its item moves instead of doubling."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from chalicelib.cli.client import Json
from chalicelib.cli.fingerprints import FingerprintedFile
from chalicelib.cli.local_files import Root, local_places


def find_moves(
    files: Iterable[FingerprintedFile],
    items_by_path: Mapping[str, Json],
    *,
    roots: Sequence[Root],
    local_paths: frozenset[str],
) -> Mapping[str, Json]:
    """Return, by the path of a new file, the item that is to move there.

    That is so where exactly one new file and exactly one item that lost its file have the same bytes;
    anything less certain is an addition. `local_paths` are the paths of all files that are here.
    """
    new: dict[str, list[FingerprintedFile]] = defaultdict(list)
    for file in files:
        if file.file.path not in items_by_path:
            new[file.sha256].append(file)
    lost: dict[str, list[Json]] = defaultdict(list)
    for path, item in items_by_path.items():
        original = item["original"]
        if original is not None and original["sha256"] in new and _is_lost(path, roots, local_paths):
            lost[original["sha256"]].append(item)
    return {
        files[0].file.path: lost[sha256][0]
        for sha256, files in new.items()
        if len(files) == 1 and len(lost[sha256]) == 1 and _is_in_roots(files[0], roots)
    }


def _is_lost(path: str, roots: Sequence[Root], local_paths: frozenset[str]) -> bool:
    places = list(local_places(roots, path))
    # A file that is ignored by now, or a link that leads nowhere, is still there.
    return (
        bool(places) and path not in local_paths and not any(place.is_symlink() or place.exists() for place in places)
    )


def _is_in_roots(file: FingerprintedFile, roots: Sequence[Root]) -> bool:
    return any(True for _ in local_places(roots, file.file.path))
