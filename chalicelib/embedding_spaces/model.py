"""The words of embedding spaces as types."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from pydantic import JsonValue

from chalicelib.usage.estimate import RunEstimate

FILL_SPACE = "fill_space"
"""The kind of the job that embeds what a workspace has no vector for in a space."""

FORGET_SPACE = "forget_space"
"""The kind of the job that deletes a workspace's vectors of a space."""


class FillState(StrEnum):
    """How far a workspace's chunks have their vectors in a space, for those that were there before it was chosen."""

    WAITING = "waiting"
    FILLING = "filling"
    DONE = "done"
    STOPPED = "stopped"
    """Nothing goes on until somebody says so, or the embedder is offered again."""
    FORGETTING = "forgetting"


@dataclass(frozen=True, slots=True)
class Choice:
    """An organization's spaces by name. `active` is searched in; None has no vectors yet, and goes by words."""

    active: str | None = None
    filling: str | None = None
    former: str | None = None
    filling_since: datetime | None = None

    @property
    def written(self) -> Sequence[str]:
        """The spaces that new chunks get vectors in, the active one first."""
        return [space for space in (self.active, self.filling, self.former) if space is not None]


class ChangeState(StrEnum):
    """How far a change to another space is."""

    FILLING = "filling"
    READY = "ready"
    BLOCKED = "blocked"
    """Something stopped, or more chunks failed than may: see the problems."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far a space is filled, over all workspaces.

    `failures` counts chunks by the reason for which they have no vector; words find them all the same.
    `rate` is in chunks a second of work, None before anything was embedded.
    """

    space: str
    state: ChangeState
    since: datetime | None
    chunks_total: int
    chunks_done: int
    chunks_reused: int
    chunks_failed: int
    tokens: int
    seconds: float
    failures: Mapping[str, int]
    problems: Sequence[Mapping[str, JsonValue]]

    @property
    def rate(self) -> float | None:
        """Chunks that were embedded in a second of work."""
        embedded = self.chunks_done - self.chunks_reused
        return embedded / self.seconds if embedded > 0 and self.seconds > 0 else None

    @property
    def remaining_seconds(self) -> float | None:
        """How long one worker at a time would take for the rest, as it went so far."""
        left = max(0, self.chunks_total - self.chunks_done - self.chunks_failed)
        return left / self.rate if self.rate else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """What a change would take; `seconds` is None before anything was embedded in the space, see RunEstimate."""

    space: str
    chunks: int
    seconds: float | None
    run: RunEstimate
