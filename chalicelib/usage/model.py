"""The words of what models use as types."""

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from enum import StrEnum
from uuid import UUID

from chalicelib.identity.model import OrganizationId, WorkspaceId
from chalicelib.usage.errors import MonthMalformed


class Purpose(StrEnum):
    """What a model was called for."""

    INDEX = "index"
    QUESTION = "question"
    CONTEXTS = "contexts"
    RERANK = "rerank"
    EXPANSION = "expansion"
    CHANGE_OF_SPACE = "change_of_space"


ALWAYS_DONE = frozenset({Purpose.QUESTION})
"""What a spent budget does not stop: a question is a few tokens, and what the rest was spent for."""


class ModelKind(StrEnum):
    """What a model does."""

    EMBED = "embed"
    GENERATE = "generate"
    RERANK = "rerank"


class Grouping(StrEnum):
    """What usage is shown by."""

    DAY = "day"
    WORKSPACE = "workspace"
    PURPOSE = "purpose"
    MODEL = "model"


@dataclass(frozen=True, slots=True)
class Tally:
    """Where a call is counted. One of organization and workspace is enough."""

    organization_id: OrganizationId | None
    workspace_id: WorkspaceId | None
    day: date
    purpose: Purpose
    kind: ModelKind
    model: str


@dataclass(frozen=True, slots=True)
class Counts:
    """Calls and tokens, as the provider counts them."""

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0

    def __add__(self, other: "Counts") -> "Counts":
        """Return both together."""
        return Counts(
            self.calls + other.calls,
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
        )

    @property
    def tokens(self) -> int:
        """Read and written."""
        return self.input_tokens + self.output_tokens


@dataclass(frozen=True, slots=True, order=True)
class Month:
    """A calendar month in UTC."""

    first_day: date

    @classmethod
    def of(cls, moment: datetime) -> "Month":
        """Return the month of a moment."""
        return cls(moment.astimezone(UTC).date().replace(day=1))

    @classmethod
    def read(cls, text: str) -> "Month":
        """Read `YYYY-MM`. Raises MonthMalformed."""
        if re.fullmatch(r"[12]\d{3}-(0[1-9]|1[0-2])", text, re.ASCII) is None:
            raise MonthMalformed("A month is written as 2026-11.")
        return cls(date(int(text[:4]), int(text[5:]), 1))

    @property
    def next(self) -> "Month":
        """The month after it."""
        year, month = self.first_day.year, self.first_day.month
        return Month(date(year + month // 12, month % 12 + 1, 1))

    @property
    def begin(self) -> datetime:
        """Its first moment."""
        return datetime(self.first_day.year, self.first_day.month, 1, tzinfo=UTC)

    def __str__(self) -> str:
        """Write `YYYY-MM`."""
        return f"{self.first_day:%Y-%m}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """What may be spent in a month, in tokens, in money, or both; without a workspace: by the whole organization."""

    organization_id: OrganizationId
    workspace_id: WorkspaceId | None
    tokens: int | None
    money: Decimal | None
    changed_by: UUID | None
    changed_at: datetime


NEAR_SHARE = 0.8
"""From where on a budget is said to be near its end."""


class BudgetState(StrEnum):
    """How a month's budget stands."""

    WITHIN = "within"
    NEAR = "near"
    """Four fifths are spent."""
    SPENT = "spent"


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """A budget and what its month has used. `money_used` is what is known: `unpriced_tokens` come on top."""

    budget: Budget
    month: Month
    tokens_used: int
    money_used: Decimal
    unpriced_tokens: int

    @property
    def share(self) -> float:
        """The larger of the shares that are spent; 1 for a budget of nothing."""
        shares = [
            float(used / limit) if limit else 1.0
            for used, limit in ((self.tokens_used, self.budget.tokens), (self.money_used, self.budget.money))
            if limit is not None
        ]
        return max(shares)

    @property
    def state(self) -> BudgetState:
        """Within, near or spent."""
        if self.share >= 1:
            return BudgetState.SPENT
        return BudgetState.NEAR if self.share >= NEAR_SHARE else BudgetState.WITHIN
