"""What an explanation says is what happens: for drawn organizations, every member and every item."""

import pytest

from chalicelib.access.writing import authorize_writing
from chalicelib.database.transaction import Transaction
from chalicelib.errors import LorebaseError
from chalicelib.identity.model import Principal
from chalicelib.items.model import Item
from chalicelib.items.read_item import read_item
from chalicelib.sharing.errors import FolderNotFound
from chalicelib.sharing.explain_access import explain, explain_access
from chalicelib.sharing.explain_model import Explanation
from chalicelib.sharing.find_subject import find_folder_subject, find_item_subject
from chalicelib.sharing.list_readers import list_readers
from tests.fixtures.lorebases import Lorebase
from tests.fixtures.random_organization import RandomOrganization

SEEDS = range(8)


def reads(drawn: RandomOrganization, who: Principal, item: Item) -> bool:
    try:
        drawn.do(read_item, who, item_id=item.id)
    except LorebaseError:
        return False
    return True


def writes(drawn: RandomOrganization, who: Principal, item: Item) -> bool:
    with drawn.lorebase.database.transaction() as tx:
        try:
            authorize_writing(tx, who, drawn.lorebase.workspace_id, item.path, item_id=item.id)
        except LorebaseError:
            return False
    return True


def explained(drawn: RandomOrganization, by: Principal, who: Principal, item: Item) -> Explanation:
    """Explain as somebody who can read the item, whether owner or not."""

    def run(tx: Transaction) -> Explanation:
        subject = find_item_subject(tx, by, drawn.lorebase.workspace_id, item.id)
        return explain(tx, asker=by, subject=subject, member_id=who.id)

    with drawn.lorebase.database.transaction() as tx:
        return run(tx)


@pytest.mark.parametrize("seed", SEEDS)
def test_verdicts_readers_and_reads_are_the_same(lorebase: Lorebase, seed: int) -> None:
    drawn = RandomOrganization(lorebase, seed)
    members = drawn.living()
    verdicts = set()
    for item in drawn.items:
        readers = {who.id for who in members if reads(drawn, who, item)}
        asker = next((who for who in members if who.id in readers), None)
        if asker is None:
            continue
        for who in members:
            explanation = explained(drawn, asker, who, item)
            verdicts.add((explanation.can_read, explanation.can_write))
            assert explanation.can_read == (who.id in readers)
            assert explanation.can_write == writes(drawn, who, item)
            obstacles = {obstacle.action for obstacle in explanation.standing.obstacles}
            assert explanation.can_read == ("read" not in obstacles)
            assert explanation.can_write == (not obstacles)
            for clause in explanation.standing.clauses:
                assert clause.is_met == bool(clause.grounds)
        owner = next((who for who in members if who.id in readers and is_owner(drawn, who)), None)
        if owner is not None:
            listed = drawn.do(list_readers, owner, subject_id=item.id, is_folder=False, after=None, limit=100)
            assert {reader.id for reader in listed.readers} == readers
            assert sum(listed.counts_by_kind.values()) == len(readers)
            assert all(reader.grounds for reader in listed.readers)
    assert {(True, True), (False, False)} <= verdicts


@pytest.mark.parametrize("seed", SEEDS)
def test_who_reads_in_a_folder_is_who_can_find_it(lorebase: Lorebase, seed: int) -> None:
    drawn = RandomOrganization(lorebase, seed)
    members = drawn.living()
    for folder_id in set(drawn.folders):
        readers = set()
        for who in members:
            with drawn.lorebase.database.transaction() as tx:
                try:
                    find_folder_subject(tx, who, drawn.lorebase.workspace_id, folder_id)
                except FolderNotFound:
                    continue
            readers.add(who.id)
        owner = next((who for who in members if who.id in readers and is_owner(drawn, who)), None)
        if owner is None:
            continue
        listed = drawn.do(list_readers, owner, subject_id=folder_id, is_folder=True, after=None, limit=100)
        assert {reader.id for reader in listed.readers} == readers
        for who in members:
            told = drawn.do(explain_access, owner, subject_id=folder_id, is_folder=True, member_id=who.id)
            assert told.can_read == (who.id in readers)


def test_a_disabled_member_is_among_no_readers_and_told_as_disabled(lorebase: Lorebase) -> None:
    drawn = RandomOrganization(lorebase, 1)
    item = next(item for item in drawn.items if reads(drawn, lorebase.owner, item))
    listed = drawn.do(list_readers, lorebase.owner, subject_id=item.id, is_folder=False, after=None, limit=100)
    told = drawn.do(explain_access, lorebase.owner, subject_id=item.id, is_folder=False, member_id=drawn.disabled)
    assert drawn.disabled not in {reader.id for reader in listed.readers}
    assert (told.can_read, told.can_write, told.standing.is_disabled) == (False, False, True)
    assert [obstacle.reason for obstacle in told.standing.obstacles] == ["disabled"]


def is_owner(drawn: RandomOrganization, who: Principal) -> bool:
    return who.roles_by_workspace.get(drawn.lorebase.workspace_id) == "owner"
