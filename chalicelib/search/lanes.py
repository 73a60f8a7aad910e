"""Runs lanes side by side, each within its time; one that is late or out of reach is left out, and it is said why."""

import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as FutureTimeoutError
from contextvars import copy_context
from dataclasses import dataclass
from typing import TypeVar

from chalicelib.errors import Unavailable
from chalicelib.search.model import Candidate, LaneReport, LaneState

_Key = TypeVar("_Key")

# Threads shared by all searches of a process. A lane that hangs keeps its thread, so that when an embedder or a
# database stops answering, searches find no free thread, wait their time and no longer, and do without the lane.
_THREADS = 16
_POOL = ThreadPoolExecutor(max_workers=_THREADS, thread_name_prefix="lane")


class LaneSkipped(Exception):
    """The lane has nothing to look for."""


@dataclass(frozen=True, slots=True)
class LaneAnswer:
    """What a lane found, in order; nothing where the report is not `ok`."""

    candidates: Sequence[Candidate]
    report: LaneReport


def run_lanes(runs: Mapping[_Key, Callable[[], Sequence[Candidate]]], *, seconds: float) -> Mapping[_Key, LaneAnswer]:
    """Run each lane in a thread and wait for them, `seconds` from now at most; answers are told apart by their keys."""
    started = time.monotonic()
    futures = {lane: _POOL.submit(copy_context().run, _timed, run) for lane, run in runs.items()}
    return {
        lane: _collect(future, seconds=seconds, left=started + seconds - time.monotonic())
        for lane, future in futures.items()
    }


def skipped(reason: str) -> LaneReport:
    """Return the report of a lane that was not run."""
    return LaneReport(LaneState.SKIPPED, 0.0, reason)


def _timed(run: Callable[[], Sequence[Candidate]]) -> LaneAnswer:
    started = time.monotonic()

    def report(state: LaneState, reason: str | None = None) -> LaneReport:
        return LaneReport(state, (time.monotonic() - started) * 1000, reason)

    try:
        return LaneAnswer(run(), report(LaneState.OK))
    except LaneSkipped as reason:
        return LaneAnswer((), report(LaneState.SKIPPED, str(reason)))
    except Unavailable as error:
        return LaneAnswer((), report(LaneState.DROPPED, error.title()))


def _collect(future: Future[LaneAnswer], *, seconds: float, left: float) -> LaneAnswer:
    try:
        return future.result(timeout=max(left, 0.0))
    except FutureTimeoutError:
        future.cancel()
        return LaneAnswer(
            (), LaneReport(LaneState.DROPPED, seconds * 1000, f"The lane did not answer within {seconds:g} s")
        )
