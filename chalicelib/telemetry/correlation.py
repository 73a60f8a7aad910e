"""The id that ties a request to the jobs that follow from it, in rows, messages and log lines."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_ID = re.compile(r"[A-Za-z0-9._-]{1,128}")
_current: ContextVar[str | None] = ContextVar("correlation_id", default=None)


def correlation_id_of(given: object) -> str | None:
    """Return the id that somebody else gave, or None for one that rows, messages and lines are to be spared."""
    return given if isinstance(given, str) and _ID.fullmatch(given) else None


def current_correlation_id() -> str | None:
    """Return the id of what this thread works on, or None."""
    return _current.get()


@contextmanager
def correlated(correlation_id: str | None) -> Iterator[None]:
    """Let what is enqueued and logged in the block bear this id."""
    token = _current.set(correlation_id)
    try:
        yield
    finally:
        _current.reset(token)
