"""What is said in a town about who may read, by whom ever: done by the program, and foretold by the model."""

from dataclasses import dataclass, replace
from uuid import UUID

from chalicelib.access.model import AudienceKind, GrantAction
from chalicelib.identity.manage_teams import remove_team_member
from chalicelib.sharing.change_access import change_folder_access, change_item_access
from chalicelib.sharing.manage_folders import forget_folder, put_folder
from chalicelib.sharing.manage_grants import give_grant, list_grants, take_grant
from chalicelib.sharing.model import AccessChoice, AudienceChoice
from tests.access.deeds import ABSENT, DONE, FORBIDDEN, REFUSED, verdict
from tests.access.model import Person, Said, Team
from tests.access.town import Asker, Club, Folder, Resident, Room, Thing, Town

KINDS = (None, "workspace", "organization", "teams", "named", "only_me")


@dataclass(frozen=True)
class Sayings:
    """All that can be said; each fails the test where the program decides otherwise than the model."""

    town: Town

    def say_of_item(self, asker: Asker, room: Room, thing: Thing, wanted: Said) -> None:
        said = replace(_kept(wanted, thing.said, asker), creator=thing.said.creator)
        ended, _ = verdict(
            self.town, asker, change_item_access, workspace_id=room.id, item_id=thing.id, choice=_choice(said)
        )
        way = room.way(thing.path, thing.said)
        is_own = thing.said.creator is asker.who and asker.acts_for is None
        keeps = {thing.said.kind, said.kind} <= {None, "only_me"} and replace(
            said, kind=None, named=frozenset(), given={}
        ) == replace(thing.said, kind=None, named=frozenset(), given={})
        by_role = asker.role(room) in {"editor", "owner"} and "write" in asker.scopes
        if not asker.reads(room, way):
            expected = ABSENT
        elif said.kind == "only_me" and not is_own:
            expected = REFUSED
        elif not asker.says(room, way) and not (is_own and keeps and by_role):
            expected = FORBIDDEN
        else:
            expected = DONE if asker.reads(room, room.way(thing.path, said)) else ABSENT
        assert ended == expected, f"say {said} of {thing.path} by {asker}"
        if ended == DONE:
            thing.said = said

    def say_of_folder(self, asker: Asker, room: Room, folder: str, wanted: Said) -> None:
        place = self._folder(asker, room, folder)
        if place is None:
            return
        said = _kept(wanted, place.said, asker)
        ended, _ = verdict(
            self.town, asker, change_folder_access, workspace_id=room.id, folder_id=place.id, choice=_choice(said)
        )
        before, expected = place.said, self._saying_in(asker, room, folder)
        if expected == DONE and said.kind == "only_me" and asker.acts_for:
            expected = REFUSED
        place.said = said
        if expected == DONE and not asker.reads(room, room.way(f"{folder}/")):
            expected = ABSENT
        assert ended == expected, f"say {said} of {folder}/ by {asker}"
        if ended != DONE:
            place.said = before

    def give(self, asker: Asker, room: Room, subject: Thing | str, action: str, to: Person | Team) -> None:
        """Give one person or team an action; to give it again takes the place of what was given."""
        place = subject if isinstance(subject, Thing) else self._folder(asker, room, subject)
        if place is None or not isinstance(to, Resident | Club):
            return
        ended, _ = verdict(
            self.town,
            asker,
            give_grant,
            workspace_id=room.id,
            subject_id=place.id,
            is_folder=isinstance(place, Folder),
            action=GrantAction(action),
            member_id=to.id if isinstance(to, Resident) else None,
            team_id=to.id if isinstance(to, Club) else None,
        )
        assert ended == self._granting(asker, room, place), f"give {action} on {place.path} by {asker}"
        if ended == DONE:
            place.said = replace(place.said, given={**place.said.given, to: action})

    def take(self, asker: Asker, room: Room, subject: Thing | str, number: int) -> None:
        """Take away one of the things given, if any was."""
        place = subject if isinstance(subject, Thing) else room.folders.get(subject)
        if place is None or not place.said.given:
            return
        taken = list(place.said.given)[number % len(place.said.given)]
        common = {"workspace_id": room.id, "subject_id": place.id, "is_folder": isinstance(place, Folder)}
        ended, grants = verdict(self.town, asker, list_grants, after=None, limit=100, **common)
        expected = self._granting(asker, room, place)
        assert ended == expected, f"list grants on {place.path} by {asker}"
        if ended == DONE:
            ids = {_id_of(one): one for one in place.said.given}
            assert {grant.member_id or grant.team_id for grant in grants} == set(ids)
            (grant,) = [grant for grant in grants if ids[grant.member_id or grant.team_id] is taken]
            ended, _ = verdict(self.town, asker, take_grant, grant_id=grant.id, **common)
            assert ended == DONE
            place.said = replace(place.said, given={one: v for one, v in place.said.given.items() if one is not taken})

    def forget(self, asker: Asker, room: Room, folder: str) -> None:
        place = room.folders.get(folder)
        if place is None:
            return
        ended, _ = verdict(self.town, asker, forget_folder, workspace_id=room.id, folder_id=place.id)
        assert ended == self._saying_in(asker, room, folder), f"forget {folder}/ by {asker}"
        if ended == DONE:
            del room.folders[folder]

    def join(self, club: Club, who: Resident) -> None:
        if not who.is_agent and who.name != "service":
            self.town.join(club, who)

    def leave(self, club: Club, who: Resident) -> None:
        if who in club.people:
            founder = self.town.founder
            with self.town.database.transaction() as tx:
                remove_team_member(
                    tx, principal=founder, organization_id=founder.organization_id, team_id=club.id, member_id=who.id
                )
            club.people.remove(who)

    def _granting(self, asker: Asker, room: Room, place: Thing | Folder) -> str:
        if isinstance(place, Folder):
            return self._saying_in(asker, room, place.path)
        way = room.way(place.path, place.said)
        if place.deleted is not None or not asker.reads(room, way):
            return ABSENT
        return DONE if asker.says(room, way) else FORBIDDEN

    def _saying_in(self, asker: Asker, room: Room, folder: str) -> str:
        if asker.role(room) is None:
            return ABSENT
        if asker.role(room) != "owner" or "admin" not in asker.scopes:
            return FORBIDDEN
        return DONE if asker.reads(room, room.way(f"{folder}/")) else ABSENT

    def _folder(self, asker: Asker, room: Room, folder: str) -> Folder | None:
        """Let something be said about a folder, if that is not so yet and the asker may."""
        if not folder or folder in room.folders:
            return room.folders.get(folder)
        ended, put = verdict(self.town, asker, put_folder, workspace_id=room.id, path=folder)
        expected = self._saying_in(asker, room, folder)
        if asker.role(room) and expected == ABSENT:
            expected = FORBIDDEN
        assert ended == expected, f"put {folder}/ by {asker}"
        if ended == DONE:
            room.folders[folder] = Folder(put[0].id, folder, Said())
        return room.folders.get(folder)


def _id_of(one: Person | Team) -> UUID:
    assert isinstance(one, Resident | Club)
    return one.id


def _kept(wanted: Said, before: Said, asker: Asker) -> Said:
    """What is wanted, with whom it names, and what was given before: nothing where it is only now kept by one alone."""
    said = replace(wanted, named=_named(wanted, asker))
    is_new = said.kind == "only_me" and (said.kind, said.named) != (before.kind, before.named)
    return replace(said, given={} if is_new else before.given)


def _named(said: Said, asker: Asker) -> frozenset[Person | Team]:
    return frozenset({asker.who}) if said.kind == "only_me" else said.named


def _choice(said: Said) -> AccessChoice:
    audience = None
    if said.kind is not None:
        audience = AudienceChoice(
            AudienceKind(said.kind),
            team_ids=frozenset(one.id for one in said.named if isinstance(one, Club)),
            member_ids=frozenset(one.id for one in said.named if isinstance(one, Resident) and said.kind != "only_me"),
        )
    return AccessChoice(
        audience=audience, inherits=said.inherits, is_restricted=said.is_restricted, environment=said.environment
    )
