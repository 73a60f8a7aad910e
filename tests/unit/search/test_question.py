"""Which words of a question are looked for."""

import pytest

from chalicelib.search.question import question_terms


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("how do I get reimbursed for travel", {"get", "reimburs", "travel"}),
        ("The Who", {"the", "who"}),
        ("IT department", {"it", "depart"}),
        ("What's your password policy?", {"password", "polici"}),
        ("ERR_42", {"err", "42", "err_42"}),
        ("(((", set()),
    ],
)
def test_function_words_go_unless_they_are_all_there_is(query: str, expected: set[str]) -> None:
    assert set(question_terms(query, languages=["en"])) == expected


def test_a_question_is_analysed_in_each_language_of_the_workspace() -> None:
    assert set(question_terms("Häuser", languages=["en", "de"])) == {"hauser", "haus"}


def test_the_function_words_of_a_german_question_go_in_a_mixed_workspace() -> None:
    terms = question_terms("Wie kann ich mich mit dem Virus infizieren?", languages=["en", "de"])
    assert set(terms) == {"virus", "infizieren", "infizi", "^infiz"}
