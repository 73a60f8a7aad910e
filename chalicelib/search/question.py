"""Turns a question into the terms to look for, in each language that a workspace speaks."""

from collections import Counter
from collections.abc import Mapping, Sequence

from chalicelib.index.analysis import UNKNOWN, occurrences
from chalicelib.index.function_words import function_words
from chalicelib.index.language import detect_language


def question_terms(query: str, *, languages: Sequence[str]) -> Mapping[str, int]:
    """Count the question's terms as each of the languages has them.

    Function words are left out unless they are all there is ("The Who") or are written as an acronym ("IT").
    Those of the question's own language count, and where that cannot be told those of all the workspace's.
    """
    counts: Counter[str] = Counter()
    dropped = _dropped_spans(query, languages)
    for language in languages or [UNKNOWN]:
        in_language: Counter[str] = Counter()
        for occurrence in occurrences(query, language):
            if (occurrence.start, occurrence.end) not in dropped:
                in_language.update(occurrence.terms)
        counts |= in_language
    return counts


def _dropped_spans(query: str, languages: Sequence[str]) -> set[tuple[int, int]]:
    detected = detect_language(query)
    words = function_words([detected] if detected else languages)
    spans = [(occurrence.start, occurrence.end) for occurrence in occurrences(query, UNKNOWN)]
    dropped = {
        (start, end) for start, end in spans if _is_function_word(query[start:end], words, is_shouted=query.isupper())
    }
    return set() if len(dropped) == len(spans) else dropped


def _is_function_word(word: str, words: frozenset[str], *, is_shouted: bool) -> bool:
    is_acronym = len(word) > 1 and word.isupper() and not is_shouted
    parts = word.replace("\u2019", "'").lower().split("'")
    return not is_acronym and all(part in words for part in parts)
