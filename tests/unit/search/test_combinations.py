"""Which chunks are looked at: none too few, which is proved by trying all, and not many more."""

import random

import pytest

from chalicelib.search.combinations import MOST_COMBINATIONS, Combination, WeighedTerm, combinations_of, covers


def _is_met(combination: Combination, terms: frozenset[int]) -> bool:
    return terms >= set(combination.all_of) and bool(terms & set(combination.any_of))


def _is_looked_at(combinations: list[Combination], terms: frozenset[int]) -> bool:
    return any(_is_met(combination, terms) for combination in combinations)


@pytest.mark.parametrize("seed", range(40))
def test_every_chunk_that_can_score_enough_is_looked_at(seed: int) -> None:
    chance = random.Random(seed)
    terms = [
        WeighedTerm(number, chance.choice([0.5, 1.0, 1.0, 2.5]) * chance.random() * 8, chance.randint(1, 2000))
        for number in range(chance.randint(1, 12))
    ]
    least = chance.random() * sum(term.most for term in terms)
    combinations = combinations_of(terms, least=least, of=5000, few=chance.choice([0, 50, 400]))
    assert len(combinations) <= MOST_COMBINATIONS
    for chosen in range(1, 2 ** len(terms)):
        has = frozenset(term.number for at, term in enumerate(terms) if chosen >> at & 1)
        if sum(term.most for term in terms if term.number in has) >= least + 1e-9:
            assert _is_looked_at(combinations, has)


def test_a_frequent_term_leads_to_a_chunk_only_together_with_another() -> None:
    terms = [WeighedTerm(1, 9.0, 10), WeighedTerm(2, 4.0, 5000), WeighedTerm(3, 4.0, 5000), WeighedTerm(4, 1.0, 9000)]
    combinations = combinations_of(terms, least=8.0, of=10_000, few=100)
    looked_at = [
        has
        for has in ({1}, {2}, {3}, {4}, {2, 3}, {2, 4}, {3, 4}, {2, 3, 4})
        if _is_looked_at(combinations, frozenset(has))
    ]
    assert looked_at == [{1}, {2, 3}, {2, 3, 4}]


def test_terms_that_together_fall_short_lead_to_nothing() -> None:
    terms = [WeighedTerm(1, 1.0, 500), WeighedTerm(2, 1.0, 500)]
    assert combinations_of(terms, least=2.5, of=1000, few=10) == []


def test_a_question_of_many_frequent_terms_has_room() -> None:
    terms = [WeighedTerm(number, 3.0, 4000 + number) for number in range(300)]
    combinations = combinations_of(terms, least=7.0, of=10_000, few=400)
    assert len(combinations) <= MOST_COMBINATIONS
    assert _is_looked_at(combinations, frozenset({7, 150, 299}))


@pytest.mark.parametrize("seed", range(40))
def test_what_is_covered_was_looked_at(seed: int) -> None:
    chance = random.Random(seed)
    terms = [WeighedTerm(number, 1 + chance.random() * 4, chance.randint(100, 3000)) for number in range(6)]
    most = sum(term.most for term in terms)
    looked, wanted = (
        combinations_of(terms, least=most * chance.uniform(0.1, 0.9), of=5000, few=chance.choice([0, 400]))
        for _ in range(2)
    )
    every = [frozenset(at for at in range(6) if chosen >> at & 1) for chosen in range(1, 64)]
    if covers(looked, wanted):
        assert all(_is_looked_at(looked, has) for has in every if _is_looked_at(wanted, has))
    assert covers(looked, looked)


def test_more_than_was_looked_at_is_not_covered() -> None:
    rare, pair = Combination((), (1, 2)), Combination((3,), (4, 5))
    assert covers([rare, pair], [Combination((), (2,)), Combination((3, 6), (4,)), Combination((1, 3), (9,))])
    assert covers([pair], [Combination((3, 4), (7, 8))])
    assert not covers([rare, pair], [Combination((), (1, 3))])
    assert not covers([rare, pair], [Combination((3,), (4, 6))])
    assert not covers([], [rare])
