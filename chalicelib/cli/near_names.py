"""Finds the folder or item that somebody may have meant by a path at which nothing lies."""

from difflib import get_close_matches

from chalicelib.cli.client import Json
from chalicelib.cli.session import Session

_ALIKE = 0.75


def near_path(session: Session, path: str, *, is_folder: bool) -> str | None:
    """Return what the caller can read that differs by case or little; a folder has a slash at its end."""
    found = ""
    *above, last = path.split("/")
    for name in above:
        near = _near(_names(_tree(session, found), wants_items=False), name)
        if near is None:
            return None
        found += near
    near = _near(_names(_tree(session, found), wants_items=not is_folder), last)
    return None if near is None else found + near


def did_you_mean(session: Session, path: str, *, is_folder: bool) -> str:
    """Return the question as a sentence behind another, or nothing."""
    near = near_path(session, path, is_folder=is_folder)
    return "" if near is None else f" Did you mean {near}?"


def _tree(session: Session, folder: str) -> Json:
    return session.client.get(f"{session.workspace_url}/tree", folder=folder.rstrip("/"), limit=200)


def _names(tree: Json, *, wants_items: bool) -> list[str]:
    items = [item["path"].rpartition("/")[2] for item in tree["items"]] if wants_items else []
    return [*(f"{folder['name']}/" for folder in tree["folders"]), *items]


def _near(names: list[str], wanted: str) -> str | None:
    by_name = {name.rstrip("/").casefold(): name for name in reversed(names)}
    if wanted in {name.rstrip("/") for name in names}:
        return next(name for name in names if name.rstrip("/") == wanted)
    matches = get_close_matches(wanted.casefold(), by_name, n=1, cutoff=_ALIKE)
    return by_name[matches[0]] if matches else None
