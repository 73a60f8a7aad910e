"""Two organizations on a real database, and beside them what the model knows of them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count

from chalicelib.access.model import FolderId
from chalicelib.database.transaction import Transaction
from chalicelib.identity.acting import act_on_behalf_of
from chalicelib.identity.authenticate import authenticate
from chalicelib.identity.manage_api_keys import create_api_key
from chalicelib.identity.manage_environments import create_environment
from chalicelib.identity.manage_members import create_member, set_role
from chalicelib.identity.manage_teams import add_team_member, create_team
from chalicelib.identity.manage_workspaces import create_workspace
from chalicelib.identity.model import (
    KeyScope,
    Principal,
    PrincipalId,
    PrincipalKind,
    TeamId,
    WorkspaceId,
    WorkspaceRole,
)
from chalicelib.items.model import ItemId, UploadId
from tests.access.model import ROLES, Person, Said, Team, Workspace, readers, writers
from tests.fixtures.lorebases import Lorebase

_WORDS = count(1)


@dataclass(eq=False)
class Resident(Person):
    """A person of the model, with its id."""

    id: PrincipalId = field(kw_only=True)
    token: str = ""


@dataclass(eq=False)
class Club(Team):
    """A team of the model, with its id."""

    id: TeamId = field(kw_only=True)


@dataclass(eq=False)
class Thing:
    """An item: living, or in the trash since `deleted`, which orders deletions. Its word is in all that it says."""

    item_id: ItemId | None
    path: str
    said: Said
    deleted: int | None = None
    revisions: int = 1
    word: str = field(default_factory=lambda: f"word{next(_WORDS)}q")

    @property
    def id(self) -> ItemId:
        assert self.item_id is not None
        return self.item_id


@dataclass(eq=False)
class Folder:
    """A folder about which something can be said."""

    id: FolderId
    path: str
    said: Said


@dataclass(eq=False)
class Room(Workspace):
    """A workspace of the model with what lies in it. `uploads` became these items, and came to these paths."""

    id: WorkspaceId = field(kw_only=True)
    folders: dict[str, Folder] = field(default_factory=dict)
    things: list[Thing] = field(default_factory=list)
    uploads: dict[UploadId, Thing] = field(default_factory=dict)
    arrived_at: dict[UploadId, str] = field(default_factory=dict)

    def way(self, path: str, own: Said | None = None) -> Sequence[Said]:
        """What was said along the way to a path; `own` is what was said about the item there."""
        steps = path.split("/")[:-1]
        folders = ["/".join(steps[: depth + 1]) for depth in range(len(steps))]
        said = [self.folders[folder].said for folder in folders if folder in self.folders]
        return said if own is None else [*said, own]

    def elsewhere(self) -> Iterator[Said]:
        """All that was said anywhere in the workspace."""
        yield from (folder.said for folder in self.folders.values())
        yield from (thing.said for thing in self.things)

    def living(self) -> list[Thing]:
        return [thing for thing in self.things if thing.deleted is None]

    def at(self, path: str) -> Thing | None:
        return next((thing for thing in self.living() if thing.path == path), None)


@dataclass(eq=False)
class Asker:
    """A person with a key: for all it may do, for some workspaces or scopes, or while it acts for another."""

    who: Resident
    token: str
    scopes: frozenset[KeyScope] = frozenset(KeyScope)
    reach: frozenset[WorkspaceId] | None = None
    acts_for: Resident | None = None

    def __repr__(self) -> str:
        return self.who.name + (f" for {self.acts_for.name}" if self.acts_for else "")

    def role(self, room: Room) -> str | None:
        """The role in a room, the lesser of two where it acts for another; None where it must not learn of it."""
        if self.reach is not None and room.id not in self.reach:
            return None
        roles = [room.role(one, room.elsewhere()) for one in self.all_who_act]
        known = [role for role in roles if role]
        return min(known, key=ROLES.index) if len(known) == len(roles) else None

    @property
    def all_who_act(self) -> list[Resident]:
        return [self.who] if self.acts_for is None else [self.who, self.acts_for]

    def reads(self, room: Room, way: Sequence[Said]) -> bool:
        """Whether it may read what lies at the end of a way: both may, where it acts for another."""
        if self.role(room) is None or KeyScope.READ not in self.scopes:
            return False
        return readers(room, way).issuperset(self.all_who_act)

    def writes(self, room: Room, way: Sequence[Said]) -> bool:
        """Whether it may write there: each who acts, by role or because it was given to them."""
        given = writers(way)
        may = all(room.role(one) in {"editor", "owner"} or one in given for one in self.all_who_act)
        return may and KeyScope.WRITE in self.scopes and self.reads(room, way)

    def says(self, room: Room, way: Sequence[Said]) -> bool:
        """Whether it may say who reads there: owners who read it themselves."""
        return self.role(room) == "owner" and KeyScope.ADMIN in self.scopes and self.reads(room, way)

    def sees(self, room: Room) -> list[Thing]:
        return [thing for thing in room.living() if self.reads(room, room.way(thing.path, thing.said))]

    def principal(self, tx: Transaction, town: "Town") -> Principal:
        principal = authenticate(tx, self.token, pepper=town.lorebase.wired.pepper, now=town.lorebase.clock.now())
        return act_on_behalf_of(tx, principal=principal, member_id=self.acts_for.id) if self.acts_for else principal


class Town:
    """Acme, with people in every role in its first room and few in its second, and a foreign organization."""

    def __init__(self, lorebase: Lorebase) -> None:
        self.lorebase, self.database = lorebase, lorebase.database
        acme, foreign = lorebase.found("Acme"), lorebase.found("Foreign")
        self.founder = acme.owner
        self.folk: dict[str, Resident] = {}
        everybody: set[Person] = set()
        with self.database.transaction() as tx:
            create_environment(tx, principal=acme.owner, organization_id=acme.organization.id, slug="prod")
            second = create_workspace(
                tx, principal=acme.owner, organization_id=acme.organization.id, slug="second", name="Second"
            )
            self.founder = authenticate(tx, acme.token, pepper=lorebase.wired.pepper, now=lorebase.clock.now())
        head = Resident("head", is_admin=True, id=acme.owner.id, token=acme.token)
        stranger = Resident("stranger", is_admin=True, id=foreign.owner.id, token=foreign.token)
        everybody.add(head)
        self.rooms = [Room(everybody, id=acme.workspace.id), Room(everybody, id=second.id)]
        self.foreign = Room({stranger}, id=foreign.workspace.id)
        self.folk |= {"head": head}
        for name, role in _FOLK.items():
            self._settle(name, role, everybody)
        self.clubs = [self._found_club(name) for name in ("red", "blue")]
        self.askers = [Asker(one, one.token) for one in self.folk.values()]
        self.askers += [
            Asker(self.folk["agent"], self.folk["agent"].token, acts_for=self.folk["editor"]),
            Asker(self.folk["agent"], self.folk["agent"].token, acts_for=self.folk["guest"]),
            self._limited("owner", {KeyScope.READ}, None),
            self._limited("head", set(KeyScope), frozenset({second.id})),
            Asker(stranger, stranger.token),
        ]

    def founder_of(self, room: Room, tx: Transaction) -> Principal:
        """Whoever owns a room from the beginning, as it is now."""
        name = "head" if room in self.rooms else "stranger"
        return self.key(name).principal(tx, self)

    @property
    def all_rooms(self) -> list[Room]:
        return [*self.rooms, self.foreign]

    def key(self, name: str) -> Asker:
        """The whole key of somebody."""
        return next(asker for asker in self.askers if asker.who.name == name)

    def give_role(self, room: Room, who: Resident, role: str | None) -> None:
        with self.database.transaction() as tx:
            granted = None if role is None else WorkspaceRole(role)
            set_role(tx, principal=self.founder, workspace_id=room.id, member_id=who.id, role=granted)
        room.roles.pop(who, None)
        if role is not None:
            room.roles[who] = role

    def join(self, club: Club, who: Resident) -> None:
        organization_id = self.founder.organization_id
        with self.database.transaction() as tx:
            add_team_member(
                tx, principal=self.founder, organization_id=organization_id, team_id=club.id, member_id=who.id
            )
        club.people.add(who)

    def _settle(self, name: str, role: str | None, everybody: set[Person]) -> None:
        kind = _KINDS.get(name, PrincipalKind.USER)
        environment = "prod" if name == "prod-agent" else None
        with self.database.transaction() as tx:
            member = create_member(
                tx,
                principal=self.founder,
                organization_id=self.founder.organization_id,
                kind=kind,
                name=name,
                environment=environment,
            )
        who = Resident(name, kind is PrincipalKind.AGENT, environment=environment, id=member.id)
        who.token = self._key_of(who, set(KeyScope), None)
        everybody.add(who)
        self.folk[name] = who
        if role is not None:
            self.give_role(self.rooms[0], who, role)

    def _found_club(self, name: str) -> Club:
        with self.database.transaction() as tx:
            team = create_team(tx, principal=self.founder, organization_id=self.founder.organization_id, name=name)
        return Club(id=team.id)

    def _limited(self, name: str, scopes: set[KeyScope], reach: frozenset[WorkspaceId] | None) -> Asker:
        who = self.folk[name]
        return Asker(who, self._key_of(who, scopes, reach), frozenset(scopes), reach)

    def _key_of(self, who: Resident, scopes: set[KeyScope], reach: frozenset[WorkspaceId] | None) -> str:
        with self.database.transaction() as tx:
            return create_api_key(
                tx,
                principal=self.founder,
                organization_id=self.founder.organization_id,
                member_id=who.id,
                name="key",
                scopes=scopes,
                workspace_ids=None if reach is None else sorted(reach),
                expires_at=None,
                pepper=self.lorebase.wired.pepper,
                now=self.lorebase.clock.now(),
            ).token


_FOLK: Mapping[str, str | None] = {
    "owner": "owner",
    "editor": "editor",
    "other-editor": "editor",
    "viewer": "viewer",
    "guest": None,
    "agent": "editor",
    "prod-agent": "viewer",
    "service": "viewer",
}
_KINDS = {"agent": PrincipalKind.AGENT, "prod-agent": PrincipalKind.AGENT, "service": PrincipalKind.SERVICE}
