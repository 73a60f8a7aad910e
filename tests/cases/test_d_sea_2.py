"""D-SEA-2: filters and rights hold in both lanes."""

from typing import Any

import pytest

from chalicelib.access.model import AudienceKind
from chalicelib.database.database import Database
from chalicelib.identity.model import Principal, WorkspaceRole
from chalicelib.items.list_items import list_items_by_path
from chalicelib.items.model import ItemClass, ItemFilters, ItemKind
from chalicelib.knowledge_bases.model import Mode
from chalicelib.search.model import Level
from chalicelib.sharing.change_access import change_item_access
from chalicelib.sharing.model import AccessChoice, AudienceChoice
from tests.fixtures.embedders import WordEmbedder
from tests.fixtures.indexing import IndexRoom, member_of


@pytest.fixture
def room(database: Database) -> IndexRoom:
    return IndexRoom(database, WordEmbedder())


@pytest.fixture
def outsider(room: IndexRoom) -> Principal:
    """A reader of the workspace who is not among those whom C is for."""
    return member_of(room.database, room.organization_id, room.workspace_id, role=WorkspaceRole.VIEWER)


@pytest.fixture
def _documents(room: IndexRoom) -> None:
    room.add("a/adr.md", "auth by token", title="A", tags=("adr",), metadata={"team": "red"})
    room.add("b/memo.md", "auth by cookie", title="B", tags=("memo",), item_class=ItemClass.LEGAL)
    secret = room.add("c/secret.md", "auth by secret handshake", title="C", tags=("adr",))
    security = member_of(room.database, room.organization_id, role=WorkspaceRole.VIEWER)
    audience = AudienceChoice(AudienceKind.NAMED, member_ids=frozenset({security.id}))
    with room.database.transaction() as tx:
        change_item_access(
            tx,
            principal=room.principal,
            workspace_id=room.workspace_id,
            item_id=secret.id,
            choice=AccessChoice(audience=audience),
        )


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
        for lane in answer.lanes:
            # No place is missing: what would be first in a lane does not even take one.
            places = sorted(hit.lanes[lane].rank for hit in answer.hits if lane in hit.lanes)
            assert places == list(range(1, len(places) + 1))

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


@pytest.mark.parametrize("mode", list(Mode))
def test_a_language_is_the_given_one_or_else_the_one_found_out(room: IndexRoom, mode: Mode) -> None:
    german = "Die Rechnung wird innerhalb von vierzehn Tagen nach der Reise eingereicht und dann geprüft."
    room.add("found.md", german)
    room.add("given.md", german, language="en")
    room.add("english.md", "The invoice for the Reise has to be sent within fourteen days after it was made.")
    found = {code: set(room.paths("Reise", mode=mode, filters=ItemFilters(languages=(code,)))) for code in ("de", "en")}
    assert found == {"de": {"found.md"}, "en": {"given.md", "english.md"}}
    with room.database.transaction() as tx:
        listed = list_items_by_path(
            tx,
            principal=room.principal,
            workspace_id=room.workspace_id,
            filters=ItemFilters(languages=("de",)),
            after_path=None,
            limit=10,
        )
    assert [item.path for item in listed] == ["found.md"]


@pytest.mark.parametrize("mode", list(Mode))
def test_filters_are_read_as_what_they_are_compared_with_was_written(room: IndexRoom, mode: Mode) -> None:
    room.add("a.md", "auth", tags=("Cafe\u0301",), metadata={"team": "r\x00ed"})
    for filters in ({"tags": ("Caf\u00e9",)}, {"tags": ("Cafe\u0301 ",)}, {"metadata": {"team": "red"}}):
        assert room.paths("auth", mode=mode, filters=ItemFilters(**filters)) == ["a.md"]


@pytest.mark.parametrize("text", ["\x00", "a\x00", "\ud800", "a\udfff", "\ud83d\ude00"])
@pytest.mark.parametrize("field", ["tags", "categories", "languages", "folder", "path", "metadata", "keys"])
def test_no_text_in_a_filter_breaks_a_search(room: IndexRoom, field: str, text: str) -> None:
    room.add("a.md", "auth")
    filters_by_field: dict[str, dict[str, Any]] = {
        "folder": {"folder": text},
        "path": {"path": text},
        "metadata": {"metadata": {"team": [text]}},
        "keys": {"metadata": {text: 1}},
    }
    given = filters_by_field.get(field, {field: (text,)})
    assert room.paths("auth", filters=ItemFilters(**given)) == []
