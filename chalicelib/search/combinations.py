"""Tells which chunks must be looked at so that none of the best is missed: those with certain terms together.

A chunk whose terms could not lift it into the places that are to be exact, were each as heavy as a term can be, is not
looked at. Taking single terms out of the question is "MaxScore" (Turtle and Flood 1995); asking a chunk of a frequent
term for another one as well goes on from there, and the index of terms answers both.
"""

import heapq
from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

MOST_COMBINATIONS = 13
"""Combinations that the statements have room for."""

_MOST_TOGETHER = 3


@dataclass(frozen=True, slots=True)
class WeighedTerm:
    """A term of a question: the most that it can add to a chunk's score, and in how many chunks it is."""

    number: int
    most: float
    chunks: int


@dataclass(frozen=True, slots=True)
class Combination:
    """A chunk is looked at when it has every term of `all_of` and one of `any_of`."""

    all_of: Sequence[int]
    any_of: Sequence[int]


def covers(looked: Sequence[Combination], wanted: Sequence[Combination]) -> bool:
    """Tell whether whatever has one of the combinations that are wanted has one of those looked at; no if in doubt."""
    return all(any(_implies(one, other) for other in looked) for one in wanted)


def _implies(one: Combination, other: Combination) -> bool:
    has, accepted = set(one.all_of), set(other.any_of)
    return has.issuperset(other.all_of) and (bool(has & accepted) or accepted.issuperset(one.any_of))


def combinations_of(terms: Sequence[WeighedTerm], *, least: float, of: int, few: int) -> list[Combination]:
    """Return combinations of which every chunk that can score `least` has one, MOST_COMBINATIONS at most.

    `of` is how many chunks there are. Chunks of terms that `few` chunks have are all looked at.
    """
    search = _Search(sorted(terms, key=lambda term: (-term.most, term.number)), least=least, of=of, few=few)
    return search.run()


def estimated_chunks(combinations: Sequence[Combination], terms: Sequence[WeighedTerm], *, of: int) -> float:
    """Estimate how many of `of` chunks have one of the combinations, as if terms came independently."""
    shares = {term.number: _share(term, of) for term in terms}
    total = 0.0
    for one in combinations:
        none = prod(1 - shares[number] for number in one.any_of)
        total += of * prod(shares[number] for number in one.all_of) * (1 - none)
    return total


def _share(term: WeighedTerm, of: int) -> float:
    return min(term.chunks / of, 1.0)


class _Search:
    """Goes through the terms, the weightiest first: a chunk is counted where its weightiest term is."""

    def __init__(self, terms: Sequence[WeighedTerm], *, least: float, of: int, few: int) -> None:
        self._terms, self._least, self._of, self._few = terms, least, max(of, 1), few
        self._rest = [0.0]
        for term in reversed(terms):
            self._rest.append(self._rest[-1] + term.most)
        self._rest.reverse()

    def run(self) -> list[Combination]:
        singles = set[int]()
        begun: list[tuple[float, tuple[int, ...]]] = []
        for at, term in enumerate(self._terms):
            if self._rest[at] < self._least:
                break
            if term.most >= self._least or term.chunks <= self._few:
                singles.add(term.number)
            else:
                begun.append((-self._chunks((at,)), (at,)))
        begun.sort()
        room = MOST_COMBINATIONS - 1
        singles.update(self._terms[chosen[0]].number for _, chosen in begun[room:])
        found = [self._combination(chosen) for chosen in self._refine(begun[:room], room)]
        return [Combination((), sorted(singles)), *found] if singles else found

    def _refine(self, begun: list[tuple[float, tuple[int, ...]]], room: int) -> list[tuple[int, ...]]:
        """Divide the largest combination into smaller ones while there is room."""
        heapq.heapify(begun)
        done: list[tuple[int, ...]] = []
        while begun:
            chunks, chosen = heapq.heappop(begun)
            others = self._others(chosen)
            is_small = -chunks <= self._few or len(chosen) >= _MOST_TOGETHER
            if not others or is_small or len(begun) + len(done) + len(others) > room:
                done.append(chosen)
                continue
            for other in others:
                heapq.heappush(begun, (-self._chunks((*chosen, other)), (*chosen, other)))
        return done

    def _combination(self, chosen: tuple[int, ...]) -> Combination:
        others = self._others(chosen)
        all_of, any_of = (chosen, others) if others else (chosen[:-1], chosen[-1:])
        return Combination([self._terms[at].number for at in all_of], [self._terms[at].number for at in any_of])

    def _others(self, chosen: tuple[int, ...]) -> range:
        """Return the later terms one of which a chunk with all of `chosen` and no earlier one needs; none if none."""
        has = sum(self._terms[at].most for at in chosen)
        after = chosen[-1] + 1
        if has >= self._least:
            return range(0)
        end = after
        while end < len(self._terms) and has + self._rest[end] >= self._least:
            end += 1
        return range(after, end)

    def _chunks(self, chosen: tuple[int, ...]) -> float:
        """Estimate how many chunks have the combination, as if terms came independently."""
        estimate = float(self._of)
        for at in chosen:
            estimate *= self._share(at)
        others, none = self._others(chosen), 1.0
        for at in others:
            none *= 1 - self._share(at)
        return estimate * (1 - none) if others else estimate

    def _share(self, at: int) -> float:
        return _share(self._terms[at], self._of)
