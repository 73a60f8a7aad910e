"""Whatever is said and done in a town, everybody reads and writes what the model allows, on every way.

LOREBASE_ACCESS_CASES sets how many towns the slow run builds at random; not set, it builds the same twelve each time.
"""

import os

import pytest
from hypothesis import HealthCheck, Phase, given, note, settings

from tests.access.readings import CHEAP, compare
from tests.access.steps import MORNING, Step, days
from tests.access.town import Town
from tests.fixtures.lorebases import Lorebase

CASES = int(os.environ.get("LOREBASE_ACCESS_CASES", "12"))

in_towns = settings(
    deadline=None,
    derandomize=True,
    database=None,
    max_examples=8,
    phases=[Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.data_too_large],
)


def live_through(settled: Lorebase, day: list[Step]) -> int:
    """Take the steps in a new town, and hold all reading to the model; return how many comparisons that was."""
    town = Town(settled)
    compared = 0
    for number, step in enumerate([*MORNING, *day]):
        note(repr(step))
        step.take(town)
        if number % 10 == 9:
            compared += compare(town, CHEAP)
    settled.drain()
    return compared + compare(town)


@given(day=days)
@in_towns
def test_everybody_reads_what_the_model_allows_and_nothing_else(settled: Lorebase, day: list[Step]) -> None:
    assert live_through(settled, day) > 0


@pytest.mark.slow
@pytest.mark.timeout(0)
@given(day=days)
@settings(
    in_towns,
    derandomize="LOREBASE_ACCESS_CASES" not in os.environ,
    max_examples=CASES,
    phases=[Phase.generate, Phase.shrink],
)
def test_it_holds_in_many_towns(settled: Lorebase, day: list[Step]) -> None:
    assert live_through(settled, day) > 0
