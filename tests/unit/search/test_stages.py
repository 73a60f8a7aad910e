"""What a search does with what its lanes found, on a real database."""

from dataclasses import replace
from typing import Any

import pytest

from chalicelib.database.database import Database
from chalicelib.database.ids import new_id
from chalicelib.items.errors import ItemNotFound
from chalicelib.items.model import Item, ItemFilters, ItemId, ItemKind
from chalicelib.search.errors import SearchRefused
from chalicelib.search.model import Lane, Level, Missing, MissingReason
from tests.fixtures.embedders import WordEmbedder
from tests.fixtures.indexing import PLENTY, IndexRoom

_NOTICE = "This notice about parking stands in many places and says where cars may be left overnight by guests. " * 3
_SECTIONS = "\n\n".join(f"# Part {number}\n\n{'filler ' * 40} marker{number}" for number in range(9))


@pytest.fixture
def room(database: Database) -> IndexRoom:
    return IndexRoom(database)


def test_copies_are_one_hit_that_names_the_others(room: IndexRoom) -> None:
    for path in ("a.md", "b/copy.md", "c.md"):
        room.add(path, _NOTICE, title="Parking")
    room.add("other.md", "Parking fees for staff.", title="Fees")
    hits = room.search("parking", limit=2).hits
    assert {hit.title for hit in hits} == {"Parking", "Fees"}
    (parking,) = (hit for hit in hits if hit.title == "Parking")
    assert {parking.path, *(copy.path for copy in parking.copies)} == {"a.md", "b/copy.md", "c.md"}


def test_items_with_the_same_body_are_one_hit_at_item_level(room: IndexRoom) -> None:
    room.add("a.md", _NOTICE)
    room.add("b.md", _NOTICE)
    room.add("c.md", _NOTICE + "\n\nAnd more.")
    hits = room.search("parking", level=Level.ITEM).hits
    assert sorted([hit.path, *(copy.path for copy in hit.copies)] for hit in hits) == [["a.md", "b.md"], ["c.md"]]


def test_a_copy_that_one_may_not_read_is_not_named(room: IndexRoom) -> None:
    room.add("a.md", _NOTICE)
    room.add("hidden.md", _NOTICE, audience=["team:none"])
    (hit,) = room.search("parking").hits
    assert (hit.path, hit.copies) == ("a.md", [])


def test_a_name_made_of_stop_words_is_found_first(room: IndexRoom) -> None:
    room.add(
        "bands.md", "The bands who played: who, the, the who, who and the others. " * 5, title="Bands of the sixties"
    )
    room.add("who.md", "An English rock band.", title="The Who")
    assert [hit.path for hit in room.search("the who").hits] == ["who.md", "bands.md"]


def test_a_hit_is_widened_by_its_neighbours(room: IndexRoom) -> None:
    room.add("doc.md", _SECTIONS)
    (hit,) = room.search("marker4", neighbours=1, limit=1).hits
    assert hit.widened is not None
    assert [f"marker{n}" in hit.widened.text for n in (2, 3, 4, 5, 6)] == [False, True, True, True, False]
    start, end = hit.widened.span
    assert (start, end) != hit.span
    assert hit.widened.text.split() == _SECTIONS[start:end].split()
    first, behind = hit.widened.hit
    assert hit.widened.text[first:behind] == _SECTIONS[slice(*hit.span)]


def test_widening_stops_at_the_edges_of_the_item(room: IndexRoom) -> None:
    room.add("doc.md", _SECTIONS)
    room.add("next.md", "# Elsewhere\n\nmarker8 of another item")
    hits = room.search("marker8", neighbours=5).hits
    assert {hit.path: "another item" in (hit.widened.text if hit.widened else "") for hit in hits} == {
        "doc.md": False,
        "next.md": True,
    }


def test_overlapping_neighbours_are_joined_word_for_word(database: Database) -> None:
    room = IndexRoom(database, chunk_tokens=32)
    words = " ".join(f"alpha{chr(97 + n % 26)}{chr(97 + n // 26)}" for n in range(60))
    room.add("long.md", words)
    (hit, *_) = room.search("alphaab", neighbours=2, limit=1).hits
    assert hit.widened is not None
    start, end = hit.widened.span
    assert hit.widened.text == words[start:end]
    assert end - start > hit.span[1] - hit.span[0]
    first, behind = hit.widened.hit
    assert (start + first, start + behind) == hit.span


def test_an_item_that_is_overdue_for_review_says_so(room: IndexRoom) -> None:
    room.add("old.md", "Rules for parking.", metadata={"review_by": "2020-01-01"})
    room.add("new.md", "Rules for parking bikes.", metadata={"review_by": "2999-01-01"})
    room.add("odd.md", "Rules for parking buses.", metadata={"review_by": "soon"})
    stale = {hit.path: hit.is_stale for hit in room.search("parking").hits}
    assert stale == {"old.md": True, "new.md": False, "odd.md": False}


def test_an_explanation_adds_up(database: Database) -> None:
    room = IndexRoom(database, WordEmbedder())
    room.add("a.md", "Rules for parking cars.", title="Cars")
    room.add("b.md", "Rules for parking bikes at night.", title="Bikes")
    for hit in room.search("parking bikes", explain=True).hits:
        assert hit.explanation is not None
        assert sum(hit.explanation.shares.values()) == pytest.approx(hit.explanation.fused)
        assert hit.score == pytest.approx(hit.explanation.fused, abs=1e-6)
        assert set(hit.explanation.shares) == set(hit.lanes) == {Lane.LEXICAL, Lane.SEMANTIC}
        assert "park" in hit.explanation.words
        assert ("bike" in hit.explanation.words) is (hit.path == "b.md")
    assert all(hit.explanation is None for hit in room.search("parking").hits)


