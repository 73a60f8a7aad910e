"""The words of jobs as types."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import NewType
from uuid import UUID

from pydantic import JsonValue

JobId = NewType("JobId", UUID)


class JobState(StrEnum):
    """Where a job is. The last three are final; only a dead one can come back, by a redrive."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    DEAD = "dead"
    CANCELLED = "cancelled"
    """Given up on purpose: unlike a dead job nobody has to look at it, and unlike a done one it had no effect."""


@dataclass(frozen=True, slots=True)
class Job:
    """A job as it stands. `attempts` counts the present one while it runs."""

    id: JobId
    workspace_id: UUID | None
    kind: str
    key: str
    serial_key: str | None
    payload: Mapping[str, JsonValue]
    state: JobState
    attempts: int
    not_before: datetime
    leased_by: str | None
    lease_expires_at: datetime | None
    fence: int
    last_error: Mapping[str, JsonValue] | None
    history: Sequence[JsonValue]
    correlation_id: str | None
    created_by: UUID | None
    created_at: datetime
    updated_at: datetime
    finished_at: datetime | None


@dataclass(frozen=True, slots=True)
class Backlog:
    """How many jobs wait or run, when the first of them fell due, or will, and how many run or are due soon."""

    open: int
    due_since: datetime | None
    open_for_now: int = 0


@dataclass(frozen=True, slots=True)
class JobPolicy:
    """How patient we are with jobs. docs/jobs.md derives from these the bound within which a job is over."""

    attempts: int = 5
    lease: timedelta = timedelta(seconds=60)
    attempt_limit: timedelta = timedelta(minutes=15)
    """A worker stops renewing its lease after this time, so that a handler that hangs loses the job."""
    backoff: timedelta = timedelta(seconds=2)
    backoff_limit: timedelta = timedelta(minutes=15)
    waited_out: timedelta = timedelta(minutes=2)
    """How long a job that waits something out leaves it alone, once its attempts would be over."""
    kept: timedelta = timedelta(days=14)
    """How long jobs that are done or cancelled stay readable; dead ones stay until redriven or deleted."""
