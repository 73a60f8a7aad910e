"""Whoever says who may read, and whoever writes there at that moment: in either order nothing ends up open."""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path
from random import Random

import pytest

from chalicelib.access.model import GrantAction
from chalicelib.database.database import Database
from chalicelib.database.statements import Statement
from chalicelib.database.transaction import Row, Transaction
from chalicelib.errors import Conflict, Forbidden, NotFound
from chalicelib.identity.manage_members import set_role
from chalicelib.items.list_items import list_items_by_path
from chalicelib.items.model import ItemFilters
from chalicelib.knowledge_bases.model import Mode
from chalicelib.sharing.manage_grants import give_grant, take_grant
from tests.access.desk import OPEN, RESTRICTED, Desk, Interrupted
from tests.access.meetings import Deed, meet
from tests.fixtures.api import Api, whole_api
from tests.fixtures.lorebases import Lorebase

__all__ = ["whole_api"]


@pytest.fixture
def embedder() -> Interrupted:
    return Interrupted()


@pytest.fixture
def desk(database: Database, tmp_path: Path, embedder: Interrupted) -> Iterator[Desk]:
    lorebase = Lorebase(database, tmp_path, embedder=embedder)
    yield Desk(lorebase)
    lorebase.wired.close()


def _create(desk: Desk) -> Deed:
    return desk.add("p/a.md")


def _upload(desk: Desk) -> Deed:
    return desk.upload("p/a.md")


def _move(desk: Desk) -> Deed:
    return desk.move(desk.do(desk.add("q/a.md")), "p/a.md")


def _restore(desk: Desk) -> Deed:
    item = desk.do(desk.add("p/a.md"))
    desk.do(desk.delete(item))
    return desk.restore(item)


WRITINGS = {"create": _create, "upload": _upload, "move": _move, "restore": _restore}


@pytest.mark.parametrize("is_said_first", [True, False])
@pytest.mark.parametrize("writing", list(WRITINGS))
def test_what_comes_into_a_folder_while_it_is_restricted_is_kept(
    desk: Desk, writing: str, *, is_said_first: bool
) -> None:
    deeds = [WRITINGS[writing](desk), desk.say(RESTRICTED)]
    meet(desk.database, *(reversed(deeds) if is_said_first else deeds))
    desk.lorebase.drain()
    assert desk.seen(desk.viewer) == []
    assert desk.found(desk.viewer, Mode.LEXICAL) == []
    assert desk.seen(desk.lorebase.owner) == ["p/a.md"]


