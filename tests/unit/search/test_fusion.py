"""How rankings become one."""

import random
from collections.abc import Mapping, Sequence
from uuid import UUID

import pytest

from chalicelib.index.model import ChunkId
from chalicelib.items.model import ItemId
from chalicelib.search.fusion import FOREIGN_WEIGHT, LEAST_SPREADS_BY_SPACE, WORDS_FOR_MEANING, Fused, Ranked, fuse
from chalicelib.search.model import Candidate, Lane, Level, Placing

_DEPTH = 100


def _candidate(
    item: int, ordinal: int = 0, *, language: str = "en", score: float = 1.0, lacks_vector: bool = False
) -> Candidate:
    chunk_id, item_id = ChunkId(UUID(int=item * 100 + ordinal)), ItemId(UUID(int=item))
    return Candidate(chunk_id, item_id, ordinal, language, score, lacks_vector)


def _fuse(
    found: Mapping[Lane, Sequence[Candidate]],
    *,
    level: Level = Level.CHUNK,
    understood: frozenset[str] | None = None,
    depth: int = _DEPTH,
    space: str | None = None,
) -> Sequence[Fused]:
    rankings = [Ranked(lane, candidates, depth) for lane, candidates in found.items()]
    return fuse(rankings, level=level, understood=understood, space=space)


def test_first_in_every_lane_scores_one() -> None:
    found = {Lane.LEXICAL: [_candidate(1, score=9.0)], Lane.SEMANTIC: [_candidate(1, score=0.5)]}
    (best,) = _fuse(found)
    assert best.score == pytest.approx(1.0)
    assert best.placings == {Lane.LEXICAL: Placing(1, 9.0), Lane.SEMANTIC: Placing(1, 0.5)}
    assert sum(best.shares.values()) == pytest.approx(best.score)


def test_what_both_lanes_find_goes_before_what_one_finds() -> None:
    found = {Lane.LEXICAL: [_candidate(1), _candidate(2)], Lane.SEMANTIC: [_candidate(3), _candidate(2)]}
    fused = _fuse(found)
    assert fused[0].chunk_id == _candidate(2).chunk_id
    assert all(0 < one.score <= 1 for one in fused)


def test_by_how_much_a_lane_is_sure_counts() -> None:
    sure = [_candidate(1, score=20), _candidate(2, score=6), _candidate(3, score=5), _candidate(4, score=4)]
    unsure = [_candidate(2, score=0.81), _candidate(1, score=0.80), _candidate(3, score=0.70), _candidate(4, score=0.6)]
    fused = _fuse({Lane.LEXICAL: sure, Lane.SEMANTIC: unsure})
    assert [one.chunk_id for one in fused] == [_candidate(n).chunk_id for n in (1, 2, 3, 4)]


def test_the_scale_of_a_lane_does_not_matter() -> None:
    words = [_candidate(n, score=score) for n, score in ((1, 9.0), (2, 7.0), (3, 2.0))]
    meaning = [_candidate(n, score=score) for n, score in ((3, 0.9), (2, 0.85), (1, 0.8))]
    louder = [_candidate(n, score=score * 100) for n, score in ((1, 9.0), (2, 7.0), (3, 2.0))]
    assert [one.score for one in _fuse({Lane.LEXICAL: words, Lane.SEMANTIC: meaning})] == pytest.approx(
        [one.score for one in _fuse({Lane.LEXICAL: louder, Lane.SEMANTIC: meaning})]
    )


def test_a_lane_that_gave_all_it_has_counts_its_last_one_too() -> None:
    words = [_candidate(1, score=10.0), _candidate(2, score=8.0)]
    complete = {one.chunk_id: one.score for one in _fuse({Lane.LEXICAL: words}, depth=100)}
    cut_off = {one.chunk_id: one.score for one in _fuse({Lane.LEXICAL: words}, depth=2)}
    second = _candidate(2).chunk_id
    assert cut_off[second] == 0
    assert complete[second] == pytest.approx(0.64)


def test_a_single_candidate_of_a_lane_counts_as_much_as_the_best_of_many() -> None:
    alone = {Lane.LEXICAL: [_candidate(1, score=3.0)]}
    many = [_candidate(n, score=1 - n / 100) for n in range(2, 60)]
    fused = _fuse({**alone, Lane.SEMANTIC: many})
    assert [one.score for one in fused[:2]] == [0.5, 0.5]


def test_a_lane_whose_candidates_are_all_as_near_counts_less() -> None:
    words = [_candidate(1, score=9.0), _candidate(2, score=8.0), _candidate(3, score=1.0)]
    near = [_candidate(2, score=0.84), _candidate(1, score=0.83), _candidate(3, score=0.82)]
    found = {Lane.LEXICAL: words, Lane.SEMANTIC: near}
    assert [one.chunk_id for one in _fuse(found)][:1] == [_candidate(2).chunk_id]
    (space, least), *_ = LEAST_SPREADS_BY_SPACE.items()
    fused = _fuse(found, space=space)
    assert fused[0].chunk_id == _candidate(1).chunk_id
    assert fused[1].shares[Lane.SEMANTIC] == pytest.approx(0.5 * (0.02 / least) ** 2)


