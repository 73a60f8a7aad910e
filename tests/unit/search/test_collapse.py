"""Which passages are copies of each other."""

import pytest

from chalicelib.search.collapse import find_copies

_WORDS = " ".join(f"word{chr(97 + n % 26)}{chr(97 + n // 26)}" for n in range(200))


def test_a_copy_is_found_whatever_its_blanks_and_case() -> None:
    assert find_copies([_WORDS, "Something else entirely.", _WORDS.upper().replace(" ", "\n")]) == [0, 1, 0]


def test_a_few_other_words_make_no_other_text() -> None:
    assert find_copies([_WORDS, _WORDS.replace("wordaa ", "anders ").replace("wordba ", "")]) == [0, 0]


def test_a_tenth_of_other_words_makes_another_text() -> None:
    other = " ".join(word if n % 10 else "other" for n, word in enumerate(_WORDS.split()))
    assert find_copies([_WORDS, other]) == [0, 1]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (f"{_WORDS} Version 1.2.3 is out.", f"{_WORDS} Version 1.2.4 is out."),
        (f"{_WORDS} It costs 5 €.", f"{_WORDS} It costs 50 €."),
        (f"{_WORDS} (ERR_17)", f"{_WORDS} (ERR_18)"),
    ],
)
def test_texts_that_differ_in_a_figure_are_no_copies(one: str, other: str) -> None:
    assert find_copies([one, other]) == [0, 1]


def test_short_texts_are_copies_only_to_the_word() -> None:
    assert find_copies(["Yes.", "No.", "yes.", "Yes, indeed."]) == [0, 1, 0, 3]


def test_copies_of_copies_stand_for_the_first() -> None:
    assert find_copies([_WORDS] * 5) == [0, 0, 0, 0, 0]
    assert find_copies([]) == []


def test_chunks_that_overlap_are_no_copies() -> None:
    words = _WORDS.split()
    assert find_copies([" ".join(words[:120]), " ".join(words[80:200])]) == [0, 1]
