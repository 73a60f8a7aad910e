"""Who asks a model that is out of reach is told at once, until one may try again."""

import gc
import weakref
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier

import pytest

from chalicelib.errors import Unavailable
from chalicelib.platform.breaker import Breaker
from chalicelib.platform.errors import LanguageModelAnswerRefused, LanguageModelUnavailable
from chalicelib.platform.provider_calls import CallFailed, Outcome
from tests.fixtures.jobs import MovableClock


class Lost(Exception):
    """Nothing was heard of a call."""


class Guarded:
    """A breaker on a clock that moves, before a provider that does what it is told."""

    def __init__(self) -> None:
        self.clock = MovableClock()
        self.breaker = Breaker(now=self.clock.now, chance=lambda: 0.5)
        self.calls = 0

    def ask(self, fault: Exception | None = None, *, seconds: float = 30, content: int | None = None) -> None:
        with self.breaker.call(seconds=seconds, content=content):
            self.calls += 1
            if fault is not None:
                raise fault

    def fail(self, fault: Exception, *, seconds: float = 30, content: int | None = None) -> None:
        with pytest.raises(type(fault)) as raised:
            self.ask(fault, seconds=seconds, content=content)
        assert raised.value is fault

    def refused(self, *, seconds: float = 30) -> Unavailable:
        calls = self.calls
        with pytest.raises(Unavailable) as raised:
            self.ask(seconds=seconds)
        assert self.calls == calls
        return raised.value


@pytest.fixture
def guarded() -> Guarded:
    return Guarded()


def late_after(before: CallFailed) -> LanguageModelUnavailable:
    made = LanguageModelUnavailable("The language model x answered 429; try again later.")
    made.__cause__ = CallFailed(Outcome.LATE, "answered 429", wait=8.0)
    made.__cause__.__cause__ = before
    return made


def fault(outcome: Outcome = Outcome.DENIED, wait: float | None = None) -> LanguageModelUnavailable:
    made = LanguageModelUnavailable("The language model x answered 503; try again later.", model="x", input_tokens=7)
    made.__cause__ = CallFailed(outcome, "answered 503", wait=wait)
    return made


def test_after_a_failure_calls_are_told_at_once_what_it_was_and_until_when(guarded: Guarded) -> None:
    guarded.fail(fault())
    error = guarded.refused()
    assert type(error) is LanguageModelUnavailable
    assert error.detail == "The language model x answered 503; try again later."
    # What was read is counted once.
    assert error.members == {"model": "x", "retry_after": 5.0}
    # Half of the spread of those who wait.
    assert error.waits_until == guarded.clock.now() + timedelta(seconds=5 + 2.5)


def test_outages_last_twice_as_long_up_to_a_minute_and_an_answer_ends_them(guarded: Guarded) -> None:
    lasted: list[float] = []
    for _ in range(6):
        guarded.fail(fault())
        lasted.append(float(str(guarded.refused().members["retry_after"])))
        guarded.clock.move(seconds=lasted[-1])
    assert lasted == [5, 10, 20, 40, 60, 60]
    guarded.ask()
    guarded.ask()
    guarded.fail(fault())
    assert guarded.refused().members["retry_after"] == 5


@pytest.mark.parametrize(("named", "lasts"), [(0.5, 5), (17, 17), (90, 90), (1e15, 3600)])
def test_a_time_that_the_provider_names_holds_up_to_an_hour(guarded: Guarded, named: float, lasts: float) -> None:
    guarded.fail(fault(Outcome.BUSY, wait=named))
    assert guarded.refused().members["retry_after"] == lasts


def test_one_alone_tries_and_should_it_be_lost_another_does_later(guarded: Guarded) -> None:
    guarded.fail(fault())
    guarded.clock.move(seconds=5)
    begin = Barrier(16)

    def one(_: int) -> bool:
        begin.wait()
        try:
            guarded.ask(Lost(), seconds=20)
        except Unavailable:
            return False
        except Lost:
            return True
        return False

    with ThreadPoolExecutor(16) as pool:
        assert sum(pool.map(one, range(16))) == 1
    guarded.clock.move(seconds=19)
    guarded.refused()
    guarded.clock.move(seconds=1)
    guarded.ask()


def test_those_on_their_way_when_it_began_make_it_no_longer(guarded: Guarded) -> None:
    with pytest.raises(Unavailable), guarded.breaker.call(seconds=30):
        guarded.fail(fault())
        raise fault()
    assert guarded.refused().members["retry_after"] == 5


def test_a_refusal_of_a_text_is_an_answer(guarded: Guarded) -> None:
    refused = LanguageModelAnswerRefused("No.")
    guarded.fail(refused)
    guarded.ask()
    guarded.fail(fault())
    guarded.clock.move(seconds=5)
    guarded.fail(refused)
    guarded.ask()


@pytest.mark.parametrize("outcome", [Outcome.BROKEN, Outcome.LATE])
def test_one_text_that_breaks_a_provider_harms_no_other(guarded: Guarded, outcome: Outcome) -> None:
    for _ in range(3):
        guarded.fail(fault(outcome), content=1)
    guarded.ask(content=2)
    guarded.fail(fault(outcome), content=1)
    guarded.fail(fault(outcome), content=2)
    guarded.refused()


def test_what_is_late_for_a_question_may_be_in_time_for_a_job(guarded: Guarded) -> None:
    guarded.fail(fault(Outcome.LATE), seconds=2)
    guarded.refused(seconds=2)
    guarded.refused(seconds=2.5)
    guarded.ask(seconds=30)
    guarded.refused(seconds=2)
    guarded.fail(fault(Outcome.LATE), seconds=30)
    guarded.refused(seconds=30)
    guarded.clock.move(seconds=10)
    guarded.ask(seconds=2)
    guarded.ask(seconds=30)


def test_a_wait_beyond_the_time_is_the_provider_s_and_not_the_text_s(guarded: Guarded) -> None:
    guarded.fail(late_after(CallFailed(Outcome.BUSY, "answered 429", wait=12.0)), seconds=2, content=1)
    assert guarded.refused(seconds=30).members["retry_after"] == 12.0


def test_a_wait_that_was_drawn_is_none_that_was_named(guarded: Guarded) -> None:
    guarded.fail(late_after(CallFailed(Outcome.BUSY, "answered 429")))
    assert guarded.refused().members["retry_after"] == 5.0


def test_an_outage_keeps_no_text_in_memory(guarded: Guarded) -> None:
    class Text(str):
        __slots__ = ("__weakref__",)

    def ask(text: str) -> None:
        with pytest.raises(Unavailable), guarded.breaker.call(seconds=30, content=hash(text)):
            raise fault()

    text = Text("something confidential")
    seen = weakref.ref(text)
    ask(text)
    guarded.refused()
    del text
    gc.collect()
    assert seen() is None
