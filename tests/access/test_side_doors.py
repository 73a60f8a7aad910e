"""Ways around the rules that cross a job: what is done later is done with the rights of who asked for it."""

from typing import Any

import pytest

from chalicelib.errors import Conflict, Forbidden
from chalicelib.intake.model import UploadRequest
from chalicelib.intake.read_uploads import list_uploads
from chalicelib.intake.receive_upload import receive_upload
from chalicelib.items.read_item import read_item
from tests.access.deeds import Deeds
from tests.access.model import Said
from tests.access.sayings import Sayings
from tests.access.town import Asker, Room, Town
from tests.fixtures.lorebases import Lorebase


@pytest.fixture
def town(settled: Lorebase) -> Town:
    return Town(settled)


def upload(town: Town, asker: Asker, room: Room, path: str) -> Any:
    with town.database.transaction() as tx:
        return receive_upload(
            tx,
            principal=asker.principal(tx, town),
            workspace_id=room.id,
            request=UploadRequest(path=path, filename=path, attributes={}),
            content=b"Written over by somebody.",
            rules=town.lorebase.wired.intake_rules,
            now=town.lorebase.clock.now(),
        )


def test_an_agent_writes_over_nothing_that_the_user_may_not_read_for_whom_it_uploads(town: Town) -> None:
    room, agent = town.rooms[0], town.key("agent")
    Deeds(town).create(agent, room, "", "a.md")
    (thing,) = room.living()
    Sayings(town).say_of_item(town.key("head"), room, thing, Said(is_restricted=True))
    (pair,) = [asker for asker in town.askers if asker.acts_for is town.folk["editor"]]
    assert agent.reads(room, room.way(thing.path, thing.said))
    assert not pair.reads(room, room.way(thing.path, thing.said))
    try:
        upload(town, pair, room, thing.path)
    except (Conflict, Forbidden):
        return
    town.lorebase.drain()
    Deeds(town).change(town.key("head"), room, thing)
    assert thing.revisions == 2
    assert _revision(town, room, thing) == 2


def test_a_failed_upload_tells_the_readers_of_a_folder_of_nothing_that_is_kept_from_them(town: Town) -> None:
    room, head, viewer = town.rooms[0], town.key("head"), town.key("viewer")
    Deeds(town).create(head, room, "", "a.md")
    (thing,) = room.living()
    Sayings(town).say_of_item(head, room, thing, Said(is_restricted=True))
    try:
        upload(town, town.key("editor"), room, thing.path)
    except (Conflict, Forbidden):
        return
    town.lorebase.drain()
    with town.database.transaction() as tx:
        seen = list_uploads(
            tx, principal=viewer.principal(tx, town), workspace_id=room.id, states=[], path=None, before=None, limit=9
        )
    assert "Another item" not in repr(seen)


def _revision(town: Town, room: Room, thing: Any) -> int:
    with town.database.transaction() as tx:
        head = town.key("head").principal(tx, town)
        return read_item(tx, principal=head, workspace_id=room.id, item_id=thing.id).revision
