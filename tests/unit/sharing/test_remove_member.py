"""What a removed member kept to itself goes into the trash unseen; its paths are free, and it goes for good."""

import threading
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import psycopg
import pytest

from chalicelib.access.keep_said import keep_said
from chalicelib.access.model import GrantAction
from chalicelib.audit.list_activity import list_workspace_activity
from chalicelib.audit.model import ActivityFilters
from chalicelib.errors import LorebaseError
from chalicelib.identity.errors import MemberNotFound
from chalicelib.identity.manage_members import update_member
from chalicelib.identity.model import OrganizationRole, Principal, PrincipalId, WorkspaceRole
from chalicelib.identity.rights import ActionForbidden
from chalicelib.index.swap import remove_items_from_index
from chalicelib.intake.purge_items import Emptied, empty_trash, purge_old_items
from chalicelib.items.create_item import create_item
from chalicelib.items.errors import ItemNotFound
from chalicelib.items.model import Attributes, Draft, Item
from chalicelib.items.quotas import read_usage
from chalicelib.items.read_item import read_item
from chalicelib.items.read_trash import list_trash
from chalicelib.items.trash_store import TrashFilters
from chalicelib.sharing.change_access import change_folder_access, change_item_access
from chalicelib.sharing.manage_grants import give_grant
from chalicelib.sharing.remove_member import remove_member
from tests.fixtures.crowd import ONLY_ME, Crowd

SECRET = "the plan of one alone"


def make(crowd: Crowd, who: PrincipalId | Principal, path: str, body: str = SECRET) -> Item:
    draft = Draft(path=path, title=path, body=body, attributes=Attributes())
    item: Item = crowd.do(create_item, who, draft=draft, rules=crowd.lorebase.wired.item_rules)
    return item


def keep(crowd: Crowd, who: PrincipalId, path: str) -> Item:
    """Let somebody make an item that only they read, and bring it into search."""
    item = make(crowd, who, path)
    crowd.do(change_item_access, who, item_id=item.id, choice=ONLY_ME)
    crowd.lorebase.drain()
    return item


def remove(crowd: Crowd, member_id: PrincipalId, *, by: Principal | None = None) -> None:
    owner = by or crowd.owner
    with crowd.lorebase.database.transaction() as tx:
        remove_member(
            tx,
            principal=owner,
            organization_id=owner.organization_id,
            member_id=member_id,
            rules=crowd.lorebase.wired.item_rules,
            remove_from_index=remove_items_from_index,
        )


def reads(crowd: Crowd, who: PrincipalId | Principal, item: Item) -> bool:
    try:
        crowd.do(read_item, who, item_id=item.id)
    except ItemNotFound:
        return False
    return True


def rows(crowd: Crowd, statement: str) -> Sequence[Any]:
    with psycopg.connect(crowd.lorebase.database.conninfo) as session:
        return session.execute(statement.encode()).fetchall()


def living(crowd: Crowd) -> list[str]:
    return [path for (path,) in rows(crowd, "select path from items where deleted_at is null order by path")]


def told(crowd: Crowd, who: PrincipalId | Principal) -> list[tuple[str, object]]:
    """Return what the activity tells somebody of what came into or out of the trash, and of which thing."""
    entries = crowd.do(list_workspace_activity, who, filters=ActivityFilters(), before=None, limit=99)
    return [
        (str(entry.action), entry.after)
        for entry in entries
        if str(entry.action) in {"item.deleted", "item.purged", "member.items_deleted"}
    ]


def used(crowd: Crowd) -> int:
    with crowd.lorebase.database.transaction() as tx:
        return read_usage(tx, crowd.workspace_id, crowd.lorebase.wired.item_rules.quotas)["items"].used


def empty(crowd: Crowd, limit: int = 200) -> Emptied:
    emptied: Emptied = crowd.do(empty_trash, crowd.owner, limit=limit, rules=crowd.lorebase.wired.intake_rules)
    return emptied


def test_its_paths_are_free_at_once_and_nobody_is_shown_it(crowd: Crowd) -> None:
    item = keep(crowd, crowd.editor, "kept.md")
    crowd.add("open.md")
    remove(crowd, crowd.editor)
    assert (living(crowd), used(crowd)) == (["open.md"], 1)
    successor = crowd.add("kept.md", "another plan")
    for who in (crowd.owner, crowd.viewer, crowd.agent):
        assert not reads(crowd, who, item)
        assert reads(crowd, who, successor)
        trash = crowd.do(list_trash, who, filters=TrashFilters(), last=None, limit=99)
        assert list(trash) == []
        assert item.id not in {hit.item_id for hit in crowd.search(who, SECRET).hits}
    assert told(crowd, crowd.owner) == [("member.items_deleted", {"items": 1})]


def test_what_is_dropped_at_its_path_is_not_kept_for_who_is_gone(crowd: Crowd) -> None:
    keep(crowd, crowd.editor, "kept.md")
    remove(crowd, crowd.editor)
    successor = crowd.add("kept.md")
    with psycopg.connect(crowd.lorebase.database.conninfo) as session:
        session.execute("update items set created_by = null")
    with crowd.lorebase.database.transaction() as tx:
        assert not keep_said(tx, crowd.workspace_id, successor.id, "kept.md")
    assert reads(crowd, crowd.viewer, successor)


