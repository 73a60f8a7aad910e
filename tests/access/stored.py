"""What the rows say that decide: the people of each stored audience, held to the model in one query a room."""

from collections.abc import Iterator, Mapping
from typing import Any

from chalicelib.database.statements import Statement
from tests.access.model import Person, readers
from tests.access.town import Resident, Room, Town

_AUDIENCES = Statement(
    "audiences",
    "Read the audience of each item, and of each upload that became one.",
    b"select i.id, a.clauses, a.environment from items i left join audiences a on a.id = i.audience_id"
    b" where i.workspace_id = %(workspace_id)s"
    b" union all select u.item_id, a.clauses, a.environment from uploads u"
    b" left join audiences a on a.id = u.audience_id where u.workspace_id = %(workspace_id)s and u.item_id is not null",
)


def check_stored(town: Town) -> None:
    """Hold what is stored to the model, for all of Acme and all its rooms."""
    for room in town.rooms:
        with town.database.transaction() as tx:
            rows = tx.fetch_all(_AUDIENCES, workspace_id=room.id)
        things = {thing.id: thing for thing in room.things}
        for row in rows:
            thing = things[row["id"]]
            stored = {one.name for one in town.folk.values() if _is_in(one, row, town, room)}
            assert stored == _names(readers(room, room.way(thing.path, thing.said))), thing.path


def _names(people: set[Person]) -> set[str]:
    return {one.name for one in people}


def _is_in(one: Resident, row: Mapping[str, Any], town: Town, room: Room) -> bool:
    held = set(_tokens(one, town, room))
    return all(held & set(clause) for clause in row["clauses"]) and (
        not one.is_agent or one.environment == row["environment"]
    )


def _tokens(one: Resident, town: Town, room: Room) -> Iterator[str]:
    yield f"org:{town.founder.organization_id}"
    yield f"{'agent' if one.is_agent else 'service' if one.name == 'service' else 'user'}:{one.id}"
    yield from (f"team:{club.id}" for club in town.clubs if one in club.people)
    role = room.role(one)
    if role:
        yield f"workspace:{room.id}"
    if role == "owner":
        yield f"owner:{room.id}"
