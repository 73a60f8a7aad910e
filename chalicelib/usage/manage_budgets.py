"""Sets, shows and clears what an organization or one of its workspaces may spend in a month."""

from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal

from chalicelib.audit.model import ActivityAction, SubjectKind
from chalicelib.audit.record_activity import record
from chalicelib.database.transaction import Transaction
from chalicelib.identity.manage_workspaces import read_workspace
from chalicelib.identity.model import OrganizationId, Principal, WorkspaceId
from chalicelib.identity.rights import Action, authorize, authorize_organization
from chalicelib.jobs.queue import JobQueue
from chalicelib.usage import budget_store
from chalicelib.usage.errors import BudgetNotFound, BudgetRefused, BudgetSpent
from chalicelib.usage.model import Budget, Month, Standing
from chalicelib.usage.prices import Prices

MOST_TOKENS = 10**15
MOST_MONEY = Decimal(10**9)


def set_budget(
    tx: Transaction,
    *,
    principal: Principal,
    organization_id: OrganizationId,
    workspace_id: WorkspaceId | None,
    tokens: int | None,
    money: Decimal | None,
    prices: Prices,
    queue: JobQueue,
) -> Standing:
    """Set what may be spent in each month from this one on, and wake what waits.

    Where it is still too little that waits on; 0 stops all work that is not a question. Raises
    OrganizationNotFound, WorkspaceNotFound, ActionForbidden, BudgetRefused.
    """
    _authorize(tx, principal, organization_id, workspace_id)
    _check(tokens, money, prices)
    now = queue.clock.now()
    before = budget_store.lock_budget(tx, organization_id, workspace_id)
    budget = budget_store.put_budget(
        tx, organization_id, workspace_id, tokens=tokens, money=money, changed_by=principal.id, now=now
    )
    _record(tx, principal, ActivityAction.BUDGET_SET, workspace_id, before=before, after=budget)
    queue.wake(tx, organization_id=organization_id, waiting_for=BudgetSpent.problem_type())
    return budget_store.standings_of(tx, [budget], month=Month.of(now), prices=prices)[0]


def clear_budget(
    tx: Transaction,
    *,
    principal: Principal,
    organization_id: OrganizationId,
    workspace_id: WorkspaceId | None,
    queue: JobQueue,
) -> None:
    """Let it spend what it likes, and wake what waits. Raises BudgetNotFound and what `set_budget` raises."""
    _authorize(tx, principal, organization_id, workspace_id)
    before = budget_store.lock_budget(tx, organization_id, workspace_id)
    if before is None:
        raise BudgetNotFound("No budget is set here.")
    budget_store.delete_budget(tx, organization_id, workspace_id)
    _record(tx, principal, ActivityAction.BUDGET_CLEARED, workspace_id, before=before, after=None)
    queue.wake(tx, organization_id=organization_id, waiting_for=BudgetSpent.problem_type())


def read_budget(
    tx: Transaction,
    *,
    principal: Principal,
    organization_id: OrganizationId,
    prices: Prices,
    now: datetime,
) -> Standing:
    """Return how the organization's own budget stands this month. Raises BudgetNotFound."""
    authorize_organization(principal, organization_id, Action.ADMINISTER)
    budgets = budget_store.list_budgets(tx, organization_id, workspace_id=None)
    own = [budget for budget in budgets if budget.workspace_id is None]
    return _only(budget_store.standings_of(tx, own, month=Month.of(now), prices=prices))


def read_workspace_budget(
    tx: Transaction, *, principal: Principal, workspace_id: WorkspaceId, prices: Prices, now: datetime
) -> Standing:
    """Return how a workspace's own budget stands this month. Raises BudgetNotFound."""
    authorize(principal, workspace_id, Action.MANAGE)
    budgets = budget_store.list_budgets(tx, principal.organization_id, workspace_id=workspace_id)
    own = [budget for budget in budgets if budget.workspace_id == workspace_id]
    return _only(budget_store.standings_of(tx, own, month=Month.of(now), prices=prices))


def _only(standings: Sequence[Standing]) -> Standing:
    if not standings:
        raise BudgetNotFound("No budget is set here.")
    return standings[0]


def _authorize(
    tx: Transaction, principal: Principal, organization_id: OrganizationId, workspace_id: WorkspaceId | None
) -> None:
    if workspace_id is not None:
        # A workspace of somebody else answers like one that is not there.
        read_workspace(tx, principal=principal, workspace_id=workspace_id)
    authorize_organization(principal, organization_id, Action.ADMINISTER)


def _check(tokens: int | None, money: Decimal | None, prices: Prices) -> None:
    if tokens is None and money is None:
        raise BudgetRefused("A budget is in tokens, in money, or both.")
    if tokens is not None and not 0 <= tokens <= MOST_TOKENS:
        raise BudgetRefused(f"A budget has 0 to {MOST_TOKENS} tokens.", limit=MOST_TOKENS)
    if money is None:
        return
    if not money.is_finite() or not 0 <= money <= MOST_MONEY:
        raise BudgetRefused(f"A budget has 0 to {MOST_MONEY} {prices.currency}.", limit=int(MOST_MONEY))
    if not prices.by_prefix:
        raise BudgetRefused(
            "A budget in money stops nothing while no model has a price: set LOREBASE_MODEL_PRICES, or say tokens."
        )


def _record(
    tx: Transaction,
    principal: Principal,
    action: ActivityAction,
    workspace_id: WorkspaceId | None,
    *,
    before: Budget | None,
    after: Budget | None,
) -> None:
    record(
        tx,
        principal=principal,
        workspace_id=workspace_id,
        action=action,
        subject_kind=SubjectKind.BUDGET,
        subject_id=workspace_id or principal.organization_id,
        before=_recorded(before),
        after=_recorded(after),
    )


def _recorded(budget: Budget | None) -> dict[str, object] | None:
    if budget is None:
        return None
    return {"tokens": budget.tokens, "money": None if budget.money is None else str(budget.money)}
