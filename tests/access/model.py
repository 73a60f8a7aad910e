"""The rules of who may read and write, said a second time: as sets of people, from docs/access.md and nothing else.

Whoever wants to know what Lorebase promises can read this file alone. It knows no token, no table and no line of the
program; the tests beside it build organizations at random and hold every way of reading and writing to it.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

ROLES = ("guest", "viewer", "editor", "owner")


@dataclass(eq=False)
class Person:
    """A user, an agent or a service; None is the default environment."""

    name: str
    is_agent: bool = False
    is_admin: bool = False
    environment: str | None = None


@dataclass(eq=False)
class Team:
    people: set[Person] = field(default_factory=set)


@dataclass
class Said:
    """What was said about a folder or an item: whom its `audience` names, and who was given to `read` or `write`."""

    kind: str | None = None
    named: frozenset[Person | Team] = frozenset()
    inherits: bool = True
    is_restricted: bool = False
    environment: str | None = None
    given: Mapping[Person | Team, str] = field(default_factory=dict)
    creator: Person | None = None


@dataclass(eq=False)
class Workspace:
    people: set[Person]
    """Everybody of the organization."""
    roles: dict[Person, str] = field(default_factory=dict)

    def role(self, person: Person, elsewhere: Iterable[Said] = ()) -> str | None:
        """A guest is who has no role where something, `elsewhere` as well, is open to it by name, team or to all."""
        if person not in self.people or person.is_admin:
            return "owner" if person in self.people else None
        opened = any(person in people(said.given) or person in self.audience(said, guests=True) for said in elsewhere)
        return self.roles.get(person, "guest" if opened else None)

    def audience(self, said: Said, *, guests: bool = False) -> set[Person]:
        members = {person for person in self.people if person.is_admin or self.roles.get(person) in ROLES[1:]}
        named = set() if guests and said.kind == "only_me" else people(said.named)
        return {"workspace": set() if guests else members, "organization": self.people}.get(said.kind or "", named)


def people(named: Iterable[Person | Team]) -> set[Person]:
    return {person for one in named for person in (one.people if isinstance(one, Team) else [one])}


def readers(workspace: Workspace, way: Sequence[Said]) -> set[Person]:
    """Everybody who may read what lies at the end of a way: the folders about which something was said, and the item.

    Each audience and each restriction along the way is a limit. Owners pass all but only-me; whoever was given
    something passes the limits at that place and above, and no deeper one. Where no audience was said but only-me,
    there is the limit of having a role; where a way begins anew in silence, of owning.
    """
    owners = {person for person in workspace.people if person.is_admin or workspace.roles.get(person) == "owner"}
    begun = since_break(way)
    limits = [(0, workspace.audience(Said("workspace")))]
    if any(said.kind not in {None, "only_me"} for said in begun):
        limits = []
    if begun and not begun[0].inherits and not begun[0].kind and not begun[0].is_restricted:
        limits = [(0, owners)]
    for depth, said in enumerate(begun):
        if said.kind:
            limits.append((depth, workspace.audience(said) | (set() if said.kind == "only_me" else owners)))
        if said.is_restricted:
            limits.append((depth, owners | {said.creator} if said.creator else owners))
    passing = [limit.union(*(people(said.given) for said in begun[depth:])) for depth, limit in limits]
    environment = next((said.environment for said in reversed(way) if said.environment), "default")
    here = {p for p in workspace.people if not p.is_agent or (p.environment or "default") == environment}
    return here.intersection(*passing)


def writers(way: Sequence[Said]) -> set[Person]:
    """Everybody to whom writing was given along the way; whoever has the role of an editor needs no gift."""
    return people(one for said in since_break(way) for one, action in said.given.items() if action == "write")


def since_break(way: Sequence[Said]) -> Sequence[Said]:
    return way[max((depth for depth, said in enumerate(way) if not said.inherits), default=0) :]
