"""Shows what models used in a month, what it cost, and where the month is going."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from itertools import groupby

from chalicelib.database.transaction import Transaction
from chalicelib.identity.model import OrganizationId, Principal, WorkspaceId
from chalicelib.identity.rights import Action, authorize, authorize_organization
from chalicelib.usage import budget_store, store
from chalicelib.usage.model import Counts, Grouping, Month, Standing
from chalicelib.usage.prices import Cost, Prices
from chalicelib.usage.store import Line

_FORESEEN_FROM = timedelta(days=1)
"""How much of a month must be over before the rest is foreseen from it."""


@dataclass(frozen=True, slots=True)
class Share:
    """What was used under one name: a day, the id of a workspace (None for none), a purpose or a model."""

    name: str | None
    slug: str | None
    counts: Counts
    cost: Cost
    is_in_house: bool
    """All of it by models that the deployment runs itself."""


@dataclass(frozen=True, slots=True)
class Forecast:
    """What the whole month will have used if it goes on as it did; money only where all of it is known."""

    tokens: int
    money: Decimal | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """A month. `forecast` is None for one that is over, and on the first day of the present one."""

    month: Month
    by: Grouping
    shares: Sequence[Share]
    counts: Counts
    cost: Cost
    currency: str
    standings: Sequence[Standing]
    forecast: Forecast | None


def report_usage(
    tx: Transaction,
    *,
    principal: Principal,
    organization_id: OrganizationId,
    month: Month | None,
    by: Grouping,
    prices: Prices,
    now: datetime,
) -> Report:
    """Return what an organization used in a month, by default the present one, with all its budgets."""
    authorize_organization(principal, organization_id, Action.ADMINISTER)
    return _report(tx, organization_id, None, month=month or Month.of(now), by=by, prices=prices, now=now)


def report_workspace_usage(
    tx: Transaction,
    *,
    principal: Principal,
    workspace_id: WorkspaceId,
    month: Month | None,
    by: Grouping,
    prices: Prices,
    now: datetime,
) -> Report:
    """Return what a workspace used in a month, with its own budget; the organization's is no business of its owners."""
    authorize(principal, workspace_id, Action.MANAGE)
    return _report(
        tx, principal.organization_id, workspace_id, month=month or Month.of(now), by=by, prices=prices, now=now
    )


def _report(
    tx: Transaction,
    organization_id: OrganizationId,
    workspace_id: WorkspaceId | None,
    *,
    month: Month,
    by: Grouping,
    prices: Prices,
    now: datetime,
) -> Report:
    lines = store.sum_usage(
        tx,
        organization_id,
        workspace_id=workspace_id,
        by=by,
        since=month.first_day,
        until=month.next.first_day,
    )
    budgets = [
        budget
        for budget in budget_store.list_budgets(tx, organization_id, workspace_id=workspace_id)
        if workspace_id in (None, budget.workspace_id)
    ]
    counts = _sum(lines)
    cost = prices.total((line.model, line.counts) for line in lines)
    return Report(
        month=month,
        by=by,
        shares=[_share(list(group), prices) for _, group in groupby(lines, key=lambda line: line.name)],
        counts=counts,
        cost=cost,
        currency=prices.currency,
        standings=budget_store.standings_of(tx, budgets, month=month, prices=prices),
        forecast=foresee(counts, cost, month=month, now=now),
    )


def foresee(counts: Counts, cost: Cost, *, month: Month, now: datetime) -> Forecast | None:
    """Draw the line on to the end of the month, through its beginning and now."""
    passed, whole = now - month.begin, month.next.begin - month.begin
    if not _FORESEEN_FROM <= passed < whole:
        return None
    factor = Decimal(whole // timedelta(seconds=1)) / Decimal(passed // timedelta(seconds=1))
    money = None if cost.money is None else cost.money * factor
    return Forecast(round(counts.tokens * factor), money)


def _share(lines: Sequence[Line], prices: Prices) -> Share:
    by_model: Mapping[str, Counts] = {line.model: line.counts for line in lines}
    return Share(
        lines[0].name,
        lines[0].slug,
        _sum(lines),
        prices.total(by_model.items()),
        all(prices.is_in_house(model) for model in by_model),
    )


def _sum(lines: Sequence[Line]) -> Counts:
    return sum((line.counts for line in lines), Counts())
