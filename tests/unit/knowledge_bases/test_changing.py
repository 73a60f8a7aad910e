"""Who makes, changes, fills, opens and deletes a knowledge base, and what stays of its members."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import psycopg
import pytest

from chalicelib.access.model import GrantAction
from chalicelib.identity.manage_members import set_role
from chalicelib.identity.model import KeyScope, Principal, PrincipalId, WorkspaceRole
from chalicelib.identity.rights import ActionForbidden
from chalicelib.items.errors import ItemNotFound
from chalicelib.knowledge_bases.change_knowledge_base import change_knowledge_base, delete_knowledge_base
from chalicelib.knowledge_bases.change_members import change_members
from chalicelib.knowledge_bases.create_knowledge_base import create_knowledge_base
from chalicelib.knowledge_bases.errors import InvalidKnowledgeBase, KnowledgeBaseNotFound
from chalicelib.knowledge_bases.manage_knowledge_base_grants import give_base_grant
from chalicelib.knowledge_bases.model import Changes, KnowledgeBase, Members, Visibility
from chalicelib.knowledge_bases.read_knowledge_bases import list_knowledge_bases, list_members
from chalicelib.sharing.errors import FolderNotFound
from chalicelib.sharing.manage_folders import forget_folder
from tests.fixtures.crowd import RESTRICTED, Crowd

Who = PrincipalId | Principal


def make(crowd: Crowd, who: Who, visibility: Visibility = Visibility.PRIVATE) -> KnowledgeBase:
    made: KnowledgeBase = crowd.do(create_knowledge_base, who, name="Base", visibility=visibility)
    return made


def change(crowd: Crowd, who: Who, base: KnowledgeBase, **changes: Any) -> Any:
    return crowd.do(change_knowledge_base, who, knowledge_base_id=base.id, changes=Changes(**changes))


def fill(crowd: Crowd, who: Who, base: KnowledgeBase, **members: Any) -> Any:
    added = Members(**members)
    return crowd.do(change_members, who, knowledge_base_id=base.id, add=added, remove=Members())


def paths(crowd: Crowd, who: Who, base: KnowledgeBase) -> list[str]:
    members = crowd.do(list_members, who, knowledge_base_id=base.id, after=None, limit=99)
    return [member.path for member in members]


def refused(do: Callable[..., Any], *arguments: Any, **options: Any) -> bool:
    try:
        do(*arguments, **options)
    except ActionForbidden:
        return True
    return False


def test_editors_make_their_own_and_owners_change_all(crowd: Crowd) -> None:
    assert refused(make, crowd, crowd.viewer)
    assert refused(make, crowd, replace(crowd.now(crowd.editor), scopes=frozenset({KeyScope.READ})))
    base = make(crowd, crowd.editor)
    other = crowd.member(WorkspaceRole.EDITOR)
    for who in (other, crowd.viewer, crowd.agent):
        with pytest.raises(KnowledgeBaseNotFound):
            change(crowd, who, base, name="Mine")
    change(crowd, crowd.editor, base, visibility=Visibility.WORKSPACE)
    for who in (other, crowd.viewer, crowd.agent):
        assert refused(change, crowd, who, base, name="Mine")
        assert refused(fill, crowd, who, base)
        assert refused(crowd.do, delete_knowledge_base, who, knowledge_base_id=base.id)
    assert change(crowd, crowd.owner, base, name="Ours").name == "Ours"
    with crowd.lorebase.database.transaction() as tx:
        set_role(
            tx,
            principal=crowd.owner,
            workspace_id=crowd.workspace_id,
            member_id=crowd.editor,
            role=WorkspaceRole.VIEWER,
        )
    assert refused(change, crowd, crowd.editor, base, name="Still mine")
    crowd.do(delete_knowledge_base, crowd.owner, knowledge_base_id=base.id)
    assert crowd.do(list_knowledge_bases, crowd.owner, after=None, limit=9) == []


def test_owners_alone_open_one_to_the_organization_and_close_it(crowd: Crowd) -> None:
    assert refused(make, crowd, crowd.editor, Visibility.ORGANIZATION)
    base = make(crowd, crowd.editor)
    assert refused(change, crowd, crowd.editor, base, visibility=Visibility.ORGANIZATION)
    assert crowd.now(crowd.stranger).roles_by_workspace == {}
    change(crowd, crowd.owner, base, visibility=Visibility.ORGANIZATION)
    assert crowd.now(crowd.stranger).roles_by_workspace == {crowd.workspace_id: WorkspaceRole.GUEST}
    seen = crowd.do(list_knowledge_bases, crowd.stranger, after=None, limit=9)
    assert [(each.id, each.may_change, each.may_change_members) for each in seen] == [(base.id, False, False)]
    assert refused(change, crowd, crowd.editor, base, visibility=Visibility.PRIVATE)
    assert change(crowd, crowd.editor, base, name="Renamed").name == "Renamed"


def test_a_team_that_may_write_changes_the_members_and_nothing_else(crowd: Crowd) -> None:
    item = crowd.add("a.md")
    crowd.grant(item, member_id=crowd.stranger)
    base = make(crowd, crowd.owner)
    team_id = crowd.team(crowd.stranger)
    given = {"knowledge_base_id": base.id, "team_id": team_id, "member_id": None}
    with pytest.raises(KnowledgeBaseNotFound):
        crowd.do(give_base_grant, crowd.editor, action=GrantAction.READ, **given)
    crowd.do(give_base_grant, crowd.owner, action=GrantAction.WRITE, **given)
    assert fill(crowd, crowd.stranger, base, items=[item.id]).may_change_members
    assert refused(change, crowd, crowd.stranger, base, name="Ours")
    reading = replace(crowd.now(crowd.stranger), scopes=frozenset({KeyScope.READ}))
    assert refused(fill, crowd, reading, base)


def test_who_puts_something_in_must_be_able_to_read_it(crowd: Crowd) -> None:
    item = crowd.add("closed/a.md")
    crowd.say(item, RESTRICTED)
    base = make(crowd, crowd.editor)
    with pytest.raises(ItemNotFound):
        fill(crowd, crowd.editor, base, items=[item.id])
    with pytest.raises(FolderNotFound):
        fill(crowd, crowd.editor, base, folders=["closed"])
    fill(crowd, crowd.owner, base, items=[item.id], folders=["closed"])
    assert (paths(crowd, crowd.editor, base), paths(crowd, crowd.owner, base)) == ([], ["closed", "closed/a.md"])


def test_a_folder_about_which_nothing_is_said_any_more_stays_in(crowd: Crowd) -> None:
    crowd.add("hr/a.md")
    base = make(crowd, crowd.owner)
    fill(crowd, crowd.owner, base, folders=["hr"])
    crowd.say("hr", RESTRICTED)
    crowd.do(forget_folder, crowd.owner, folder_id=crowd.folder("hr"))
    assert paths(crowd, crowd.owner, base) == ["hr"]
    assert crowd.found(crowd.viewer) == ["hr/a.md"]


def test_there_is_room_for_a_thousand_members(crowd: Crowd) -> None:
    item = crowd.add("hr/a.md")
    base = make(crowd, crowd.owner)
    with psycopg.connect(crowd.lorebase.database.conninfo) as session:
        session.execute(
            "with made as (insert into folders (id, workspace_id, path) select gen_random_uuid(), %s, 'f/' || n"
            " from generate_series(1, 999) n returning id)"
            " insert into knowledge_base_members (knowledge_base_id, folder_id) select %s, id from made",
            [crowd.workspace_id, base.id],
        )
    fill(crowd, crowd.owner, base, folders=["hr"])
    with pytest.raises(InvalidKnowledgeBase):
        fill(crowd, crowd.owner, base, items=[item.id])
    assert paths(crowd, crowd.owner, base) == ["hr"]
