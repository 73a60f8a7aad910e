"""What bears the name that was asked for is shown first, however names are written."""

import pytest

from chalicelib.database.database import Database
from chalicelib.knowledge_bases.model import Mode
from tests.fixtures.embedders import WordEmbedder
from tests.fixtures.indexing import IndexRoom

_OFTEN = "uber uns corporation travel-policy " * 20


@pytest.mark.parametrize(
    ("query", "path", "title"),
    [
        ("Über uns", "a.md", "uber uns"),
        ("uber uns", "a.md", "„Über  uns“"),
        ("株式会社", "a.md", "\u337f"),
        ("株式会社 corporation", "a.md", "\u337f corporation"),
        ("Travel-Policy", "rules/travel-policy.md", "T"),
        ("travel-policy.md", "travel-policy.md", "T"),
        ("tráve\u0301l-policy", "travel-policy", "T"),
    ],
)
def test_an_item_that_is_called_so_is_shown_before_one_with_more_of_the_words(
    database: Database, query: str, path: str, title: str
) -> None:
    room = IndexRoom(database)
    named = room.add(path, "uber uns 株式会社 corporation travel-policy, and no more", title=title)
    other = room.add("other.md", f"{_OFTEN} 株式会社", title=f"{_OFTEN} 株式会社"[:200])
    assert [hit.item_id for hit in room.search(query).hits] == [named.id, other.id]


def test_a_name_is_not_first_where_meaning_alone_was_asked_for(database: Database) -> None:
    room = IndexRoom(database, WordEmbedder())
    named = room.add("named.md", "Plums grow on trees, as do pears, apples and quinces.", title="Kiwi")
    other = room.add("other.md", "kiwi kiwi kiwi", title="kiwi kiwi")
    assert [hit.item_id for hit in room.search("Kiwi", mode=Mode.SEMANTIC).hits] == [other.id, named.id]
    assert [hit.item_id for hit in room.search("Kiwi", mode=Mode.HYBRID).hits] == [named.id, other.id]