def test_how_many_candidates_were_asked_for_decides_no_order() -> None:
    many = [_candidate(n, score=1 - n / 1000) for n in range(200)]
    words = [_candidate(n, score=n / 10) for n in range(199, -1, -1)]
    deep = _fuse({Lane.LEXICAL: words, Lane.SEMANTIC: many}, depth=200)
    shallow = _fuse({Lane.LEXICAL: words[:100], Lane.SEMANTIC: many[:100]}, depth=100)
    assert [one.chunk_id for one in deep[:50]] == [one.chunk_id for one in shallow[:50]]
    assert [one.score for one in deep[:50]] == pytest.approx([one.score for one in shallow[:50]])


def test_another_wording_counts_by_its_weight() -> None:
    own = Ranked(Lane.LEXICAL, [_candidate(1, score=5.0)], _DEPTH)
    other = Ranked(Lane.LEXICAL, [_candidate(2, score=50.0)], _DEPTH, 0.5)
    fused = fuse([other, own], level=Level.CHUNK, understood=None)
    assert [one.chunk_id for one in fused] == [_candidate(1).chunk_id, _candidate(2).chunk_id]
    assert [one.score for one in fused] == pytest.approx([2 / 3, 1 / 3])


def test_ties_are_ordered_by_item_and_place_whatever_the_order_of_the_lanes() -> None:
    lexical = [_candidate(n) for n in range(1, 6)]
    semantic = list(reversed(lexical))
    expected = _fuse({Lane.LEXICAL: lexical, Lane.SEMANTIC: semantic})
    found = _fuse({Lane.SEMANTIC: semantic, Lane.LEXICAL: lexical})
    assert found == expected
    assert [one.chunk_id for one in found] == [one.chunk_id for one in lexical]


def test_an_item_is_shown_by_its_best_chunk_and_counted_once() -> None:
    found = {
        Lane.LEXICAL: [_candidate(2, score=9.0), _candidate(1, 3, score=8.0)],
        Lane.SEMANTIC: [_candidate(1, 7, score=0.9), _candidate(3, score=0.5)],
    }
    fused = _fuse(found, level=Level.ITEM)
    assert [one.chunk_id for one in fused[:2]] == [_candidate(1, 7).chunk_id, _candidate(2).chunk_id]
    assert len(fused) == 3


def test_meaning_counts_less_for_languages_that_the_model_never_learned() -> None:
    found = {
        Lane.LEXICAL: [_candidate(1, language="de")],
        Lane.SEMANTIC: [_candidate(2, language="de"), _candidate(3, language="en")],
    }
    fused = _fuse(found, understood=frozenset({"en"}))
    assert [one.chunk_id for one in fused] == [_candidate(n).chunk_id for n in (1, 3, 2)]
    assert fused[2].score == pytest.approx(FOREIGN_WEIGHT / 2)


def test_the_words_of_what_lacks_a_vector_stand_for_its_meaning() -> None:
    words = [_candidate(1, score=10.0, lacks_vector=True), _candidate(2, score=5.0), _candidate(3, score=1.0)]
    meaning = [_candidate(3, score=0.9), _candidate(2, score=0.6), _candidate(4, score=0.3)]
    waiting, *others = _fuse({Lane.LEXICAL: words, Lane.SEMANTIC: meaning})
    assert waiting.lacks_vector
    assert set(waiting.placings) == {Lane.LEXICAL}
    assert waiting.shares == pytest.approx({Lane.LEXICAL: 0.5, Lane.SEMANTIC: 0.5 * WORDS_FOR_MEANING})
    assert waiting.score == pytest.approx(sum(waiting.shares.values()))
    assert waiting.chunk_id == _candidate(1).chunk_id
    assert not any(other.lacks_vector for other in others)


def test_a_lacking_vector_never_outdoes_one_that_is_nearest() -> None:
    words = [_candidate(1, score=10.0, lacks_vector=True), _candidate(2, score=10.0), _candidate(3, score=1.0)]
    meaning = [_candidate(2, score=0.9), _candidate(3, score=0.5)]
    assert [one.chunk_id for one in _fuse({Lane.LEXICAL: words, Lane.SEMANTIC: meaning})][:2] == [
        _candidate(2).chunk_id,
        _candidate(1).chunk_id,
    ]


