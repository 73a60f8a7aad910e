"""Finds the teams, members, agents and environments that somebody means by a name, an email address or an id."""

from collections.abc import Iterable, Sequence
from functools import cached_property
from uuid import UUID

import click

from chalicelib.cli.client import Json
from chalicelib.cli.errors import EnvironmentUnknown, MemberUnknown, NamesForAdmins, TeamUnknown
from chalicelib.cli.session import Session, is_id
from chalicelib.cli.text import harmless


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
        """Return the members; the caller alone for who may not list them."""
        return self._list("members") if self._session.is_admin else [self._session.me["principal"]]

    def name_of(self, team_id: str | None, member_id: str | None) -> str:
        """Return what a team or a member is called for people; its id where the caller cannot see what it is."""
        if team_id is not None:
            return self._name(self.teams, team_id, "team:", gone="(deleted team)")
        if member_id is None:
            return "nobody"
        return self._name(self.members, member_id, "member:", gone="(removed member)")

    def person_of(self, member_id: str | None) -> str:
        """Return a member's name, or nothing for nobody."""
        return "" if member_id is None else self.name_of(None, member_id).removeprefix("member:")

    def ids_of(self, named: str) -> tuple[str | None, str | None]:
        """Return the id of the team or of the member that `team:…` or `member:…` means.

        Raises click.UsageError, TeamUnknown, MemberUnknown, NamesForAdmins, ServerProblem.
        """
        kind, _, name = named.partition(":")
        if kind not in {"team", "member"} or not name:
            raise click.UsageError(f"Say team:NAME or member:NAME, by name or id, not {harmless(named)}.")
        return (self.team_id_of(name), None) if kind == "team" else (None, self.member_id_of(name))

    def team_id_of(self, name: str) -> str:
        """Return the id of the team with a name or an id. Raises what ids_of raises."""
        if is_id(name):
            return self._existing("teams", name)
        found = _called(self.teams, name)
        if found or self._session.is_admin:
            return _one(found, name, TeamUnknown(f"There is no team called {name}.", team=name))
        raise NamesForAdmins(f"You are in no team called {name}, and only admins see all; say the team's id.")

    def member_id_of(self, name: str, *, kind: str | None = None) -> str:
        """Return the id of the member, of one `kind` alone, with a name, an email address or an id.

        Raises what ids_of raises.
        """
        if is_id(name):
            return self._existing("members", name)
        found = _called((each for each in self.members if kind in {None, each["kind"]}), name)
        if found or self._session.is_admin:
            return _one(found, name, MemberUnknown(f"There is no {kind or 'member'} called {name}.", member=name))
        raise NamesForAdmins(f"Only admins can look for {name} among the members; say the member's id.")

    def environment_of(self, slug: str) -> str:
        """Return the slug of the environment with a slug or an id. Raises EnvironmentUnknown."""
        if slug == "default":
            return slug
        listed = self._session.client.get(f"{self._session.organization_url}/environments")["environments"]
        for environment in listed:
            if slug in {environment["slug"], environment["id"]}:
                return str(environment["slug"])
        raise EnvironmentUnknown(f"There is no environment called {slug}.", environment=slug)

    def _existing(self, what: str, thing_id: str) -> str:
        """Return an id, once it is known that there is such a thing if the caller may know. Raises ServerProblem."""
        if self._session.is_admin:
            self._session.client.get(f"{self._session.organization_url}/{what}/{thing_id}")
        return str(UUID(thing_id))

    def _list(self, what: str) -> list[Json]:
        pages = self._session.client.pages(f"{self._session.organization_url}/{what}", what)
        return [thing for page in pages for thing in page]

    def _name(self, things: Iterable[Json], thing_id: str, prefix: str, *, gone: str) -> str:
        name = next((str(thing["name"]) for thing in things if thing["id"] == thing_id), None)
        if name is None and self._session.is_admin:
            return gone
        return f"{prefix}{name or thing_id}"


def _called(things: Iterable[Json], name: str) -> Sequence[Json]:
    """Return what is called so word for word, else whatever the case."""
    folded = [thing for thing in things if name.casefold() in {text.casefold() for text in _names_of(thing)}]
    return [thing for thing in folded if name in _names_of(thing)] or folded


def _names_of(thing: Json) -> Sequence[str]:
    return [text for text in (thing["name"], thing.get("email")) if text]


def _one(found: Sequence[Json], name: str, missing: TeamUnknown | MemberUnknown) -> str:
    if not found:
        raise missing
    if len(found) > 1:
        ids = ", ".join(str(thing["id"]) for thing in found)
        raise click.UsageError(f"Several are called {harmless(name)}; say one by its id: {ids}.")
    return str(found[0]["id"])
