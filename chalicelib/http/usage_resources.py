"""What the API says of what models use, and takes and says of budgets."""

from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal
from typing import Self
from uuid import UUID

from pydantic import Field

from chalicelib.http.routing import Body, Query, Resource
from chalicelib.usage.manage_budgets import MOST_MONEY, MOST_TOKENS
from chalicelib.usage.model import BudgetState, Counts, Grouping, Standing
from chalicelib.usage.prices import Cost
from chalicelib.usage.report_usage import Report

_DIGITS = 6


class UsageQuery(Query):
    """Which month, and by what."""

    month: str | None = Field(None, description="As 2026-11, in UTC; by default the present one.")
    by: Grouping = Grouping.PURPOSE


class UsedResource(Resource):
    """Calls and tokens, and what they cost: `cost` is null where the price of some of them is unknown.

    `known_cost` is that of the others, and `unpriced_tokens` says how many have no price.
    """

    calls: int
    input_tokens: int
    output_tokens: int
    cost: Decimal | None
    known_cost: Decimal
    unpriced_tokens: int


class UsageEntryResource(UsedResource):
    """What was used under one name: a day, the id of a workspace, a purpose or a model.

    A null name is the organization as a whole, among workspaces. `in_house`: by models alone that the deployment
    runs itself, whose tokens nobody bills.
    """

    name: str | None
    slug: str | None
    in_house: bool


class ForecastResource(Resource):
    """What the month will have used at its end if it goes on as it did until now."""

    tokens: int
    cost: Decimal | None


class BudgetResource(Resource):
    """What may be spent in each calendar month (UTC), and how the month stands; `workspace_id` null: by all together.

    `share` is the larger of the shares that are spent of tokens and money. `near` is from 0.8 on. Once it is `spent`,
    work that uses models waits until `resets_at`, or until the budget is raised; questions are answered all the same.
    `money_used` lacks `unpriced_tokens`.
    """

    workspace_id: UUID | None
    tokens: int | None
    money: Decimal | None
    currency: str
    month: str
    tokens_used: int
    money_used: Decimal
    unpriced_tokens: int
    share: float
    state: BudgetState
    resets_at: datetime
    changed_at: datetime

    @classmethod
    def of(cls, standing: Standing, *, currency: str) -> Self:
        """Return a budget as the API shows it."""
        budget = standing.budget
        return cls(
            workspace_id=budget.workspace_id,
            tokens=budget.tokens,
            money=None if budget.money is None else _shown(budget.money),
            currency=currency,
            month=str(standing.month),
            tokens_used=standing.tokens_used,
            money_used=_shown(standing.money_used),
            unpriced_tokens=standing.unpriced_tokens,
            share=round(standing.share, 4),
            state=standing.state,
            resets_at=standing.month.next.begin,
            changed_at=budget.changed_at,
        )


class UsageResource(Resource):
    """What models used in a month, by what was asked; `forecast` is for the present month, from its second day on."""

    month: str
    by: Grouping
    currency: str
    total: UsedResource
    entries: Sequence[UsageEntryResource]
    budgets: Sequence[BudgetResource]
    forecast: ForecastResource | None


class NewBudget(Body):
    """What may be spent in each calendar month: in tokens, in money, or both. 0 stops all but questions."""

    tokens: int | None = Field(None, ge=0, le=MOST_TOKENS)
    money: Decimal | None = Field(
        None, ge=0, le=MOST_MONEY, decimal_places=_DIGITS, description="In the currency of the prices."
    )


def usage_resource(report: Report) -> UsageResource:
    """Return a month as the API shows it."""
    forecast = report.forecast
    return UsageResource(
        month=str(report.month),
        by=report.by,
        currency=report.currency,
        total=UsedResource.model_validate(_used(report.counts, report.cost)),
        entries=[
            UsageEntryResource(
                name=share.name, slug=share.slug, in_house=share.is_in_house, **_used(share.counts, share.cost)
            )
            for share in report.shares
        ],
        budgets=[BudgetResource.of(standing, currency=report.currency) for standing in report.standings],
        forecast=None
        if forecast is None
        else ForecastResource(tokens=forecast.tokens, cost=None if forecast.money is None else _shown(forecast.money)),
    )


def _used(counts: Counts, cost: Cost) -> dict[str, int | Decimal | None]:
    return {
        "calls": counts.calls,
        "input_tokens": counts.input_tokens,
        "output_tokens": counts.output_tokens,
        "cost": None if cost.money is None else _shown(cost.money),
        "known_cost": _shown(cost.known),
        "unpriced_tokens": cost.unpriced_tokens,
    }


def _shown(money: Decimal) -> Decimal:
    return round(money, _DIGITS)
