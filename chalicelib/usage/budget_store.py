"""Reads and writes budgets and what counts against them."""

from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal

from chalicelib.database.statements import load_statements
from chalicelib.database.transaction import Row, Transaction
from chalicelib.identity.model import OrganizationId, PrincipalId, WorkspaceId
from chalicelib.usage.model import Budget, Counts, Month, Standing
from chalicelib.usage.prices import Prices

_SQL = load_statements(__package__, "budgets.sql")


def put_budget(
    tx: Transaction,
    organization_id: OrganizationId,
    workspace_id: WorkspaceId | None,
    *,
    tokens: int | None,
    money: Decimal | None,
    changed_by: PrincipalId,
    now: datetime,
) -> Budget:
    """Set a budget, or set it anew."""
    row = tx.fetch_one(
        _SQL["put_budget"],
        organization_id=organization_id,
        workspace_id=workspace_id,
        tokens=tokens,
        money=money,
        changed_by=changed_by,
        now=now,
    )
    if row is None:
        raise LookupError("a budget that was set is not there")
    return _budget(row)


def delete_budget(tx: Transaction, organization_id: OrganizationId, workspace_id: WorkspaceId | None) -> bool:
    """Drop a budget; tell whether there was one."""
    return bool(tx.execute(_SQL["delete_budget"], organization_id=organization_id, workspace_id=workspace_id))


def lock_budget(tx: Transaction, organization_id: OrganizationId, workspace_id: WorkspaceId | None) -> Budget | None:
    """Return a budget; nobody reads it to spend by until the transaction ends."""
    row = tx.fetch_one(_SQL["lock_budget"], organization_id=organization_id, workspace_id=workspace_id)
    return None if row is None else _budget(row)


def list_budgets(
    tx: Transaction, organization_id: OrganizationId, *, workspace_id: WorkspaceId | None
) -> Sequence[Budget]:
    """Return all budgets of an organization, or those that count for one workspace."""
    rows = tx.fetch_all(_SQL["list_budgets"], organization_id=organization_id, workspace_id=workspace_id)
    return [_budget(row) for row in rows]


def share_budgets(
    tx: Transaction, *, organization_id: OrganizationId | None, workspace_id: WorkspaceId | None
) -> Sequence[Budget]:
    """Return the budgets that a call for a workspace, or for an organization as a whole, counts against.

    They stay as they are until the transaction ends, so that who reads them is either running when one is raised, and
    woken, or reads the raised one.
    """
    rows = tx.fetch_all(_SQL["share_budgets"], organization_id=organization_id, workspace_id=workspace_id)
    return [_budget(row) for row in rows]


def standings_of(tx: Transaction, budgets: Sequence[Budget], *, month: Month, prices: Prices) -> Sequence[Standing]:
    """Return what a month has used of each of some budgets of one organization."""
    if not budgets:
        return []
    rows = tx.fetch_all(
        _SQL["list_spending"],
        organization_id=budgets[0].organization_id,
        month=month.first_day,
        workspace_ids=[budget.workspace_id for budget in budgets if budget.workspace_id],
    )
    return [_standing(budget, rows, month=month, prices=prices) for budget in budgets]


def _standing(budget: Budget, rows: Sequence[Row], *, month: Month, prices: Prices) -> Standing:
    spent = [
        (str(row["model"]), Counts(0, row["input_tokens"], row["output_tokens"]))
        for row in rows
        if row["workspace_id"] == budget.workspace_id
    ]
    cost = prices.total(spent)
    return Standing(
        budget=budget,
        month=month,
        tokens_used=sum(counts.tokens for _, counts in spent),
        money_used=cost.known,
        unpriced_tokens=cost.unpriced_tokens,
    )


def _budget(row: Row) -> Budget:
    return Budget(**row)
