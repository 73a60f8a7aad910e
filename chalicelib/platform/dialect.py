"""Finds the form of a request that a server takes, where those that speak one protocol differ: by what they refuse."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from chalicelib.platform.provider_calls import CallFailed, Outcome

T = TypeVar("T")

_ABOUT_THE_FORM = frozenset({Outcome.REFUSED, Outcome.TOO_LARGE})


@dataclass(frozen=True, slots=True)
class Choice:
    """One thing that can be said in several forms, each by its fields: the best first; nothing at all may be the last.

    A refusal that has one of `words` in it, in small letters, is about this thing.
    """

    words: Sequence[str]
    forms: Sequence[Mapping[str, object]]


class Dialect:
    """Remembers for a process the forms that a server took, by the names of the choices."""

    def __init__(self) -> None:
        self._places: Mapping[str, int] = {}

    def ask(self, choices: Mapping[str, Choice], ask: Callable[[Mapping[str, object]], T]) -> T:
        """Return what `ask` makes of the chosen fields; what is refused by name is put otherwise. Raises CallFailed."""
        places = self._places
        too_large: CallFailed | None = None
        while True:
            chosen = [choice.forms[places.get(name, 0)] for name, choice in choices.items()]
            try:
                answer = ask({field: value for form in chosen for field, value in form.items()})
            except CallFailed as failed:
                if failed.outcome is Outcome.TOO_LARGE:
                    too_large = failed
                others = _other_places(choices, places, failed)
                if others is None:
                    # What is too large may name a field as well, and no other form of it makes it smaller.
                    raise too_large or failed from None
                places = others
            else:
                # Not before: what was refused may have been the content, with words that are its own.
                self._places = places
                return answer


def _other_places(
    choices: Mapping[str, Choice], places: Mapping[str, int], failed: CallFailed
) -> Mapping[str, int] | None:
    if failed.outcome not in _ABOUT_THE_FORM:
        return None
    said = failed.said.lower()
    for name, choice in choices.items():
        place = places.get(name, 0) + 1
        if place < len(choice.forms) and any(word in said for word in choice.words):
            return {**places, name: place}
    return None