def test_it_is_gone_for_good_after_the_days_of_the_trash(crowd: Crowd) -> None:
    keep(crowd, crowd.editor, "kept.md")
    remove(crowd, crowd.editor)
    rules = crowd.lorebase.wired.intake_rules
    ((deleted_at,),) = rows(crowd, "select deleted_at from items")
    with crowd.lorebase.database.transaction() as tx:
        assert purge_old_items(tx, before=deleted_at, limit=9, rules=rules) == 0
        assert purge_old_items(tx, before=deleted_at + timedelta(seconds=1), limit=9, rules=rules) == 1
    assert rows(crowd, "select count(*) from items") == rows(crowd, "select count(*) from bodies") == [(0,)]


def test_what_the_disabled_keep_stays_theirs(crowd: Crowd) -> None:
    item = keep(crowd, crowd.editor, "kept.md")
    where: dict[str, Any] = {"principal": crowd.owner, "organization_id": crowd.owner.organization_id}
    with crowd.lorebase.database.transaction() as tx:
        update_member(tx, **where, member_id=crowd.editor, disabled=True)
    remove(crowd, crowd.viewer)
    assert (living(crowd), empty(crowd)) == (["kept.md"], Emptied(0, has_more=False))
    with crowd.lorebase.database.transaction() as tx:
        update_member(tx, **where, member_id=crowd.editor, disabled=False)
    assert reads(crowd, crowd.editor, item)


def test_what_others_read_or_made_stays(crowd: Crowd) -> None:
    opened, kept = make(crowd, crowd.editor, "open.md"), keep(crowd, crowd.member(WorkspaceRole.EDITOR), "other.md")
    remove(crowd, crowd.editor)
    assert living(crowd) == ["open.md", "other.md"]
    assert reads(crowd, crowd.viewer, opened)
    assert not reads(crowd, crowd.owner, kept)


def test_what_lies_in_a_folder_that_it_kept_goes_with_it_but_what_it_shared_there(crowd: Crowd) -> None:
    other = crowd.member(WorkspaceRole.OWNER)
    crowd.do(change_folder_access, other, folder_id=crowd.folder("own"), choice=ONLY_ME)
    make(crowd, other, "own/a.md")
    shared = make(crowd, other, "own/b.md")
    given = {"subject_id": shared.id, "is_folder": False, "action": GrantAction.READ, "team_id": None}
    crowd.do(give_grant, other, **given, member_id=crowd.viewer)
    remove(crowd, other)
    assert (living(crowd), reads(crowd, crowd.viewer, shared)) == (["own/b.md"], True)
    remove(crowd, crowd.viewer)
    assert living(crowd) == []


def test_an_owner_empties_what_nobody_reads_any_more_without_being_shown_it(crowd: Crowd) -> None:
    for number in range(3):
        keep(crowd, crowd.editor, f"{number}.md")
    still = keep(crowd, crowd.member(WorkspaceRole.EDITOR), "still.md")
    crowd.delete(crowd.add("seen.md"))
    remove(crowd, crowd.editor)
    assert empty(crowd, 1) == Emptied(1, has_more=True)
    assert empty(crowd, 2) == Emptied(2, has_more=True)
    assert empty(crowd, 2) == Emptied(1, has_more=False)
    assert rows(crowd, "select id from items") == [(still.id,)]
    purged = [after for action, after in told(crowd, crowd.owner) if action == "item.purged"]
    assert purged == [{"items": 1}, {"items": 2}, None]


def test_others_neither_remove_members_nor_bury_by_it(crowd: Crowd) -> None:
    keep(crowd, crowd.editor, "kept.md")
    beta = crowd.lorebase.found("Beta")
    for who in (crowd.now(crowd.viewer), crowd.now(crowd.member(WorkspaceRole.OWNER))):
        with pytest.raises(ActionForbidden):
            remove(crowd, crowd.editor, by=who)
    with pytest.raises(MemberNotFound):
        remove(crowd, crowd.editor, by=beta.owner)
    assert living(crowd) == ["kept.md"]
    assert crowd.now(crowd.editor).organization_role is OrganizationRole.MEMBER


def test_nothing_is_left_by_who_keeps_while_it_is_removed(crowd: Crowd) -> None:
    for turn in range(5):
        member = crowd.member(WorkspaceRole.EDITOR)
        item = make(crowd, member, f"{turn}.md")
        gate = threading.Barrier(2)
        errors: list[BaseException] = []

        def keeping(member: Principal, item: Item, gate: threading.Barrier, errors: list[BaseException]) -> None:
            gate.wait()
            try:
                crowd.do(change_item_access, member, item_id=item.id, choice=ONLY_ME)
            except (LorebaseError, psycopg.Error) as error:
                errors.append(error)

        thread = threading.Thread(target=keeping, args=(crowd.now(member), item, gate, errors))
        thread.start()
        gate.wait()
        remove(crowd, member)
        thread.join()
        # Either it was kept first, and buried, or the member was gone first, and the item is everybody's.
        assert (f"{turn}.md" in living(crowd)) is bool(errors)
        assert reads(crowd, crowd.viewer, item) is bool(errors)
