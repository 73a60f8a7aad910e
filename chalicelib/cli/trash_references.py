"""Finds the item in the trash that somebody means by a path or an id."""

from chalicelib.cli.client import Json
from chalicelib.cli.errors import NothingAtPath
from chalicelib.cli.session import Session, is_id


def find_in_trash(session: Session, reference: str) -> list[Json]:
    """Return the items in the trash that this id has or that lay at this path, what was deleted last first.

    Raises NothingAtPath, ServerProblem.
    """
    url = f"{session.workspace_url}/trash"
    if is_id(reference):
        return [session.client.get(f"{url}/{reference}")["item"]]
    entries: list[Json] = session.client.get(url, path=reference.strip("/"))["items"]
    if not entries:
        raise NothingAtPath(f"Nothing in the trash lay at {reference}; `lorebase trash` shows it.", path=reference)
    return [entry["item"] for entry in entries]
