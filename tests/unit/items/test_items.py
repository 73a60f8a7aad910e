"""Items on a real database: every change makes a revision, and nothing is lost between two editors."""

import threading
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from chalicelib.identity.errors import WorkspaceNotFound
from chalicelib.identity.model import WorkspaceRole
from chalicelib.identity.rights import ActionForbidden
from chalicelib.items.change_item import change_item, delete_item
from chalicelib.items.errors import InvalidItem, ItemNotFound, PathTaken, QuotaExceeded, RevisionConflict
from chalicelib.items.list_items import list_items_by_path, list_tags, read_folder
from chalicelib.items.model import Draft, Item, ItemFilters
from chalicelib.items.read_item import list_revisions, read_item, read_revision
from tests.fixtures.lorebases import Lorebase


def _change(lorebase: Lorebase, item: Item, change: Callable[[Draft], Draft], expected: int | None = None) -> Item:
    with lorebase.database.transaction() as tx:
        return change_item(
            tx,
            principal=lorebase.owner,
            workspace_id=lorebase.workspace_id,
            item_id=item.id,
            expected_revision=expected,
            change=change,
            rules=lorebase.wired.item_rules,
        )


def _delete(lorebase: Lorebase, item: Item) -> None:
    with lorebase.database.transaction() as tx:
        delete_item(
            tx,
            principal=lorebase.owner,
            workspace_id=lorebase.workspace_id,
            item_id=item.id,
            expected_revision=None,
            rules=lorebase.wired.item_rules,
            remove_from_index=lambda _tx, _workspace_id, _item_id: None,
        )


def test_every_change_makes_the_next_revision_and_old_ones_stay(lorebase: Lorebase) -> None:
    item = lorebase.add_item("a.md", "one")
    _change(lorebase, item, lambda draft: replace(draft, body="two"))
    moved = _change(lorebase, item, lambda draft: replace(draft, path="b.md"))
    with lorebase.database.transaction() as tx:
        arguments: dict[str, Any] = {
            "principal": lorebase.owner,
            "workspace_id": lorebase.workspace_id,
            "item_id": item.id,
        }
        history = list_revisions(tx, **arguments, before=None, limit=10)
        first = read_revision(tx, **arguments, number=1)
    assert moved.revision == 3
    assert [(revision.number, revision.path) for revision in history] == [(3, "b.md"), (2, "a.md"), (1, "a.md")]
    assert (first.body, first.path) == ("one", "a.md")


def test_a_change_that_changes_nothing_makes_no_revision(lorebase: Lorebase) -> None:
    item = lorebase.add_item("a.md", "one", tags=["b", "a"])
    assert _change(lorebase, item, lambda draft: replace(draft, body="one\r\n".strip())).revision == 1


def test_a_stale_revision_is_refused_with_the_present_one(lorebase: Lorebase) -> None:
    item = lorebase.add_item("a.md")
    _change(lorebase, item, lambda draft: replace(draft, body="x"), expected=1)
    with pytest.raises(RevisionConflict) as raised:
        _change(lorebase, item, lambda draft: replace(draft, body="y"), expected=1)
    assert raised.value.members == {"revision": 2}


