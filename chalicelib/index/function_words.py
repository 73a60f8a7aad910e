"""Words that hold sentences together and say nothing of their matter, by language."""

import json
from collections.abc import Iterable
from functools import cache
from importlib.resources import files


def function_words(languages: Iterable[str]) -> frozenset[str]:
    """Return the function words of these languages together; languages without a list add none."""
    return frozenset().union(*(_words_of(language) for language in languages))


@cache
def _words_of(language: str) -> frozenset[str]:
    return frozenset(_lists().get(language, "").split())


@cache
def _lists() -> dict[str, str]:
    lists: dict[str, str] = json.loads(files(__package__).joinpath("function_words.json").read_text("utf-8"))
    return lists
