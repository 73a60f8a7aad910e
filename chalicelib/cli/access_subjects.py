"""Finds the item or folder about whose access somebody asks or says something."""

from dataclasses import dataclass

from chalicelib.cli.client import Json
from chalicelib.cli.errors import FoldersForOwners, NothingAtPath, ServerProblem
from chalicelib.cli.item_references import check_folder, find_item, is_empty_folder
from chalicelib.cli.near_names import did_you_mean
from chalicelib.cli.session import Session, is_id


@dataclass(frozen=True, slots=True)
class AccessSubject:
    """An item or a folder. `url` None is a folder about which nothing was ever said."""

    path: str
    url: str | None
    is_folder: bool


def find_subject(
    session: Session, reference: str, *, names_folder: bool = False, is_new: bool | None = None
) -> AccessSubject:
    """Return what somebody means by a path or an id; a path with a slash at its end is a folder.

    With `names_folder`, a folder about which nothing was said yet gets an id, if anything lies in it or `is_new` says
    that it is to come; None is a command that cannot say so. Raises NothingAtPath, FoldersForOwners, ServerProblem.
    """
    if is_id(reference):
        return _by_id(session, reference)
    path = reference.strip("/")
    if not path or not (reference.endswith("/") or is_new):
        try:
            item = find_item(session, path)
        except NothingAtPath:
            if not path:
                raise
        else:
            return AccessSubject(item["path"], f"{session.workspace_url}/items/{item['id']}", is_folder=False)
    return _folder(session, reference, names_folder=names_folder, is_new=is_new)


def known_folder(session: Session, path: str) -> Json | None:
    """Return the folder of a path if something was said about it; for owners."""
    pages = session.client.pages(f"{session.workspace_url}/folders", "folders")
    return next((folder for page in pages for folder in page if folder["path"] == path), None)


def _by_id(session: Session, subject_id: str) -> AccessSubject:
    try:
        item = find_item(session, subject_id)
    except ServerProblem as problem:
        if problem.name != "item-not-found" or not session.may_grant:
            raise
        url = f"{session.workspace_url}/folders/{subject_id}"
        return AccessSubject(session.client.get(url)["path"], url, is_folder=True)
    return AccessSubject(item["path"], f"{session.workspace_url}/items/{item['id']}", is_folder=False)


def _folder(session: Session, reference: str, *, names_folder: bool, is_new: bool | None) -> AccessSubject:
    url, path = f"{session.workspace_url}/folders", reference.strip("/")
    if not session.may_grant:
        # Asked for what is for owners, the server would note a refusal in the activity.
        check_folder(session, reference)
        raise FoldersForOwners("Only owners ask and say who may read a folder; ask about an item that lies in it.")
    known = known_folder(session, path)
    if known is None and not is_new and is_empty_folder(session, path):
        raise NothingAtPath(_nothing_in(session, reference, can_be_new=is_new is not None), path=reference)
    if known is None and names_folder:
        known = session.client.post(url, {"path": path})
    return AccessSubject(path, None if known is None else f"{url}/{known['id']}", is_folder=True)


def _nothing_in(session: Session, reference: str, *, can_be_new: bool) -> str:
    path, is_folder = reference.strip("/"), reference.endswith("/")
    where = f"in {path}/" if is_folder else f"at {path}"
    hint = did_you_mean(session, path, is_folder=is_folder)
    if can_be_new:
        return f"Nothing lies {where} yet; say --new to speak of a folder to come.{hint}"
    return f"Nothing lies {where}; `lorebase tree` shows what there is.{hint}"
