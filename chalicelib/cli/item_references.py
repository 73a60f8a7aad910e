"""Finds the item that somebody means by a path or an id."""

from chalicelib.cli.client import Json
from chalicelib.cli.errors import NothingAtPath
from chalicelib.cli.session import Session, is_id


def find_item(session: Session, reference: str) -> Json:
    """Return the item with this id or at this path, without its body. Raises NothingAtPath, ServerProblem."""
    if is_id(reference):
        return session.client.get(f"{session.workspace_url}/items/{reference}")
    if items := _items_at(session, reference):
        return items[0]
    if _trashed_at(session, reference):
        said = f"Nothing lies at {reference} any more: it is in the trash; `lorebase restore` brings it back."
        raise NothingAtPath(said, path=reference)
    raise _nothing_at(reference)


def find_missed_item(session: Session, reference: str) -> str:
    """Return the id of the item that somebody misses, by a path or an id; one in the trash is one as well."""
    if is_id(reference):
        return reference
    items = _items_at(session, reference) or [entry["item"] for entry in _trashed_at(session, reference)]
    if not items:
        raise _nothing_at(reference)
    return str(items[0]["id"])


def _items_at(session: Session, path: str) -> list[Json]:
    items: list[Json] = session.client.get(f"{session.workspace_url}/items", path=path.strip("/"))["items"]
    return items


def _nothing_at(reference: str) -> NothingAtPath:
    return NothingAtPath(f"Nothing lies at {reference}; `lorebase list` shows what there is.", path=reference)


def _trashed_at(session: Session, path: str) -> list[Json]:
    """Return what lies in the trash and was at a path, the last deleted first, as far as the caller may read it."""
    if not path.strip("/"):
        return []
    trashed: list[Json] = session.client.get(f"{session.workspace_url}/trash", path=path.strip("/"), limit=1)["items"]
    return trashed


def list_folder(session: Session, folder: str) -> list[Json]:
    """Return every item in a folder's subtree."""
    pages = session.client.pages(f"{session.workspace_url}/items", "items", folder=folder.strip("/"))
    return [item for page in pages for item in page]


def check_folder(session: Session, folder: str) -> None:
    """Raise NothingAtPath for a folder without items: folders are there by their items alone."""
    if folder.strip("/") and is_empty_folder(session, folder):
        raise NothingAtPath(f"Nothing lies at {folder}; `lorebase tree` shows what there is.", path=folder)


def is_empty_folder(session: Session, folder: str) -> bool:
    """Tell whether the caller can read nothing in a folder's subtree."""
    return not session.client.get(f"{session.workspace_url}/items", folder=folder.strip("/"), limit=1)["items"]