def missing(room: IndexRoom, item: Item, query: str = "parking", **question: Any) -> Missing:
    found = room.search(query, why_not=item.id, **question).missing
    assert found is not None
    return found


@pytest.mark.parametrize("level", list(Level))
def test_a_copy_beyond_those_that_are_named_is_one_all_the_same(room: IndexRoom, level: Level) -> None:
    items = [room.add(f"{number:02}.md", _NOTICE, title="Parking") for number in range(23)]
    (hit,) = room.search("parking", level=level, limit=50).hits
    assert len(hit.copies) == 20
    found = [missing(room, item, level=level, limit=50) for item in items]
    assert [one.reason for one in found].count(MissingReason.COPY) == 22
    assert {one.shown_with for one in found} == {hit.path}


@pytest.mark.parametrize("level", list(Level))
def test_the_only_hit_that_is_wanted_names_its_copies_too(room: IndexRoom, level: Level) -> None:
    items = [room.add(f"{number}.md", _NOTICE, title="Parking") for number in range(3)]
    (hit,) = room.search("parking", level=level, limit=1).hits
    assert len(hit.copies) == 2
    reasons = sorted(missing(room, item, level=level, limit=1).reason for item in items)
    assert reasons == sorted([MissingReason.COPY, MissingReason.COPY, MissingReason.SHOWN])


def test_what_is_shown_is_no_copy_whatever_else_of_it_is_one(room: IndexRoom) -> None:
    room.add("a.md", f"# One\n\n{_NOTICE * 6}", title="Parking, parking")
    both = room.add("b.md", f"# One\n\n{_NOTICE * 6}\n\n# Two\n\nRules for staff, with parking.", title="Rules")
    first, other = room.search("parking").hits
    assert (first.path, [copy.path for copy in first.copies], other.path) == ("a.md", ["b.md"], "b.md")
    found = missing(room, both)
    assert (found.reason, found.shown_with) == (MissingReason.SHOWN, "b.md")


def test_an_item_that_is_missed_is_told_where_it_ended(database: Database) -> None:
    room = IndexRoom(database, WordEmbedder())
    first = room.add("a.md", "Rules for parking cars, parking, parking.")
    second = room.add("b.md", "Rules for parking bikes at night and by day.", tags=["bikes"])
    copy = room.add("c.md", "Rules for parking bikes at night and by day.", tags=["bikes"])
    assert missing(room, first).reason is MissingReason.SHOWN
    below = missing(room, second, limit=1, level=Level.ITEM)
    assert (below.reason, below.place in {2, 3}, set(below.lanes)) == (MissingReason.BELOW_LIMIT, True, set(Lane))
    stands_in = missing(room, copy, level=Level.ITEM)
    assert {stands_in.reason, missing(room, second, level=Level.ITEM).reason} == {
        MissingReason.SHOWN,
        MissingReason.COPY,
    }
    filtered = missing(room, first, filters=ItemFilters(tags=["bikes"], kinds=[ItemKind.PAGE]))
    assert (filtered.reason, filtered.filters) == (MissingReason.FILTERED, ["tags"])


def test_an_item_that_no_lane_put_among_its_candidates_has_its_own_scores(room: IndexRoom) -> None:
    with_word = room.add("far.md", "filler " * 300 + "parking")
    without = room.add("other.md", "Nothing of it.")
    for number in range(30):
        room.add(f"{number}.md", f"Parking parking parking {number}", title="Parking", index=False)
    room.work()
    told = missing(room, with_word, limit=1)
    assert told.reason in {MissingReason.BELOW_LIMIT, MissingReason.NO_CANDIDATE}
    assert told.lanes[Lane.LEXICAL].score > 0
    absent = missing(room, without)
    assert (absent.reason, absent.lanes) == (MissingReason.NO_CANDIDATE, {})


def test_an_item_that_is_not_in_search_says_so(room: IndexRoom) -> None:
    assert missing(room, room.add("late.md", "parking", index=False)).reason is MissingReason.NOT_INDEXED


def test_an_item_that_failed_is_not_said_to_be_on_its_way(database: Database) -> None:
    room = IndexRoom(database, quotas=replace(PLENTY, chunks=1))
    failed = room.add("large.md", _SECTIONS)
    assert missing(room, failed).reason is MissingReason.FAILED


def test_of_what_one_may_not_read_nothing_is_told(room: IndexRoom) -> None:
    hidden = room.add("hidden.md", "parking", audience=["team:none"])
    with pytest.raises(ItemNotFound):
        room.search("parking", why_not=hidden.id)
    with pytest.raises(ItemNotFound):
        room.search("parking", why_not=ItemId(new_id()))


def test_an_item_in_the_trash_says_so_to_whom_it_could_be_read(room: IndexRoom) -> None:
    seen, hidden = room.add("seen.md", "parking"), room.add("hidden.md", "parking")
    room.delete(seen)
    room.delete(hidden)
    room.restrict(hidden, ["team:none"])
    found = missing(room, seen)
    assert (found.reason, found.place, found.filters, found.lanes) == (MissingReason.TRASHED, None, (), {})
    with pytest.raises(ItemNotFound) as unreadable:
        room.search("parking", why_not=hidden.id)
    with pytest.raises(ItemNotFound) as absent:
        room.search("parking", why_not=ItemId(new_id()))
    assert str(unreadable.value) == str(absent.value)


def test_what_cannot_be_done_is_refused(room: IndexRoom) -> None:
    with pytest.raises(SearchRefused):
        room.search("parking", neighbours=6)
    with pytest.raises(SearchRefused):
        room.search("parking", half_life=0.0)
    with pytest.raises(SearchRefused):
        room.search("parking", half_life=float("nan"))
