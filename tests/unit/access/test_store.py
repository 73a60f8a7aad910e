"""The database tells who is in an audience as the rules do, and keeps each audience once."""

from itertools import combinations, product

from chalicelib.access.audience import is_in
from chalicelib.access.model import Audience
from chalicelib.access.store import Holder, delete_unused_audiences, list_audiences, put_audience, put_audiences
from chalicelib.database.database import Database
from chalicelib.database.statements import Statement
from tests.fixtures.indexing import IndexRoom

_TOKENS = ["user:a", "team:b", "owner:c"]
_SETS = [frozenset(chosen) for size in range(len(_TOKENS) + 1) for chosen in combinations(_TOKENS, size)]
_COUNT_TOKENS = Statement("count_tokens", "All tokens.", b"select count(*) as n from audience_tokens")
_FORGET = Statement("forget", "Let nothing have an audience.", b"update items set audience_id = null")


def _audiences() -> list[Audience]:
    pairs = [(one, other) for one, other in product(_SETS, _SETS) if one <= other]
    clauses = [*((one,) for one in _SETS), *pairs]
    return [Audience(said, environment) for said in clauses for environment in (None, "test")]


def test_who_is_in_an_audience_is_who_meets_every_clause_in_its_environment(database: Database) -> None:
    room = IndexRoom(database)
    holders = [
        Holder(tokens, is_agent=is_agent, environment=environment)
        for tokens in _SETS
        for is_agent, environment in ((False, None), (True, None), (True, "test"))
    ]
    with database.transaction() as tx:
        numbers = put_audiences(tx, room.workspace_id, _audiences())
        found = [list_audiences(tx, room.workspace_id, holders=[holder]) for holder in holders]
    expected = [
        {
            numbers[audience.digest()]
            for audience in _audiences()
            if is_in(audience, holder.tokens, environment=holder.environment, is_agent=holder.is_agent)
        }
        for holder in holders
    ]
    assert [set(audiences) for audiences in found] == expected
    assert any(expected)


def test_who_acts_on_behalf_of_another_is_in_what_both_are_in(database: Database) -> None:
    room = IndexRoom(database)
    one, other, both = ({"user:a"}, {"team:b"}, {"user:a", "team:b"})
    with database.transaction() as tx:
        numbers = [put_audience(tx, room.workspace_id, Audience((frozenset(said),))) for said in (one, other, both)]
        holders = [Holder(frozenset(one)), Holder(frozenset(other))]
        assert list_audiences(tx, room.workspace_id, holders=holders) == numbers[2:]


def test_audiences_of_another_workspace_are_not_among_them(database: Database) -> None:
    room, other = IndexRoom(database), IndexRoom(database)
    audience = Audience((frozenset({"org:x"}),))
    with database.transaction() as tx:
        number = put_audience(tx, room.workspace_id, audience)
        assert put_audience(tx, other.workspace_id, audience) != number
        assert list_audiences(tx, room.workspace_id, holders=[Holder(frozenset({"org:x"}))]) == [number]


def test_an_audience_is_kept_once(database: Database) -> None:
    room = IndexRoom(database)
    old, new = Audience((frozenset({"user:a"}),)), Audience((frozenset({"user:b"}),))
    with database.transaction() as tx:
        number = put_audience(tx, room.workspace_id, old)
        numbers = put_audiences(tx, room.workspace_id, [new, old, new])
        assert numbers[old.digest()] == number
        assert len(set(numbers.values())) == 2


def test_an_audience_that_nothing_has_is_forgotten_with_its_tokens(database: Database) -> None:
    room = IndexRoom(database)
    room.add("a", "a", index=False)
    room.add("b", "b", index=False, audience=["user:b"])
    with database.transaction() as tx:
        put_audience(tx, room.workspace_id, Audience((frozenset({"user:c", "user:d"}),)))
        delete_unused_audiences(tx, room.workspace_id)
        kept = tx.fetch_all(_COUNT_TOKENS)[0]["n"]
        tx.execute(_FORGET)
        delete_unused_audiences(tx, room.workspace_id)
        assert (kept, tx.fetch_all(_COUNT_TOKENS)[0]["n"]) == (2, 0)
