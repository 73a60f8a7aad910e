"""Waits for a step that a search can do without, so long and no longer."""

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as FutureTimeoutError
from contextvars import copy_context
from typing import TypeVar

from chalicelib.errors import LorebaseError
from chalicelib.search.model import LaneReport, LaneState

_Result = TypeVar("_Result")

# Apart from the lanes' threads: a model that hangs keeps its thread, and lanes must not wait for it.
_POOL = ThreadPoolExecutor(max_workers=8, thread_name_prefix="step")


def in_time(run: Callable[[], _Result], *, seconds: float, name: str) -> tuple[_Result | None, LaneReport]:
    """Return what `run` gives and `ok`, or nothing and why it was dropped: it was late or could not do it.

    `name` begins the sentence about a late one, e.g. "The reranker".
    """
    started = time.monotonic()

    def report(state: LaneState, reason: str | None = None) -> LaneReport:
        return LaneReport(state, (time.monotonic() - started) * 1000, reason)

    future = _POOL.submit(copy_context().run, run)
    try:
        return future.result(timeout=seconds), report(LaneState.OK)
    except FutureTimeoutError:
        future.cancel()
        return None, report(LaneState.DROPPED, f"{name} did not answer within {seconds:g} s")
    except LorebaseError as error:
        return None, report(LaneState.DROPPED, error.title())