def test_one_of_many_simultaneous_saves_wins_and_numbers_have_no_gap(lorebase: Lorebase) -> None:
    item = lorebase.add_item("a.md")
    outcomes: list[str] = []
    start = threading.Barrier(8)

    def save(number: int) -> None:
        start.wait()
        try:
            _change(lorebase, item, lambda draft: replace(draft, body=f"body {number}"), expected=1)
            outcomes.append("saved")
        except RevisionConflict:
            outcomes.append("conflict")

    threads = [threading.Thread(target=save, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["conflict"] * 7 + ["saved"]
    assert lorebase.items()[0].revision == 2


def test_a_path_belongs_to_one_living_item(lorebase: Lorebase) -> None:
    item = lorebase.add_item("a.md")
    other = lorebase.add_item("b.md")
    with pytest.raises(PathTaken):
        lorebase.add_item("a.md")
    with pytest.raises(PathTaken):
        _change(lorebase, other, lambda draft: replace(draft, path="a.md"))
    _delete(lorebase, item)
    assert lorebase.add_item("a.md").id != item.id


def test_two_items_created_at_one_path_at_once_are_one(lorebase: Lorebase) -> None:
    outcomes: list[str] = []
    start = threading.Barrier(6)

    def create() -> None:
        start.wait()
        try:
            lorebase.add_item("same.md")
            outcomes.append("created")
        except PathTaken:
            outcomes.append("taken")

    threads = [threading.Thread(target=create) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["created"] + ["taken"] * 5


def test_of_items_moved_to_one_path_at_once_one_arrives(lorebase: Lorebase) -> None:
    items = [lorebase.add_item(f"{number}.md") for number in range(8)]
    outcomes: list[str] = []
    start = threading.Barrier(len(items))

    def move(item: Item) -> None:
        start.wait()
        try:
            _change(lorebase, item, lambda draft: replace(draft, path="same.md"))
            outcomes.append("moved")
        except PathTaken:
            outcomes.append("taken")

    threads = [threading.Thread(target=move, args=(item,)) for item in items]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["moved"] + ["taken"] * 7


def test_a_deleted_item_is_gone_from_every_list_and_its_path_is_free(lorebase: Lorebase) -> None:
    item = lorebase.add_item("a.md", tags=["x"])
    _delete(lorebase, item)
    with lorebase.database.transaction() as tx:
        where: dict[str, Any] = {"principal": lorebase.owner, "workspace_id": lorebase.workspace_id}
        assert list_items_by_path(tx, **where, filters=ItemFilters(), after_path=None, limit=9) == []
        assert list_tags(tx, **where) == {}
        folder = read_folder(tx, **where, folder="", filters=ItemFilters(), after_path=None, limit=9)
        assert (folder.folders, folder.items) == ({}, [])
        with pytest.raises(ItemNotFound):
            read_item(tx, **where, item_id=item.id)


@pytest.mark.parametrize(
    "filters",
    [
        ItemFilters(tags=["x", "y"]),
        ItemFilters(folder="docs"),
        ItemFilters(path="docs/a.md"),
        ItemFilters(languages=["de"]),
        ItemFilters(metadata={"team": "red"}),
        ItemFilters(categories=["c"]),
    ],
)
def test_filters_find_what_they_name_alone(lorebase: Lorebase, filters: ItemFilters) -> None:
    lorebase.add_item(
        "docs/a.md", tags=["x", "y", "z"], language="de", metadata={"team": "red", "n": 1}, categories=["c"]
    )
    lorebase.add_item("documents/a.md", tags=["x"], language="en", metadata={"team": "blue"})
    with lorebase.database.transaction() as tx:
        found = list_items_by_path(
            tx,
            principal=lorebase.owner,
            workspace_id=lorebase.workspace_id,
            filters=filters,
            after_path=None,
            limit=9,
        )
    assert [item.path for item in found] == ["docs/a.md"]


def test_the_tree_counts_whole_subtrees(lorebase: Lorebase) -> None:
    for path in ("a/b/c.md", "a/d.md", "a/e.md", "f.md"):
        lorebase.add_item(path)
    with lorebase.database.transaction() as tx:
        where: dict[str, Any] = {
            "principal": lorebase.owner,
            "workspace_id": lorebase.workspace_id,
            "filters": ItemFilters(),
            "after_path": None,
            "limit": 9,
        }
        root = read_folder(tx, **where, folder="")
        inner = read_folder(tx, **where, folder="a")
    assert (root.folders, [item.path for item in root.items]) == ({"a": 3}, ["f.md"])
    assert (inner.folders, [item.path for item in inner.items]) == ({"b": 1}, ["a/d.md", "a/e.md"])


def test_nobody_reaches_into_a_foreign_workspace(lorebase: Lorebase) -> None:
    item = lorebase.add_item("a.md", "VICTIM-42")
    stranger = lorebase.found("Other").owner
    with lorebase.database.transaction() as tx, pytest.raises(WorkspaceNotFound):
        read_item(tx, principal=stranger, workspace_id=lorebase.workspace_id, item_id=item.id)
    with lorebase.database.transaction() as tx, pytest.raises(ItemNotFound):
        read_item(tx, principal=stranger, workspace_id=next(iter(stranger.roles_by_workspace)), item_id=item.id)


def test_a_viewer_reads_and_changes_nothing(lorebase: Lorebase) -> None:
    item = lorebase.add_item("a.md")
    viewer = lorebase.member(WorkspaceRole.VIEWER)
    with lorebase.database.transaction() as tx:
        assert read_item(tx, principal=viewer, workspace_id=lorebase.workspace_id, item_id=item.id) == item
        with pytest.raises(ActionForbidden):
            delete_item(
                tx,
                principal=viewer,
                workspace_id=lorebase.workspace_id,
                item_id=item.id,
                expected_revision=None,
                rules=lorebase.wired.item_rules,
                remove_from_index=lambda _tx, _workspace_id, _item_id: None,
            )


def test_hygiene_cleans_what_is_posted_and_counts_it(lorebase: Lorebase) -> None:
    item = lorebase.add_item("a.md", "cloud pro\x00viders\r\n", metadata={"author": "A\x00B"})
    assert item.attributes.metadata == {"author": "AB"}
    assert [(caveat.code, caveat.count) for caveat in item.warnings] == [("nul", 1)]


@pytest.mark.parametrize(
    "attributes",
    [{"tags": [""]}, {"tags": ["x" * 101]}, {"language": "English"}, {"metadata": {"x": "y" * 70_000}}],
)
def test_attributes_that_cannot_be_are_refused(lorebase: Lorebase, attributes: dict[str, Any]) -> None:
    with pytest.raises(InvalidItem):
        lorebase.add_item("a.md", **attributes)


def test_a_full_workspace_says_what_is_full_and_takes_more_after_a_deletion(lorebase: Lorebase) -> None:
    lorebase.configure(quota_items=1)
    item = lorebase.add_item("a.md")
    with pytest.raises(QuotaExceeded) as raised:
        lorebase.add_item("b.md")
    assert (raised.value.status, raised.value.members) == (402, {"quota": "items", "limit": 1, "used": 1})
    _delete(lorebase, item)
    assert lorebase.add_item("b.md").revision == 1
