"""A search over knowledge bases finds what is in them and readable, by every lane, count and hit, and nothing else."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from chalicelib.database.ids import new_id
from chalicelib.identity.model import PrincipalId, PrincipalKind, WorkspaceRole
from chalicelib.items.list_items import list_items_by_path, list_items_by_update, read_folder
from chalicelib.items.model import ItemClass, ItemFilters, ItemId, KnowledgeBaseId
from chalicelib.knowledge_bases.assign_agents import assign_agent, unassign_agent
from chalicelib.knowledge_bases.change_knowledge_base import change_knowledge_base, delete_knowledge_base
from chalicelib.knowledge_bases.change_members import change_members
from chalicelib.knowledge_bases.create_knowledge_base import create_knowledge_base
from chalicelib.knowledge_bases.errors import InvalidKnowledgeBase, KnowledgeBaseNotFound
from chalicelib.knowledge_bases.model import Changes, Members, Mode, RetrievalSettings, Visibility
from chalicelib.knowledge_bases.read_knowledge_bases import list_members, read_knowledge_base
from chalicelib.search.model import Level
from chalicelib.sharing.move_folder import move_folder
from tests.fixtures.crowd import NOTHING, RESTRICTED, Crowd


def made(
    crowd: Crowd,
    visibility: Visibility = Visibility.WORKSPACE,
    *,
    who: PrincipalId | None = None,
    folders: Sequence[str] = (),
    items: Sequence[ItemId] = (),
    **settings: Any,
) -> KnowledgeBaseId:
    maker = who or crowd.owner
    base = crowd.do(
        create_knowledge_base, maker, name="Base", visibility=visibility, settings=RetrievalSettings(**settings)
    )
    added = Members(folders, items)
    crowd.do(change_members, maker, knowledge_base_id=base.id, add=added, remove=Members())
    return KnowledgeBaseId(base.id)


def counted(crowd: Crowd, who: Any, knowledge_base_id: KnowledgeBaseId) -> int:
    _, items = crowd.do(read_knowledge_base, who, knowledge_base_id=knowledge_base_id)
    return int(items)


def members(crowd: Crowd, who: Any, knowledge_base_id: KnowledgeBaseId) -> list[tuple[str, int]]:
    found = crowd.do(list_members, who, knowledge_base_id=knowledge_base_id, after=None, limit=99)
    return [(member.path, member.items) for member in found]


@pytest.mark.parametrize("level", list(Level))
@pytest.mark.parametrize("mode", list(Mode))
def test_a_selection_is_the_union_of_its_folders_and_items(crowd: Crowd, mode: Mode, level: Level) -> None:
    crowd.add("hr/a.md")
    crowd.add("hr/deep/b.md")
    one = crowd.add("it/one.md")
    crowd.add("it/other.md")
    crowd.add("hrx/c.md")
    base = made(crowd, folders=["hr"], items=[one.id])
    other = made(crowd, folders=["hr/deep"], items=[one.id])
    assert crowd.found(crowd.viewer, mode=mode, level=level, knowledge_bases=[base]) == [
        "hr/a.md",
        "hr/deep/b.md",
        "it/one.md",
    ]
    assert crowd.found(crowd.viewer, mode=mode, level=level, knowledge_bases=[other]) == ["hr/deep/b.md", "it/one.md"]
    both = [base, other, base]
    assert len(crowd.search(crowd.viewer, mode=mode, level=level, knowledge_bases=both).hits) == 3
    assert counted(crowd, crowd.viewer, base) == 3


def test_an_empty_knowledge_base_finds_nothing(crowd: Crowd) -> None:
    crowd.add("a.md")
    assert crowd.found(crowd.viewer, knowledge_bases=[made(crowd)]) == []
    crowd.do(delete_knowledge_base, crowd.owner, knowledge_base_id=made(crowd))
    fresh = crowd.member(None)
    made(crowd, Visibility.ORGANIZATION)
    assert crowd.found(fresh, knowledge_bases="all") == []


def test_lists_and_the_tree_show_what_is_in_a_knowledge_base(crowd: Crowd) -> None:
    crowd.add("hr/a.md")
    crowd.add("hr/deep/b.md")
    one = crowd.add("it/one.md")
    crowd.add("it/other.md")
    filters = ItemFilters(knowledge_bases=[made(crowd, folders=["hr/deep"], items=[one.id])])
    listed = crowd.do(list_items_by_path, crowd.viewer, filters=filters, after_path=None, limit=9)
    updated = crowd.do(list_items_by_update, crowd.viewer, filters=filters, last=None, limit=9)
    assert [item.path for item in listed] == ["hr/deep/b.md", "it/one.md"]
    assert {item.path for item in updated} == {"hr/deep/b.md", "it/one.md"}
    root, inner = (
        crowd.do(read_folder, crowd.viewer, folder=folder, filters=filters, after_path=None, limit=9)
        for folder in ("", "it")
    )
    assert (root.folders, root.items) == ({"hr": 1, "it": 1}, [])
    assert [item.path for item in inner.items] == ["it/one.md"]


@pytest.mark.parametrize("mode", list(Mode))
def test_a_shared_knowledge_base_widens_nobody_s_reading(crowd: Crowd, mode: Mode) -> None:
    open_item, closed = crowd.add("hr/open.md"), crowd.add("hr/closed.md")
    alone = crowd.add("alone.md")
    crowd.add("secret/inner.md")
    base = made(crowd, Visibility.ORGANIZATION, folders=["hr", "secret"], items=[closed.id, alone.id])
    crowd.say(closed, RESTRICTED)
    crowd.say(alone, RESTRICTED)
    crowd.say("secret", RESTRICTED)
    assert crowd.found(crowd.viewer, mode=mode, knowledge_bases=[base]) == ["hr/open.md"]
    assert (counted(crowd, crowd.viewer, base), counted(crowd, crowd.owner, base)) == (1, 4)
    assert members(crowd, crowd.viewer, base) == [("hr", 1)]
    assert members(crowd, crowd.owner, base) == [("hr", 2), ("secret", 1), ("alone.md", 1), ("hr/closed.md", 1)]
    # A guest sees the knowledge base, and nothing in it.
    assert crowd.now(crowd.stranger).roles_by_workspace == {crowd.workspace_id: WorkspaceRole.GUEST}
    assert crowd.found(crowd.stranger, mode=mode, knowledge_bases=[base]) == []
    assert (counted(crowd, crowd.stranger, base), members(crowd, crowd.stranger, base)) == (0, [])
    crowd.grant(open_item, member_id=crowd.stranger)
    assert crowd.found(crowd.stranger, mode=mode, knowledge_bases=[base]) == ["hr/open.md"]
    crowd.say(closed, NOTHING)
    assert crowd.found(crowd.viewer, mode=mode, knowledge_bases=[base]) == ["hr/closed.md", "hr/open.md"]


def test_members_stay_what_they_are_when_they_move_and_leave_when_they_are_deleted(crowd: Crowd) -> None:
    item, inner = crowd.add("a.md"), crowd.add("hr/b.md")
    base = made(crowd, folders=["hr"], items=[item.id])
    crowd.change(item, path="elsewhere/a.md")
    crowd.do(move_folder, crowd.owner, source="hr", target="people/hr")
    assert crowd.found(crowd.viewer, knowledge_bases=[base]) == ["elsewhere/a.md", "people/hr/b.md"]
    assert members(crowd, crowd.viewer, base) == [("people/hr", 1), ("elsewhere/a.md", 1)]
    crowd.change(inner, path="hr/b.md")
    crowd.add("people/hr/new.md")
    assert crowd.found(crowd.viewer, knowledge_bases=[base]) == ["elsewhere/a.md", "people/hr/new.md"]
    crowd.delete(item)
    assert (members(crowd, crowd.viewer, base), counted(crowd, crowd.viewer, base)) == ([("people/hr", 1)], 1)


def test_settings_of_the_one_knowledge_base_hold_where_the_question_does_not_say(crowd: Crowd) -> None:
    for number in range(4):
        crowd.add(f"{number}.md", tags=("t",) if number else (), item_class=ItemClass.LEGAL)
    crowd.add("x/brand.md", item_class=ItemClass.BRAND, tags=("t",))
    everything = [item.id for item in crowd.lorebase.items()]
    base = made(
        crowd,
        items=everything,
        mode=Mode.LEXICAL,
        limit=2,
        filters=ItemFilters(classes=(ItemClass.LEGAL,), tags=("t",)),
    )
    plain = made(crowd, items=everything)
    by_default = crowd.search(crowd.viewer, knowledge_bases=[base])
    assert (by_default.question.mode, by_default.question.limit, len(by_default.hits)) == (Mode.LEXICAL, 2, 2)
    assert {hit.path for hit in by_default.hits} <= {"1.md", "2.md", "3.md"}
    said = crowd.search(
        crowd.viewer,
        knowledge_bases=[base],
        mode=Mode.SEMANTIC,
        limit=9,
        filters=ItemFilters(classes=(ItemClass.BRAND,)),
    )
    assert (said.question.mode, [hit.path for hit in said.hits]) == (Mode.SEMANTIC, ["x/brand.md"])
    for choice in ([base, plain], "all"):
        several = crowd.search(crowd.viewer, knowledge_bases=choice)
        assert (several.question.mode, several.question.limit, len(several.hits)) == (Mode.HYBRID, 10, 5)


def test_all_are_those_that_one_sees_and_for_agents_those_that_are_theirs_or_open(crowd: Crowd) -> None:
    paths = [crowd.add(f"{name}.md") for name in ("private", "assigned", "open")]
    private = made(crowd, Visibility.PRIVATE, items=[paths[0].id])
    assigned = made(crowd, Visibility.PRIVATE, items=[paths[1].id])
    made(crowd, Visibility.WORKSPACE, items=[paths[2].id])
    crowd.do(assign_agent, crowd.owner, knowledge_base_id=assigned, agent_id=crowd.agent)
    assert crowd.found(crowd.owner, knowledge_bases="all") == ["assigned.md", "open.md", "private.md"]
    assert crowd.found(crowd.viewer, knowledge_bases="all") == ["open.md"]
    assert crowd.found(crowd.agent, knowledge_bases="all") == ["assigned.md", "open.md"]
    owning = crowd.member(WorkspaceRole.OWNER, kind=PrincipalKind.AGENT)
    assert crowd.found(owning, knowledge_bases="all") == ["open.md"]
    assert crowd.found(owning, knowledge_bases=[private]) == ["private.md"]
    crowd.do(unassign_agent, crowd.owner, knowledge_base_id=assigned, agent_id=crowd.agent)
    assert crowd.found(crowd.agent, knowledge_bases="all") == ["open.md"]


def test_who_acts_for_another_reaches_what_both_see(crowd: Crowd) -> None:
    item = crowd.add("a.md")
    base = made(crowd, Visibility.PRIVATE, items=[item.id])
    crowd.do(assign_agent, crowd.owner, knowledge_base_id=base, agent_id=crowd.agent)
    for_viewer = replace(crowd.now(crowd.agent), on_behalf_of=crowd.now(crowd.viewer))
    assert crowd.found(for_viewer, knowledge_bases="all") == []
    with pytest.raises(KnowledgeBaseNotFound):
        crowd.search(for_viewer, knowledge_bases=[base])
    crowd.do(
        change_knowledge_base,
        crowd.owner,
        knowledge_base_id=base,
        changes=Changes(visibility=Visibility.WORKSPACE),
    )
    assert crowd.found(for_viewer, knowledge_bases=[base]) == ["a.md"]


def test_one_that_is_not_seen_is_one_that_is_not_there(crowd: Crowd) -> None:
    seen, hidden = made(crowd), made(crowd, Visibility.PRIVATE)
    for choice in ([hidden], [seen, hidden], [KnowledgeBaseId(new_id())], [seen, KnowledgeBaseId(new_id())]):
        with pytest.raises(KnowledgeBaseNotFound) as refusal:
            crowd.search(crowd.viewer, knowledge_bases=choice)
        assert (refusal.value.detail, refusal.value.members) == ("There is no such knowledge base.", {})
    with pytest.raises(InvalidKnowledgeBase):
        crowd.search(crowd.viewer, knowledge_bases=[])
    with pytest.raises(InvalidKnowledgeBase):
        crowd.search(crowd.viewer, knowledge_bases=[KnowledgeBaseId(new_id()) for _ in range(101)])


def test_folders_that_lie_side_by_side_or_within_another_find_what_lies_in_them(crowd: Crowd) -> None:
    inside = ["a b/x.md", "a/b/c/x.md", "a/x.md", "b/x.md", "é/x.md"]
    for path in (*inside, "a!/x.md", "a.md", "a0/x.md", "ab/x.md", "z/x.md"):
        crowd.add(path)
    base = made(crowd, folders=["a", "a/b", "a/b/c", "a b", "b", "é"])
    other = made(crowd, folders=["a/b", "é"])
    assert crowd.found(crowd.viewer, limit=50, knowledge_bases=[base, other]) == inside
    assert crowd.found(crowd.viewer, limit=50, knowledge_bases=[other]) == ["a/b/c/x.md", "é/x.md"]
