"""Random days in a town: what is done, as small numbers that hypothesis shrinks."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from hypothesis import strategies as st

from tests.access.deeds import FOLDERS, NAMES, Deeds
from tests.access.model import Person, Said, Team
from tests.access.sayings import KINDS, Sayings
from tests.access.town import Asker, Club, Resident, Room, Thing, Town


@dataclass(frozen=True)
class Step:
    """One deed. Numbers choose among what there is at that moment; the smallest choose what matters least."""

    deed: str
    asker: int = 0
    first: int = 0
    second: int = 0
    third: int = 0

    def take(self, town: Town) -> None:
        if self.deed in _DEEDS:
            _DEEDS[self.deed](self, Deeds(town))
        else:
            _SAYINGS[self.deed](self, Sayings(town))

    def who(self, town: Town) -> Asker:
        # Those who may do most come more often than all: the head, the owner and the editor.
        most = len(town.askers) if self.asker % 5 == 2 else 3
        return town.askers[self.asker // 5 % most]

    def room(self, town: Town) -> Room:
        # The second room and the foreign one are there to be mixed up with the first.
        return town.all_rooms[max(0, self.asker // len(town.askers) % 8 - 5)]

    def folder(self, number: int) -> str:
        return FOLDERS[number % len(FOLDERS)]

    def resident(self, town: Town) -> Resident:
        return list(town.folk.values())[self.second % len(town.folk)]

    def thing(self, town: Town, *, in_trash: bool = False) -> Thing | None:
        room = self.room(town)
        things = [thing for thing in room.things if thing.deleted is not None] if in_trash else room.living()
        return things[self.first % len(things)] if things else None

    def anybody(self, town: Town) -> Person | Team:
        """A person or a team to name."""
        named: list[Person | Team] = [*town.clubs, *town.folk.values()]
        return named[self.second % len(named)]

    def said(self, town: Town) -> Said:
        kind = KINDS[self.third % len(KINDS)]
        flags = self.third // len(KINDS)
        named: list[Person | Team] = []
        if kind == "teams":
            named = [town.clubs[self.second % len(town.clubs)]]
        if kind == "named":
            folk = list(town.folk.values())
            named = [folk[self.second % len(folk)], folk[(self.second // 3 + flags) % len(folk)]]
        return Said(
            kind,
            frozenset(named),
            inherits=flags % 3 != 1,
            is_restricted=flags % 5 == 1,
            environment=("prod", "default")[flags % 2] if flags % 7 in {1, 4} else None,
        )

    def subject(self, town: Town) -> Thing | str | None:
        """A thing, or one of the folders."""
        return self.thing(town) if self.first % 2 else self.folder(self.first // 2 + 1)


def _create(step: Step, do: Deeds) -> None:
    do.create(step.who(do.town), step.room(do.town), step.folder(step.first), NAMES[step.second % 2])


def _upload(step: Step, do: Deeds) -> None:
    do.upload(step.who(do.town), step.room(do.town), step.folder(step.first), NAMES[step.second % 2])


def _change(step: Step, do: Deeds) -> None:
    if thing := step.thing(do.town):
        do.change(step.who(do.town), step.room(do.town), thing)


def _move(step: Step, do: Deeds) -> None:
    if thing := step.thing(do.town):
        do.move(step.who(do.town), step.room(do.town), thing, step.folder(step.second))


def _delete(step: Step, do: Deeds) -> None:
    if thing := step.thing(do.town):
        do.delete(step.who(do.town), step.room(do.town), thing)


def _restore(step: Step, do: Deeds) -> None:
    if thing := step.thing(do.town, in_trash=True):
        folder = step.folder(step.second // 2) if step.second % 2 else None
        do.restore(step.who(do.town), step.room(do.town), thing, folder)


def _succeed(step: Step, do: Deeds) -> None:
    """What lay at a path goes into the trash, and another one comes to lie there."""
    if thing := step.thing(do.town):
        do.delete(do.town.key("head"), step.room(do.town), thing)
        folder, _, name = thing.path.rpartition("/")
        do.create(step.who(do.town), step.room(do.town), folder, name)


def _say_of_item(step: Step, do: Sayings) -> None:
    if thing := step.thing(do.town):
        do.say_of_item(step.who(do.town), step.room(do.town), thing, step.said(do.town))


def _say_of_folder(step: Step, do: Sayings) -> None:
    do.say_of_folder(step.who(do.town), step.room(do.town), step.folder(step.first), step.said(do.town))


def _give(step: Step, do: Sayings) -> None:
    if subject := step.subject(do.town):
        action = ("read", "write")[step.third % 2]
        do.give(step.who(do.town), step.room(do.town), subject, action, step.anybody(do.town))


def _take(step: Step, do: Sayings) -> None:
    if subject := step.subject(do.town):
        do.take(step.who(do.town), step.room(do.town), subject, step.second)


def _forget(step: Step, do: Sayings) -> None:
    do.forget(step.who(do.town), step.room(do.town), step.folder(step.first))


def _role(step: Step, do: Sayings) -> None:
    who = step.resident(do.town)
    if not who.is_admin:
        role = (None, "viewer", "editor", "owner")[step.third % 4]
        do.town.give_role(do.town.rooms[step.first % 2], who, role)


def _join(step: Step, do: Sayings) -> None:
    do.join(_club(step, do.town), step.resident(do.town))


def _leave(step: Step, do: Sayings) -> None:
    club = _club(step, do.town)
    if members := sorted((one for one in club.people if isinstance(one, Resident)), key=lambda one: one.name):
        do.leave(club, members[step.second % len(members)])


def _club(step: Step, town: Town) -> Club:
    return town.clubs[step.first % len(town.clubs)]


_DEEDS: Mapping[str, Callable[[Step, Deeds], None]] = {
    "create": _create,
    "move": _move,
    "change": _change,
    "delete": _delete,
    "restore": _restore,
    "succeed": _succeed,
    "upload": _upload,
}
_SAYINGS: Mapping[str, Callable[[Step, Sayings], None]] = {
    "say of folder": _say_of_folder,
    "say of item": _say_of_item,
    "give": _give,
    "take": _take,
    "join": _join,
    "leave": _leave,
    "role": _role,
    "forget": _forget,
}

# Things to read come first; what decides about them comes more often than what merely happens.
OFTEN = (
    [*_DEEDS, *_SAYINGS]
    + ["create"] * 4
    + ["say of folder"] * 5
    + ["say of item"] * 4
    + ["give"] * 3
    + ["move", "delete", "join"] * 2
)

# A town does not begin empty: the same path in every room, and things of several people in the first one.
MORNING = (
    Step("create", asker=10, first=3),
    Step("create", asker=17, first=3, second=1),
    Step("create", asker=32, first=1),
    Step("upload", asker=10, first=2),
    Step("create", asker=5, first=4),
    Step("create", asker=90, first=3),
    Step("create", asker=557, first=3),
)

_numbers = st.integers(0, 1023)
days = st.lists(
    st.builds(
        Step,
        deed=st.sampled_from(OFTEN),
        asker=_numbers,
        first=_numbers,
        second=_numbers,
        third=_numbers,
    ),
    min_size=10,
    max_size=30,
)