def test_what_stands_for_a_meaning_is_no_more_than_the_lane_gives_its_best() -> None:
    words = [_candidate(1, score=9.0, lacks_vector=True), _candidate(2, score=8.0), _candidate(3, score=1.0)]
    near = [_candidate(2, score=0.84), _candidate(3, score=0.82)]
    (space, least), *_ = LEAST_SPREADS_BY_SPACE.items()
    fused = {one.chunk_id: one for one in _fuse({Lane.LEXICAL: words, Lane.SEMANTIC: near}, space=space)}
    best = 0.5 * (0.02 / least) ** 2
    assert fused[_candidate(2).chunk_id].shares[Lane.SEMANTIC] == pytest.approx(best)
    assert fused[_candidate(1).chunk_id].shares[Lane.SEMANTIC] == pytest.approx(best * WORDS_FOR_MEANING)


def test_words_stand_for_a_meaning_in_an_unknown_language_as_little_as_it_would_count() -> None:
    found = {
        Lane.LEXICAL: [
            _candidate(1, language="de", lacks_vector=True),
            _candidate(2, language="en", lacks_vector=True),
        ],
        Lane.SEMANTIC: [_candidate(3, language="en")],
    }
    fused = {one.chunk_id: one for one in _fuse(found, understood=frozenset({"en"}))}
    stands = {n: fused[_candidate(n).chunk_id].shares[Lane.SEMANTIC] for n in (1, 2)}
    assert stands == pytest.approx({1: 0.5 * WORDS_FOR_MEANING * FOREIGN_WEIGHT, 2: 0.5 * WORDS_FOR_MEANING})


def test_words_stand_for_the_meaning_in_each_wording() -> None:
    lacking, other = _candidate(1, score=5.0, lacks_vector=True), _candidate(2, score=0.9)
    rankings = [Ranked(Lane.LEXICAL, [lacking], _DEPTH), Ranked(Lane.SEMANTIC, [other], _DEPTH)]
    again = [Ranked(one.lane, one.candidates, _DEPTH, 0.3) for one in rankings]
    alone = fuse(rankings, level=Level.CHUNK, understood=None)
    assert [one.score for one in alone] == pytest.approx([(1 + WORDS_FOR_MEANING) / 2, 0.5])
    both = fuse([*rankings, *again], level=Level.CHUNK, understood=None)
    assert [one.score for one in both] == pytest.approx([one.score for one in alone])


@pytest.mark.parametrize("meaning", [[], None], ids=["nothing near", "no answer"])
def test_where_meaning_says_nothing_a_lacking_vector_changes_nothing(meaning: list[Candidate] | None) -> None:
    lacking = [
        _candidate(n, score=9.0 - n, lacks_vector=n % 2 == 0, language="de" if n < 4 else "en") for n in range(8)
    ]
    having = [_candidate(n, score=9.0 - n, language="de" if n < 4 else "en") for n in range(8)]
    others = {} if meaning is None else {Lane.SEMANTIC: meaning}
    found = _fuse({Lane.LEXICAL: lacking, **others}, understood=frozenset({"en"}))
    expected = _fuse({Lane.LEXICAL: having, **others}, understood=frozenset({"en"}))
    assert [(one.chunk_id, one.score) for one in found] == [(one.chunk_id, one.score) for one in expected]


def test_an_item_of_which_a_part_lacks_its_vector_counts_by_the_better_of_word_and_vector() -> None:
    words = [_candidate(1, 3, score=9.0, lacks_vector=True), _candidate(2, 0, score=9.0, lacks_vector=True)]
    meaning = [
        _candidate(1, 7, score=0.9),
        _candidate(3, score=0.5),
        _candidate(2, 1, score=0.31),
        _candidate(4, score=0.3),
    ]
    first, second = _fuse({Lane.LEXICAL: words, Lane.SEMANTIC: meaning}, level=Level.ITEM)[:2]
    assert first.item_id == _candidate(1).item_id
    assert first.score == pytest.approx(1.0)
    assert second.shares[Lane.SEMANTIC] == pytest.approx(0.5 * WORDS_FOR_MEANING)


@pytest.mark.parametrize("scores", [[0.0, 0.0], [-0.1, -0.2], [0.5], [1e-30, 0.0], [3.0, 3.0, 3.0]])
def test_every_score_is_finite_and_between_nothing_and_one(scores: Sequence[float]) -> None:
    candidates = [_candidate(n, score=score) for n, score in enumerate(scores)]
    for found in ({Lane.LEXICAL: candidates}, {Lane.SEMANTIC: candidates}, {}):
        assert all(0 <= one.score <= 1 for one in _fuse(found))


def test_order_is_total() -> None:
    candidates = [_candidate(item, ordinal, score=item + 1) for item in range(5) for ordinal in range(4)]
    shuffled = random.Random(1).sample(candidates, len(candidates))
    ranked = sorted(shuffled, key=lambda one: -one.score)
    expected = sorted(candidates, key=lambda one: (-one.score, str(one.item_id), one.ordinal))
    assert [one.chunk_id for one in _fuse({Lane.LEXICAL: ranked})] == [one.chunk_id for one in expected]
