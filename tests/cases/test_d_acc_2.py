"""D-ACC-2: restrictions along a chain narrow, one after the other; what is deeper never widens but by a break.

A parent P with a child C and a grandchild G, and beside them S with readers of its own. Here they are folders with
named audiences. In the case they are pages of a source; connectors do not exist yet, and theirs will become the same
audiences.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from chalicelib.access.model import AudienceKind, FolderId
from chalicelib.embedding_spaces.embedders import Embedders
from chalicelib.identity.model import Principal, PrincipalId, WorkspaceRole
from chalicelib.items.create_item import create_item
from chalicelib.items.list_items import list_items_by_path, read_folder
from chalicelib.items.model import Attributes, Draft, ItemFilters
from chalicelib.search.model import Level, Question
from chalicelib.search.search import SearchRules, search
from chalicelib.sharing.change_access import change_folder_access
from chalicelib.sharing.manage_folders import put_folder
from chalicelib.sharing.model import AccessChoice, AudienceChoice
from tests.fixtures.lorebases import Lorebase

PATHS = ("P/C/G/g.md", "P/C/c.md", "P/p.md", "S/s.md", "open.md")


class Chain:
    """P is for Ann, Bob and Cid; C, in it, for Bob, Cid and Dan; G, in that, for Cid and Ann. S is for Dan."""

    def __init__(self, lorebase: Lorebase) -> None:
        self.lorebase = lorebase
        self.readers = {name: lorebase.member(WorkspaceRole.VIEWER) for name in ("ann", "bob", "cid", "dan", "eve")}
        self.ids_by_name = {name: reader.id for name, reader in self.readers.items()}
        rules = lorebase.wired.item_rules
        for path in PATHS:
            draft = Draft(path=path, title=path, body=f"alpha of {path}", attributes=Attributes(tags=("all",)))
            with lorebase.database.transaction() as tx:
                create_item(tx, **self.by(lorebase.owner), draft=draft, rules=rules)
        self.folders = {path: self._named(path) for path in ("P", "P/C", "P/C/G", "S")}
        self.say("P", "ann", "bob", "cid")
        self.say("P/C", "bob", "cid", "dan")
        self.say("P/C/G", "cid", "ann")
        self.say("S", "dan")
        lorebase.drain()

    def by(self, who: Principal) -> dict[str, Any]:
        return {"principal": who, "workspace_id": self.lorebase.workspace_id}

    def say(self, folder: str, *names: str, inherits: bool = True) -> None:
        audience = AudienceChoice(AudienceKind.NAMED, member_ids=frozenset(self._ids(names))) if names else None
        with self.lorebase.database.transaction() as tx:
            change_folder_access(
                tx,
                **self.by(self.lorebase.owner),
                folder_id=self.folders[folder],
                choice=AccessChoice(audience=audience, inherits=inherits),
            )

    def seen(self) -> Mapping[str, Sequence[str]]:
        """What each reads, by list, tree and search alike."""
        return {name: self._seen_by(reader) for name, reader in self.readers.items()}

    def _seen_by(self, who: Principal) -> Sequence[str]:
        with self.lorebase.database.transaction() as tx:
            asked = {**self.by(who), "filters": ItemFilters(), "after_path": None, "limit": 100}
            listed = [item.path for item in list_items_by_path(tx, **asked)]
            top = read_folder(tx, folder="", **asked)
        answer = search(
            database=self.lorebase.database,
            **self.by(who),
            question=Question(query="alpha", level=Level.ITEM, limit=100),
            embedders=Embedders(),
            rules=SearchRules(),
        )
        assert sorted(hit.path for hit in answer.hits) == listed
        assert sum(top.folders.values()) + len(top.items) == len(listed)
        return listed

    def _ids(self, names: Sequence[str]) -> Sequence[PrincipalId]:
        return [self.ids_by_name[name] for name in names]

    def _named(self, path: str) -> FolderId:
        with self.lorebase.database.transaction() as tx:
            return put_folder(tx, **self.by(self.lorebase.owner), path=path)[0].id


@pytest.fixture
def chain(lorebase: Lorebase) -> Chain:
    return Chain(lorebase)


def test_each_reads_what_every_folder_on_the_way_allows(chain: Chain) -> None:
    assert chain.seen() == {
        "ann": ["P/p.md", "open.md"],
        "bob": ["P/C/c.md", "P/p.md", "open.md"],
        "cid": ["P/C/G/g.md", "P/C/c.md", "P/p.md", "open.md"],
        "dan": ["S/s.md", "open.md"],
        "eve": ["open.md"],
    }


def test_a_parent_that_is_narrowed_narrows_all_below_at_once(chain: Chain) -> None:
    chain.say("P", "ann")
    assert {name: paths for name, paths in chain.seen().items() if name in "ann bob cid"} == {
        "ann": ["P/p.md", "open.md"],
        "bob": ["open.md"],
        "cid": ["open.md"],
    }


def test_a_parent_that_is_opened_opens_no_child(chain: Chain) -> None:
    chain.say("P")
    assert chain.seen()["eve"] == ["P/p.md", "open.md"]
    assert chain.seen()["dan"] == ["P/C/c.md", "P/p.md", "S/s.md", "open.md"]


def test_only_an_explicit_break_lets_a_child_be_wider_than_its_parent(chain: Chain) -> None:
    chain.say("P/C", "dan", "eve", inherits=False)
    seen = chain.seen()
    assert seen["eve"] == ["P/C/c.md", "open.md"]
    assert "P/C/c.md" not in [*seen["ann"], *seen["bob"], *seen["cid"]]
    assert "P/C/G/g.md" not in [path for paths in seen.values() for path in paths]


def test_owners_read_the_whole_chain(chain: Chain) -> None:
    assert chain._seen_by(chain.lorebase.owner) == sorted(PATHS)
