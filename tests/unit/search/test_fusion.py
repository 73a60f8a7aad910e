"""How rankings become one."""

import random
from uuid import UUID

import pytest

from chalicelib.index.model import ChunkId
from chalicelib.items.model import ItemId
from chalicelib.search.fusion import FOREIGN_WEIGHT, fuse
from chalicelib.search.model import Candidate, Lane, Level, Placing


def _candidate(item: int, ordinal: int = 0, *, language: str = "en", score: float = 1.0) -> Candidate:
    return Candidate(ChunkId(UUID(int=item * 100 + ordinal)), ItemId(UUID(int=item)), ordinal, language, score)


def test_first_in_every_lane_scores_one() -> None:
    found = {Lane.LEXICAL: [_candidate(1, score=9.0)], Lane.SEMANTIC: [_candidate(1, score=0.5)]}
    (best,) = fuse(found, level=Level.CHUNK, understood=None, limit=10)
    assert best.score == pytest.approx(1.0)
    assert best.placings == {Lane.LEXICAL: Placing(1, 9.0), Lane.SEMANTIC: Placing(1, 0.5)}


def test_what_both_lanes_find_goes_before_what_one_finds() -> None:
    found = {Lane.LEXICAL: [_candidate(1), _candidate(2)], Lane.SEMANTIC: [_candidate(3), _candidate(2)]}
    fused = fuse(found, level=Level.CHUNK, understood=None, limit=10)
    assert fused[0].chunk_id == _candidate(2).chunk_id
    assert all(0 < one.score <= 1 for one in fused)


def test_ties_are_ordered_by_item_and_place_whatever_the_order_of_the_lanes() -> None:
    lexical = [_candidate(n) for n in range(1, 6)]
    semantic = list(reversed(lexical))
    expected = fuse({Lane.LEXICAL: lexical, Lane.SEMANTIC: semantic}, level=Level.CHUNK, understood=None, limit=5)
    found = fuse({Lane.SEMANTIC: semantic, Lane.LEXICAL: lexical}, level=Level.CHUNK, understood=None, limit=5)
    assert found == expected


def test_an_item_is_shown_by_its_best_chunk_and_counted_once() -> None:
    found = {
        Lane.LEXICAL: [_candidate(2), _candidate(1, 3)],
        Lane.SEMANTIC: [_candidate(1, 7), _candidate(3)],
    }
    fused = fuse(found, level=Level.ITEM, understood=None, limit=2)
    assert [one.chunk_id for one in fused] == [_candidate(1, 7).chunk_id, _candidate(2).chunk_id]


def test_meaning_counts_less_for_languages_that_the_model_never_learned() -> None:
    found = {
        Lane.LEXICAL: [_candidate(1, language="de")],
        Lane.SEMANTIC: [_candidate(2, language="de"), _candidate(3, language="en")],
    }
    fused = fuse(found, level=Level.CHUNK, understood=frozenset({"en"}), limit=3)
    assert [one.chunk_id for one in fused] == [_candidate(n).chunk_id for n in (1, 3, 2)]
    assert fused[2].score == pytest.approx(FOREIGN_WEIGHT / 2)


def test_order_is_total() -> None:
    candidates = [_candidate(item, ordinal) for item in range(5) for ordinal in range(4)]
    shuffled = random.Random(1).sample(candidates, len(candidates))
    fused = fuse({Lane.LEXICAL: shuffled}, level=Level.CHUNK, understood=None, limit=100)
    assert [one.chunk_id for one in fused] == [one.chunk_id for one in shuffled]
