"""Asks before a call whether the budgets it counts against have anything left."""

import logging
import threading
from datetime import datetime, timedelta
from uuid import UUID

from chalicelib.database.database import Database
from chalicelib.identity.model import OrganizationId, WorkspaceId
from chalicelib.platform.ports import Clock
from chalicelib.usage import budget_store
from chalicelib.usage.errors import BudgetSpent
from chalicelib.usage.meter import Meter
from chalicelib.usage.model import BudgetState, Month, Standing
from chalicelib.usage.prices import Prices

_LOGGER = logging.getLogger(__name__)

TRUST_SECONDS = 5
"""How long a workspace without a budget is taken to have none: who indexes without one asks no more often."""

_MOST_TRUSTED = 10_000


class Gate:
    """One a process; thread-safe. It opens its own transactions, so that no caller may hold one meanwhile."""

    def __init__(self, database: Database, clock: Clock, meter: Meter, prices: Prices) -> None:
        self._database = database
        self._clock = clock
        self._meter = meter
        self._prices = prices
        self._lock = threading.Lock()
        self._free_until: dict[UUID, datetime] = {}
        self._said: set[tuple[UUID | None, Month, BudgetState]] = set()

    def require(self, *, organization_id: OrganizationId | None, workspace_id: WorkspaceId | None) -> None:
        """Let a call pass while all budgets it counts against have something left. Raises BudgetSpent.

        What a call will use is not known before it, so that each of several workers at the end of a budget may
        overshoot it by one call.
        """
        key = workspace_id or organization_id
        if key is None:
            return
        now = self._clock.now()
        with self._lock:
            if self._free_until.get(key, now) > now:
                return
        self._meter.flush()
        month = Month.of(now)
        with self._database.transaction() as tx:
            budgets = budget_store.share_budgets(tx, organization_id=organization_id, workspace_id=workspace_id)
            standings = budget_store.standings_of(tx, budgets, month=month, prices=self._prices)
        if not standings:
            self._trust(key, now)
        for standing in standings:
            self._warn(standing)
        for standing in standings:
            if standing.state is BudgetState.SPENT:
                raise spent(standing)

    def _trust(self, key: UUID, now: datetime) -> None:
        with self._lock:
            if len(self._free_until) >= _MOST_TRUSTED:
                self._free_until.clear()
            self._free_until[key] = now + timedelta(seconds=TRUST_SECONDS)

    def _warn(self, standing: Standing) -> None:
        """Write to the log, once a process and month, that a budget comes to its end."""
        budget, state = standing.budget, standing.state
        what = (budget.workspace_id or budget.organization_id, standing.month, state)
        with self._lock:
            is_known = what in self._said or state is BudgetState.WITHIN
            self._said.add(what)
        if not is_known:
            _LOGGER.warning(
                "The budget of %s %s for %s is %s: %d %% are used.",
                "workspace" if budget.workspace_id else "organization",
                what[0],
                standing.month,
                state,
                standing.share * 100,
            )


def spent(standing: Standing) -> BudgetSpent:
    """Say which budget is spent, and what helps."""
    budget = standing.budget
    whose = "workspace" if budget.workspace_id else "organization"
    resumes = standing.month.next.begin
    return BudgetSpent(
        f"The {whose}'s budget for models in {standing.month} is spent. The work waits, and goes on by itself on "
        f"{resumes:%Y-%m-%d} (UTC), or at once when an admin raises the budget: lorebase budget set.",
        waits_until=resumes,
        whose=whose,
        month=str(standing.month),
        resumes_at=resumes.isoformat(),
    )
