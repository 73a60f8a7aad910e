"""What goes wrong with budgets."""

from datetime import datetime
from typing import ClassVar

from chalicelib.errors import NotFound, Rejected, Unavailable


class BudgetSpent(Unavailable):
    """The month's budget for models is spent."""

    is_waited_out: ClassVar[bool] = True

    def __init__(self, detail: str, *, waits_until: datetime, **members: object) -> None:
        """`waits_until` is when the next month begins, unless somebody raises the budget before."""
        super().__init__(detail, **members)
        self.waits_until = waits_until


class BudgetNotFound(NotFound):
    """There is no budget."""


class BudgetRefused(Rejected):
    """Such a budget cannot be set."""

    status: ClassVar[int] = 422


class MonthMalformed(Rejected):
    """The month is not written as YYYY-MM."""

    status: ClassVar[int] = 422
