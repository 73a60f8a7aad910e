"""What bears the name that was asked for is shown first, however names are written."""

from uuid import UUID

import pytest

from chalicelib.database.database import Database
from chalicelib.index.model import ChunkId
from chalicelib.items.model import ItemId
from chalicelib.knowledge_bases.model import Mode
from chalicelib.search.model import Candidate, Named
from chalicelib.search.names import called_so, folded_name
from tests.fixtures.embedders import WordEmbedder
from tests.fixtures.indexing import IndexRoom


def _candidate(number: int, named: Named | None) -> Candidate:
    return Candidate(ChunkId(UUID(int=number)), ItemId(UUID(int=number)), 0, "en", 1.0, named=named)


_OFTEN = "uber uns corporation travel-policy " * 20


@pytest.mark.parametrize(
    ("query", "item"),
    [
        ("The Who", Named("The Who", "a/file.md")),
        ("  the   WHO? ", Named("The Who", "a/file.md")),
        ("Über uns", Named("uber uns", "a/file.md")),
        ("release-notes", Named("Version 3", "docs/Release-Notes.md")),
        ("release-notes.md", Named(None, "docs/release-notes.md")),
        ('"ERR_42"', Named("ERR_42", "a/file.md")),
        ("日本語", Named("日本語", None)),
    ],
)
def test_what_bears_the_name_that_was_asked_for_is_called_so(query: str, item: Named) -> None:
    candidates = [_candidate(1, Named("Another", "a/file.md")), _candidate(2, item), _candidate(3, None)]
    assert called_so(folded_name(query), candidates) == {ItemId(UUID(int=2))}


@pytest.mark.parametrize("query", ["?", "...", '""', "\u0301"])
def test_marks_alone_are_nobodys_name(query: str) -> None:
    candidates = [_candidate(1, Named("!", "a/?")), _candidate(2, Named("\u00ab\u00bb", "..."))]
    assert called_so(folded_name(query), candidates) == set()


def test_a_part_of_a_name_is_no_name() -> None:
    candidates = [_candidate(1, Named("The Who live", "a/the who/file.md")), _candidate(2, Named(None, None))]
    assert called_so(folded_name("The Who"), candidates) == set()


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
