"""Somebody who looks into a room, and how what is seen is told from what is absent."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

from chalicelib.database.transaction import Transaction
from chalicelib.errors import NotFound
from chalicelib.identity.model import Principal
from chalicelib.items.model import UploadId
from tests.access.town import Asker, Room, Thing, Town

Found = TypeVar("Found")
PAGE = 2


@dataclass(frozen=True)
class Look:
    """Somebody who looks into a room, in a transaction."""

    town: Town
    asker: Asker
    room: Room
    tx: Transaction
    principal: Principal

    @property
    def who(self) -> dict[str, Any]:
        return {"principal": self.principal, "workspace_id": self.room.id}

    @property
    def sees(self) -> list[Thing]:
        return self.asker.sees(self.room)

    @property
    def buried(self) -> list[Thing]:
        """What it may read in the trash."""
        return [thing for thing in self.room.things if thing.deleted is not None and self.reads_thing(thing)]

    @property
    def everything(self) -> list[Thing]:
        """What lies in any room: ids of other rooms are absent in this one."""
        return [thing for room in self.town.all_rooms for thing in room.things]

    def reads_thing(self, thing: Thing) -> bool:
        return thing in self.room.things and self.asker.reads(self.room, self.room.way(thing.path, thing.said))

    def uploads(self) -> set[UploadId]:
        return {upload_id for upload_id, thing in self.room.uploads.items() if self.reads_thing(thing)}


def paged(first: Any, fetch: Callable[[Any], Sequence[Found]], last_of: Callable[[Found], Any]) -> list[Found]:
    """Read page by page, so that positions hide nothing and bring back nothing."""
    found: list[Found] = []
    position = first
    while page := fetch(position):
        found += page
        position = last_of(page[-1])
    return found


def present(read: Callable[[], Found]) -> Found | None:
    try:
        return read()
    except NotFound:
        return None


def of_each(look: Look, read: Callable[[Thing], Found]) -> dict[str, Found]:
    """Read something of each thing that there is anywhere, by its word; what is absent is left out."""
    found = {thing.word: present(partial(read, thing)) for thing in look.everything}
    return {word: one for word, one in found.items() if one is not None}
