"""Cuts the window out of a chunk that says most about the question."""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from chalicelib.index.analysis import occurrences
from chalicelib.search.link_targets import link_targets
from chalicelib.search.model import Snippet

SNIPPET_CHARACTERS = 320

_LEAD = 60
"""Characters shown before the first highlight where there is room."""

_HEADINGS = re.compile(r"(?:\s*#{1,6}[ \t]+[^\n]*(?:\n|$))+\s*")
"""Headings that a text begins with: they are shown as the heading path already."""

_BREAK = re.compile(r"\n\s*|[.!?:][ \t]+")
"""Where a line or a sentence ends."""

_MARKED_SHARE = 0.25
"""A word is highlighted if it tells at least so much as the most telling one in the chunk."""


@dataclass(frozen=True, slots=True)
class _Match:
    start: int
    end: int
    term: str
    worth: float


def snippet_of(
    text: str,
    *,
    language: str,
    worth_by_term: Mapping[str, float],
    heading_path: Sequence[str] = (),
    characters: int = SNIPPET_CHARACTERS,
) -> Snippet:
    """Return the window of at most `characters` with the most telling words of the question, cut between words.

    Words match as they do in the lexical lane, so that an inflected form is highlighted too; those in the targets
    of links count only where no other does. Without any match it is the beginning of the text. Headings of
    `heading_path` that the text begins with are left out if more follows.
    """
    first = _after_headings(text, heading_path)
    targets = link_targets(text)
    found = [match for match in _matches(text, language, worth_by_term) if match.start >= first]
    matches = [match for match in found if _target_at(targets, match.start) is None] or found
    start, end = _window(text, matches, characters, first, targets)
    least = _MARKED_SHARE * max((match.worth for match in matches), default=0.0)
    highlights = [
        (match.start - start, match.end - start)
        for match in matches
        if start <= match.start and match.end <= end and match.worth >= least
    ]
    return Snippet(text[start:end], highlights)


def _matches(text: str, language: str, worth_by_term: Mapping[str, float]) -> list[_Match]:
    matches = []
    for occurrence in occurrences(text, language, wanted=frozenset(worth_by_term)):
        term = max(occurrence.terms, key=lambda term: worth_by_term.get(term, 0.0))
        if worth_by_term.get(term, 0.0) > 0:
            matches.append(_Match(occurrence.start, occurrence.end, term, worth_by_term[term]))
    return matches


def _target_at(targets: Sequence[tuple[int, int]], position: int) -> tuple[int, int] | None:
    """Return the target that holds the character at `position`."""
    index = bisect_left(targets, (position + 1, 0)) - 1
    return targets[index] if index >= 0 and position < targets[index][1] else None


def _after_headings(text: str, heading_path: Sequence[str]) -> int:
    leading = _HEADINGS.match(text) if heading_path else None
    if leading is None or leading.end() == len(text):
        return 0
    titles = [line.strip().strip("#").strip() for line in leading[0].splitlines()]
    return leading.end() if set(filter(None, titles)) <= set(heading_path) else 0


def _window(
    text: str, matches: Sequence[_Match], characters: int, first: int, targets: Sequence[tuple[int, int]]
) -> tuple[int, int]:
    """Return where a window from `first` on begins and ends."""
    if len(text) - first <= characters:
        return first, len(text)
    low, high = _best_stretch(matches, characters - _LEAD) if matches else (first, first)
    least = max(high - characters, first)
    start = _start(text, low=low, least=least, first=first, characters=characters)
    start = _outside_target(text, start, least=least, low=low, targets=targets)
    end = start + characters
    if end >= len(text):
        return start, len(text)
    while end > high and not (text[end - 1].isspace() or text[end].isspace()):
        end -= 1
        if end <= start + characters // 2:
            end = start + characters
            break
    return start, start + len(text[start:end].rstrip())


def _start(text: str, *, low: int, least: int, first: int, characters: int) -> int:
    """Begin where the sentence or line of the first match does, or some words before the match where that is far."""
    if len(text) - characters <= low - _LEAD:
        return _at_word(text, max(len(text) - characters, first))
    breaks = [found.end() for found in _BREAK.finditer(text, least, low) if found.end() <= low]
    if breaks:
        return breaks[-1]
    return first if least == first and low - first <= _LEAD else _at_word(text, max(low - _LEAD, first))


def _outside_target(text: str, start: int, *, least: int, low: int, targets: Sequence[tuple[int, int]]) -> int:
    """Move a beginning within a target to the link's text where that still fits, else behind the target."""
    target = _target_at(targets, start)
    if target is None or target[0] == start:
        return start
    link = text.rfind("[", least, target[0])
    if link >= 0:
        return link
    return min(_at_word(text, target[1]), low) if target[1] <= low else start


def _best_stretch(matches: Sequence[_Match], reach: int) -> tuple[int, int]:
    """Return where the stretch of `reach` characters begins and ends whose distinct terms are worth most.

    Of a word that is longer than that, its beginning.
    """
    best, best_worth, worth = (0, 0), 0.0, 0.0
    inside: Counter[str] = Counter()
    low = 0
    for match in matches:
        worth += match.worth if not inside[match.term] else 0.0
        inside[match.term] += 1
        while matches[low].start < min(match.end - reach, match.start):
            inside[matches[low].term] -= 1
            worth -= matches[low].worth if not inside[matches[low].term] else 0.0
            low += 1
        if worth > best_worth + 1e-9:
            start = matches[low].start
            best, best_worth = (start, min(match.end, start + reach)), worth
    return best


def _at_word(text: str, position: int) -> int:
    """Move on to the next beginning of a word, unless none is near, as in scripts without blanks."""
    if position == 0 or text[position - 1].isspace():
        return position
    for ahead in range(position, min(position + 40, len(text) - 1)):
        if text[ahead].isspace():
            return ahead + 1
    return position
