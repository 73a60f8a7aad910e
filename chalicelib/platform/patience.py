"""How long to go on with a provider that is busy or broken: until a deadline, with waits that the provider may name."""

import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock
from typing import TypeVar

from chalicelib.platform.provider_calls import CallFailed, Outcome

T = TypeVar("T")

_FIRST_WAIT = 0.5
_MOST_WAIT = 20.0
_MOST_DOUBLED = 10
_SECONDS_A_NAP = 1.0


def _jittered(most: float) -> float:
    # Half of it at random, so that callers who were turned away together do not come back together
    # (aws.amazon.com/builders-library/timeouts-retries-and-backoff-with-jitter).
    return random.uniform(most / 2, most)  # noqa: S311 - nothing secret


@dataclass(frozen=True, slots=True)
class Pace:
    """What tells the time and lets it pass, in seconds."""

    monotonic: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    jittered: Callable[[float], float] = _jittered


class Patience:
    """The time that one piece of work has; threads that share in the work share it, and each other's waits."""

    def __init__(self, seconds: float, pace: Pace, *, seconds_a_call: float) -> None:
        self._pace = pace
        self._ends_at = pace.monotonic() + seconds
        self._seconds_a_call = seconds_a_call
        self._calls_from = pace.monotonic()
        self._lock = Lock()

    def call(self, call: Callable[[float], T], *, tries: int) -> T:
        """Return what `call` returns, given the seconds that it may take.

        A busy provider is asked again until the time is up, one that breaks `tries` times in all. Raises CallFailed.
        """
        broken = busy = 0
        while True:
            seconds = self._wait_for_turn()
            try:
                return call(seconds)
            except CallFailed as failed:
                busy += failed.outcome is Outcome.BUSY
                broken += failed.outcome is Outcome.BROKEN
                if failed.outcome not in (Outcome.BUSY, Outcome.BROKEN) or broken >= tries:
                    raise
                self._hold(failed, times=busy + broken)

    def end(self) -> None:
        """Let no thread begin or wait any more."""
        self._ends_at = self._pace.monotonic()

    def _wait_for_turn(self) -> float:
        while True:
            now = self._pace.monotonic()
            if now >= self._ends_at:
                raise CallFailed(Outcome.LATE, "did not answer in time")
            if now >= self._calls_from:
                return min(self._ends_at - now, self._seconds_a_call)
            self._pace.sleep(min(self._calls_from - now, _SECONDS_A_NAP))

    def _hold(self, failed: CallFailed, *, times: int) -> None:
        """Let nobody call for a while; a wait beyond the deadline is left to whoever asks again.

        A time that the provider names is believed once: who stays busy after it, and names no time or one that is over
        already, would be asked as fast as the network goes.
        """
        wait = failed.wait
        if wait is None or times > 1:
            own = self._pace.jittered(min(_MOST_WAIT, _FIRST_WAIT * 2.0 ** min(times - 1, _MOST_DOUBLED)))
            wait = max(own, wait or 0.0)
        until = self._pace.monotonic() + wait
        if until >= self._ends_at:
            raise CallFailed(Outcome.LATE, failed.detail, said=failed.said, wait=wait) from failed
        with self._lock:
            self._calls_from = max(self._calls_from, until)
