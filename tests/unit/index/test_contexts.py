"""A summary holds while little of the body changes."""

import pytest

from chalicelib.index.contexts import MOST_CHANGED, changed_share

WORDS = [f"word{number}" for number in range(200)]


def test_the_same_text_has_not_changed_however_it_is_set() -> None:
    assert changed_share(" ".join(WORDS), "\n\n".join(WORDS).upper()) == 0


@pytest.mark.parametrize(
    ("before", "after"), [("one two three four", "five six seven eight"), ("", "a b c"), ("a", "")]
)
def test_texts_with_nothing_in_common_have_changed_wholly(before: str, after: str) -> None:
    assert changed_share(before, after) == 1


def test_of_long_texts_enough_is_counted() -> None:
    words = [f"word{number}" for number in range(150_000)]
    changed = [f"new{number}" for number in range(45_000)] + words[45_000:]
    share = changed_share(" ".join(words), " ".join(changed))
    assert share == pytest.approx(0.3, abs=0.02)


def test_empty_texts_are_alike() -> None:
    assert changed_share("", " \n") == 0


@pytest.mark.parametrize(("replaced", "is_much"), [(1, False), (20, False), (36, False), (44, True), (120, True)])
def test_what_counts_is_the_share_of_the_words(replaced: int, *, is_much: bool) -> None:
    changed = [f"new{number}" for number in range(replaced)] + WORDS[replaced:]
    share = changed_share(" ".join(WORDS), " ".join(changed))
    assert share == pytest.approx(replaced / 200, abs=0.02)
    assert (share > MOST_CHANGED) is is_much