def test_it_would_be_open_if_nobody_waited_for_who_says(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    run = Transaction.fetch_one

    def hurried(tx: Transaction, statement: Statement, **parameters: object) -> Row | None:
        is_waiting = statement.name == "share_places"
        return run(tx, replace(statement, text=b"select 1") if is_waiting else statement, **parameters)

    desk.do(desk.add("q/b.md"))
    monkeypatch.setattr(Transaction, "fetch_one", hurried)
    meet(desk.database, desk.say(RESTRICTED), desk.add("p/a.md"))
    assert desk.seen(desk.viewer) == ["p/a.md", "q/b.md"]


@pytest.mark.parametrize("is_said_first", [True, False])
def test_what_leaves_a_folder_while_it_is_restricted_is_where_it_went(desk: Desk, *, is_said_first: bool) -> None:
    item = desk.do(desk.add("p/a.md"))
    deeds = [desk.move(item, "q/a.md"), desk.say(RESTRICTED)]
    meet(desk.database, *(reversed(deeds) if is_said_first else deeds))
    assert desk.seen(desk.viewer) == ["q/a.md"]


@pytest.mark.parametrize("is_said_first", [True, False])
def test_what_is_deleted_while_its_folder_is_restricted_is_in_nobody_s_way(desk: Desk, *, is_said_first: bool) -> None:
    item = desk.do(desk.add("p/a.md"))
    desk.do(desk.add("p/b.md"))
    deeds = [desk.delete(item), desk.say(RESTRICTED)]
    meet(desk.database, *(reversed(deeds) if is_said_first else deeds))
    assert desk.seen(desk.viewer) == []
    assert desk.seen(desk.lorebase.owner) == ["p/b.md"]


def test_an_editor_who_waits_for_a_restriction_is_refused_by_it(desk: Desk) -> None:
    with pytest.raises(Forbidden):
        meet(desk.database, desk.say(RESTRICTED), desk.add("p/a.md", desk.editor))
    assert desk.seen(desk.lorebase.owner) == []


def test_an_upload_that_was_accepted_before_a_restriction_becomes_a_restricted_item(desk: Desk) -> None:
    desk.do(desk.upload("p/a.md"))
    desk.do(desk.say(RESTRICTED))
    desk.lorebase.drain()
    assert desk.seen(desk.viewer) == []
    assert desk.seen(desk.lorebase.owner) == ["p/a.md"]


@pytest.mark.parametrize("mode", [Mode.SEMANTIC, Mode.HYBRID])
def test_a_grant_that_is_withdrawn_during_a_search_gives_no_hit(desk: Desk, embedder: Interrupted, mode: Mode) -> None:
    item = desk.do(desk.add("p/a.md"))
    desk.lorebase.drain()
    desk.do(desk.say(RESTRICTED))
    subject = {**desk.by(desk.lorebase.owner), "subject_id": item.id, "is_folder": False}
    grant = desk.do(partial(give_grant, **subject, action=GrantAction.READ, member_id=desk.viewer.id, team_id=None))
    assert desk.found(desk.viewer, mode) == ["p/a.md"]
    embedder.happens = lambda: desk.do(partial(take_grant, **subject, grant_id=grant.id))
    assert desk.found(desk.viewer, mode) == []


def test_a_role_that_is_taken_between_two_pages_shows_no_second_page(whole_api: Api, lorebase: Lorebase) -> None:
    desk = Desk(lorebase)
    for name in "abc":
        desk.do(desk.add(f"{name}.md"))
    issued = {"name": "k", "member_id": str(desk.viewer.id), "scopes": ["read"]}
    keys = f"/v1/organizations/{desk.viewer.organization_id}/api-keys"
    key = whole_api.call("POST", keys, key=lorebase.foundation.token, json_body=issued).json["token"]
    items = f"/v1/workspaces/{lorebase.workspace_id}/items"
    first = whole_api.call("GET", items, key=key, query={"limit": 1}).json
    desk.do(partial(set_role, **desk.by(lorebase.owner), member_id=desk.viewer.id, role=None))
    second = whole_api.call("GET", items, key=key, query={"limit": 1, "cursor": first["next_cursor"]})
    assert (len(first["items"]), second.status) == (1, 404)


def test_many_at_once_end_without_a_deadlock_and_as_was_said_last(desk: Desk) -> None:
    """Four people create, move, delete and restrict in one folder while a worker indexes: nobody is turned away."""

    def work(seed: int) -> list[BaseException]:
        chance = Random(seed)
        failures: list[BaseException] = []
        for number in range(20):
            mine = [path for path in desk.seen(desk.lorebase.owner) if f"{seed}-" in path]
            try:
                if number % 5 == 4:
                    desk.do(desk.say(chance.choice([RESTRICTED, OPEN])))
                elif not mine or chance.random() < 0.5:
                    desk.do(desk.add(f"{chance.choice('pq')}/{seed}-{number}.md"))
                else:
                    _shuffle(desk, chance, mine)
            except (Conflict, NotFound):
                continue
            except Exception as error:  # noqa: BLE001  counted, whatever it is
                failures.append(error)
        return failures

    def drain() -> None:
        for _ in range(20):
            desk.lorebase.drain()

    with ThreadPoolExecutor(5) as pool:
        indexing = pool.submit(drain)
        failures = [failure for failed in pool.map(work, range(4)) for failure in failed]
        indexing.result()
    assert failures == []
    desk.do(desk.say(RESTRICTED))
    assert not [path for path in desk.seen(desk.viewer) if path.startswith("p/")]
    desk.do(desk.say(OPEN))
    assert desk.seen(desk.viewer) == desk.seen(desk.lorebase.owner)


def _shuffle(desk: Desk, chance: Random, mine: Sequence[str]) -> None:
    with desk.database.transaction() as tx:
        filters = ItemFilters(path=chance.choice(mine))
        items = list_items_by_path(tx, **desk.by(desk.lorebase.owner), filters=filters, after_path=None, limit=1)
    for item in items:
        folder, _, name = item.path.partition("/")
        deed = (
            desk.delete(item) if chance.random() < 0.3 else desk.move(item, f"{'q' if folder == 'p' else 'p'}/{name}")
        )
        desk.do(deed)
