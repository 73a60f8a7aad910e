"""D-SEA-2: filters and rights hold in both lanes."""

from typing import Any

import pytest

from chalicelib.database.database import Database
from chalicelib.identity.model import Principal, WorkspaceRole
from chalicelib.items.model import ItemClass, ItemFilters, ItemKind
from chalicelib.search.model import Level, Mode
from tests.fixtures.embedders import WordEmbedder
from tests.fixtures.indexing import IndexRoom, member_of


@pytest.fixture
def room(database: Database) -> IndexRoom:
    return IndexRoom(database, WordEmbedder())


@pytest.fixture
def outsider(room: IndexRoom) -> Principal:
    """A reader of the workspace who is not in the group that C is for."""
    return member_of(room.database, room.organization_id, room.workspace_id, role=WorkspaceRole.VIEWER)


@pytest.fixture
def _documents(room: IndexRoom) -> None:
    room.add("a/adr.md", "auth by token", title="A", tags=("adr",), metadata={"team": "red"})
    room.add("b/memo.md", "auth by cookie", title="B", tags=("memo",), item_class=ItemClass.LEGAL)
    room.add("c/secret.md", "auth by secret handshake", title="C", tags=("adr",), audience=["group:security"])


@pytest.mark.usefixtures("_documents")
@pytest.mark.parametrize("level", list(Level))
@pytest.mark.parametrize("mode", list(Mode))
@pytest.mark.parametrize("query", ["auth", "auth by", "auth by secret handshake"])
class TestEveryLane:
    def test_a_tag_leaves_only_what_has_it(
        self, room: IndexRoom, outsider: Principal, mode: Mode, level: Level, query: str
    ) -> None:
        filters = ItemFilters(tags=("adr",))
        assert room.paths(query, principal=outsider, mode=mode, level=level, filters=filters) == ["a/adr.md"]

    def test_what_one_may_not_read_is_not_there(
        self, room: IndexRoom, outsider: Principal, mode: Mode, level: Level, query: str
    ) -> None:
        answer = room.search(query, principal=outsider, mode=mode, level=level)
        assert {hit.path for hit in answer.hits} == {"a/adr.md", "b/memo.md"}
        assert "handshake" not in repr(answer.hits)

    @pytest.mark.parametrize(
        ("filters", "expected"),
        [
            ({"folder": "b"}, {"b/memo.md"}),
            ({"folder": "a/adr"}, set()),
            ({"classes": (ItemClass.LEGAL,)}, {"b/memo.md"}),
            ({"kinds": (ItemKind.SKILL,)}, set()),
            ({"metadata": {"team": "red"}}, {"a/adr.md"}),
            ({"path": "b/memo.md"}, {"b/memo.md"}),
            ({"tags": ("adr", "memo")}, set()),
        ],
    )
    def test_other_filters_hold_too(
        self, room: IndexRoom, *, mode: Mode, level: Level, query: str, filters: dict[str, Any], expected: set[str]
    ) -> None:
        assert set(room.paths(query, mode=mode, level=level, filters=ItemFilters(**filters))) == expected


def test_another_workspace_is_another_world(database: Database, room: IndexRoom) -> None:
    other = IndexRoom(database, room.embedder)
    other.add("theirs.md", "auth elsewhere")
    room.add("ours.md", "auth here")
    assert room.paths("auth elsewhere") == ["ours.md"]
