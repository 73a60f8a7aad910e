"""What terms weigh."""

import math

import pytest

from chalicelib.database.ids import new_id
from chalicelib.index.bm25 import (
    DIMENSIONS,
    TITLE_REPEATS,
    TermCounts,
    count_terms,
    inverse_frequency,
    reweigh,
    term_number,
    weigh,
)


def test_weights_are_those_of_the_formula() -> None:
    weights = weigh(TermCounts({7: 3, 9: 1}, 100), average_length=50.0)
    pivot = 1.2 * (1 - 0.75 + 0.75 * 100 / 50)
    assert weights.indices() == [7, 9]
    assert weights.values() == pytest.approx([3 * 2.2 / (3 + pivot), 2.2 / (1 + pivot)])


@pytest.mark.parametrize("count", [1, 2, 7, 50, 400])
def test_weighing_again_equals_weighing_anew(count: int) -> None:
    counted = TermCounts({5: count}, 600)
    again = reweigh(weigh(counted, average_length=80.0), length=600, before=80.0, now=300.0)
    assert again.values() == pytest.approx(weigh(counted, average_length=300.0).values())


def test_rare_terms_tell_more_and_no_term_tells_less_than_nothing() -> None:
    assert inverse_frequency(1, of=1000) == pytest.approx(math.log(1 + 999.5 / 1.5))
    assert 0 < inverse_frequency(1000, of=1000) < inverse_frequency(500, of=1000)
    assert inverse_frequency(12, of=10) > 0


def test_a_term_has_another_number_in_another_workspace() -> None:
    here, there = new_id(), new_id()
    assert term_number(here, "auth") == term_number(here, "auth") != term_number(there, "auth")
    assert 0 <= term_number(here, "auth") < DIMENSIONS


def test_title_counts_more_than_text() -> None:
    workspace_id = new_id()
    counted = count_terms(workspace_id, title="auth", heading_path=["login"], text="auth token", language="en")
    assert counted.counts[term_number(workspace_id, "auth")] == TITLE_REPEATS + 1
    assert counted.length == TITLE_REPEATS + 3
