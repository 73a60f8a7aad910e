"""Finds the item or folder about whose access somebody asks, and the teams and members that they name."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import click

from chalicelib.cli.client import Json
from chalicelib.cli.errors import NothingAtPath, ServerProblem, status_of
from chalicelib.cli.item_references import check_folder, find_item
from chalicelib.cli.session import Session, is_id
from chalicelib.cli.text import harmless


@dataclass(frozen=True, slots=True)
class AccessSubject:
    """An item or a folder. `url` None is a folder about which nothing was ever said."""

    path: str
    url: str | None
    is_folder: bool


def find_subject(session: Session, reference: str, *, names_folder: bool = False) -> AccessSubject:
    """Return what somebody means by a path or an id; a path with a slash at its end is a folder.

    With `names_folder`, a folder about which nothing was said yet gets an id, if anything lies in it or the slash says
    that it is meant. Raises NothingAtPath, ServerProblem.
    """
    if is_id(reference):
        return _by_id(session, reference)
    path = reference.strip("/")
    is_said = reference.endswith("/") and bool(path)
    if not is_said:
        try:
            item = find_item(session, path)
        except NothingAtPath:
            if not path:
                raise
        else:
            return AccessSubject(item["path"], f"{session.workspace_url}/items/{item['id']}", is_folder=False)
    return _folder(session, path, is_said=is_said, names_folder=names_folder)


class Named:
    """The teams and members of the organization, as far as the caller may list them."""

    def __init__(self, session: Session) -> None:
        self._session = session

    @cached_property
    def teams(self) -> list[Json]:
        """Return the teams that the caller may see."""
        return self._list("teams")

    @cached_property
    def members(self) -> list[Json]:
        """Return the members; none for who may not list them."""
        return self._list("members")

    def name_of(self, team_id: str | None, member_id: str | None) -> str:
        """Return what a team or a member is called for people: its name, else its id."""
        if team_id is not None:
            return f"team:{self._name(self.teams, team_id)}"
        return "nobody" if member_id is None else f"member:{self._name(self.members, member_id)}"

    def ids_of(self, named: str) -> tuple[str | None, str | None]:
        """Return the id of the team or of the member that `team:…` or `member:…` means. Raises click.UsageError."""
        kind, _, name = named.partition(":")
        if kind not in {"team", "member"} or not name:
            raise click.UsageError(f"Say team:NAME or member:NAME, by name or id, not {harmless(named)}.")
        if kind == "team":
            return self._one(name, self.teams, "team"), None
        return None, self.member_id_of(name)

    def member_id_of(self, name: str) -> str:
        """Return the id of the member with a name, an email address or an id. Raises click.UsageError."""
        return self._one(name, self.members, "member")

    def _list(self, what: str) -> list[Json]:
        try:
            pages = list(self._session.client.pages(f"{self._session.organization_url}/{what}", what))
        except ServerProblem as problem:
            if status_of(problem) == 403:
                return []
            raise
        return [thing for page in pages for thing in page]

    def _one(self, name: str, things: list[Json] | None, what: str) -> str:
        if is_id(name):
            return name
        found = [thing["id"] for thing in things or () if name in {thing["name"], thing.get("email")}]
        if len(found) == 1:
            return str(found[0])
        if found:
            raise click.UsageError(f"Several are called {harmless(name)}; say one by its id: {', '.join(found)}.")
        raise click.UsageError(f"You can see no {what} called {harmless(name)}; only admins see all. An id works too.")

    def _name(self, things: Iterable[Json], thing_id: str) -> str:
        return next((str(thing["name"]) for thing in things if thing["id"] == thing_id), thing_id)


def _by_id(session: Session, subject_id: str) -> AccessSubject:
    try:
        item = find_item(session, subject_id)
    except ServerProblem as problem:
        if problem.name != "item-not-found":
            raise
        url = f"{session.workspace_url}/folders/{subject_id}"
        return AccessSubject(session.client.get(url)["path"], url, is_folder=True)
    return AccessSubject(item["path"], f"{session.workspace_url}/items/{item['id']}", is_folder=False)


def _folder(session: Session, path: str, *, is_said: bool, names_folder: bool) -> AccessSubject:
    url = f"{session.workspace_url}/folders"
    known = _known_folder(session, path)
    if known is None:
        if not (is_said and names_folder):
            check_folder(session, path)
        known = session.client.post(url, {"path": path}) if names_folder else None
    return AccessSubject(path, None if known is None else f"{url}/{known['id']}", is_folder=True)


def _known_folder(session: Session, path: str) -> Json | None:
    """Return the folder of a path if something was said about it. Raises NothingAtPath for who sees nothing there."""
    pages = session.client.pages(f"{session.workspace_url}/folders", "folders")
    try:
        return next((folder for page in pages for folder in page if folder["path"] == path), None)
    except ServerProblem as problem:
        if status_of(problem) == 403:
            check_folder(session, path)
        raise
