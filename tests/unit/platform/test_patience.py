"""Time is shared: a wait holds for all who share it, and when it is over nobody begins."""

from itertools import pairwise

import pytest

from chalicelib.platform.patience import Pace, Patience
from chalicelib.platform.provider_calls import CallFailed, Outcome
from tests.fixtures.moved_time import MovedTime


def test_a_call_is_given_what_is_left_and_no_more_than_one_call_may_take() -> None:
    time, given = MovedTime(), []
    patience = Patience(20, time.pace, seconds_a_call=8)

    def call(seconds: float) -> None:
        given.append(seconds)
        time.sleep(7)

    for _ in range(3):
        patience.call(call, tries=1)
    assert given == [8, 8, 6]
    with pytest.raises(CallFailed) as caught:
        patience.call(call, tries=1)
    assert caught.value.outcome is Outcome.LATE


def test_nobody_begins_or_waits_after_the_end() -> None:
    time, calls = MovedTime(), []
    patience = Patience(20, time.pace, seconds_a_call=8)

    def busy(seconds: float) -> None:
        calls.append(seconds)
        patience.end()
        raise CallFailed(Outcome.BUSY, "answered 429", wait=3)

    with pytest.raises(CallFailed) as caught:
        patience.call(busy, tries=3)
    assert (caught.value.outcome, caught.value.wait, len(calls), time.slept) == (Outcome.LATE, 3, 1, [])


def test_waits_grow_with_chance_in_them() -> None:
    waits = [Pace().jittered(8) for _ in range(50)]
    assert min(waits) >= 4
    assert max(waits) <= 8
    assert len(set(waits)) > 10


@pytest.mark.parametrize(
    ("named", "slept"),
    [(0.0, [1, 2, 4, 8]), (0.5, [0.5, 1, 2, 4, 8]), (3.0, [3, 3, 3, 4]), (None, [0.5, 1, 2, 4, 8])],
)
def test_who_stays_busy_is_asked_less_and_less_whatever_it_names(named: float | None, slept: list[float]) -> None:
    time, calls = MovedTime(), []
    patience = Patience(20, time.pace, seconds_a_call=10)

    def busy(_: float) -> None:
        calls.append(time.seconds)
        raise CallFailed(Outcome.BUSY, "answered 429", wait=named)

    with pytest.raises(CallFailed, match="answered 429"):
        patience.call(busy, tries=3)
    waits = [later - earlier for earlier, later in pairwise(calls)]
    assert [wait for wait in waits if wait] == slept
    assert len(calls) < 8
