"""Spares a provider that is out of reach, and those who would wait for it: calls fail at once until one may try again.

The pattern is Nygard's circuit breaker (martinfowler.com/bliki/CircuitBreaker.html).
"""

import math
import random
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from threading import Lock

from chalicelib.errors import LorebaseError, Unavailable
from chalicelib.platform.provider_calls import CallFailed, Outcome

_FIRST_SECONDS = 5.0
_MOST_SECONDS = 60.0
_MOST_NAMED_SECONDS = 3600.0
# What one content may be the cause of, so that nobody else is to suffer from it.
_PERHAPS_THE_CONTENT = frozenset({Outcome.BROKEN, Outcome.LATE})
# Who has little more time than one who was late is late as well.
_SLACK = 1.5
_PAID_FOR = ("input_tokens", "output_tokens")


@dataclass(frozen=True, slots=True)
class _Outage:
    """Nobody asks `until` then who has as little time as `within`, in seconds; the wait for it was that long.

    Of the error its parts are kept, and not the frames that it came through, which hold texts.
    """

    kind: type[Unavailable]
    detail: str
    members: Mapping[str, object]
    until: datetime
    seconds: float
    within: float


class Breaker:
    """Stands before the calls of one model; thread-safe.

    The first outage lasts 5 seconds, each after it twice as long, up to 60; or as long as the provider named, up to an
    hour. Then one call tries, while others still fail, and what comes of it ends the outage or begins the next.
    """

    def __init__(
        self, *, now: Callable[[], datetime] | None = None, chance: Callable[[], float] = random.random
    ) -> None:
        """`chance` (0 to 1) spreads those who wait, so that they do not come back together."""
        self._now = now or (lambda: datetime.now(UTC))
        self._chance = chance
        self._lock = Lock()
        self._outage: _Outage | None = None
        self._outages = 0
        self._suspect: int | None = None

    @contextmanager
    def call(self, *, seconds: float, content: int | None = None) -> Iterator[None]:
        """Let a call pass that has so many seconds, or raise at once what the last one raised, with `waits_until`.

        `retry_after` among its members are the seconds until the model is asked again.
        Unavailable is a failure, and any other answer none. `content` tells one content from another where a provider
        that breaks may do so because of it: then only a second one that fails as well begins an outage.
        """
        outages = self._enter(seconds)
        try:
            yield
        except Unavailable as error:
            self._fail(error, seconds=seconds, content=content, outages=outages)
            raise
        except LorebaseError:
            self._succeed(seconds)
            raise
        self._succeed(seconds)

    def _enter(self, seconds: float) -> int:
        with self._lock:
            outage, now = self._outage, self._now()
            if outage is not None and seconds <= outage.within:
                if now < outage.until:
                    raise self._refusal(outage, now)
                # This call tries; should nothing be heard of it, another does so later.
                later = now + timedelta(seconds=max(outage.seconds, seconds))
                self._outage = replace(outage, until=later)
            return self._outages

    def _refusal(self, outage: _Outage, now: datetime) -> Unavailable:
        # In the same words each time: items that wait for one thing are counted by them.
        left = round((outage.until - now).total_seconds(), 3)
        refusal = outage.kind(outage.detail, **{**outage.members, "retry_after": left})
        refusal.waits_until = outage.until + timedelta(seconds=min(outage.seconds, _MOST_SECONDS) * self._chance())
        return refusal

    def _fail(self, error: Unavailable, *, seconds: float, content: int | None, outages: int) -> None:
        outcome, named = _why(error)
        within = seconds * _SLACK if outcome is Outcome.LATE else math.inf
        members = {name: value for name, value in error.members.items() if name not in _PAID_FOR}
        with self._lock:
            known = self._outage
            if known is None and outcome in _PERHAPS_THE_CONTENT and content is not None:
                self._suspect, suspect = content, self._suspect
                if suspect in (None, content):
                    return
            wait = known.seconds if known else 0.0
            if known is None or outages == self._outages:
                # Not once more for those who were on their way when it began.
                wait = min(2 * wait, _MOST_SECONDS) if known else _FIRST_SECONDS
                self._outages += 1
            wait = max(wait, min(named, _MOST_NAMED_SECONDS))
            until = self._now() + timedelta(seconds=wait)
            within = max(within, known.within if known else 0.0)
            self._outage = _Outage(type(error), error.detail, members, until, wait, within)

    def _succeed(self, seconds: float) -> None:
        with self._lock:
            self._suspect = None
            # Who has more time than those who failed says nothing about them.
            if self._outage is not None and seconds <= self._outage.within:
                self._outage = None


def _why(error: Unavailable) -> tuple[Outcome | None, float]:
    """Return what became of the last call, and the seconds that the provider named; where it was busy, that counts."""
    failed = error.__cause__
    if not isinstance(failed, CallFailed):
        return None, 0.0
    before = failed.__cause__
    if failed.outcome is Outcome.LATE and isinstance(before, CallFailed) and before.outcome is Outcome.BUSY:
        failed = before
    # The wait of what was late may be one that was drawn.
    return failed.outcome, 0.0 if failed.wait is None or failed.outcome is Outcome.LATE else failed.wait
