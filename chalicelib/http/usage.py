"""Usage: what models used, by whom and for what, and the budgets that it is held to."""

from chalicelib.http.routing import Answer, Call, NoBody, NoQuery, Routes
from chalicelib.http.usage_resources import (
    BudgetResource,
    NewBudget,
    UsageQuery,
    UsageResource,
    usage_resource,
)
from chalicelib.identity.errors import OrganizationNotFound, WorkspaceNotFound
from chalicelib.identity.rights import ActionForbidden
from chalicelib.usage.errors import BudgetNotFound, BudgetRefused, MonthMalformed
from chalicelib.usage.manage_budgets import clear_budget, read_budget, read_workspace_budget, set_budget
from chalicelib.usage.model import Month, Standing
from chalicelib.usage.report_usage import report_usage, report_workspace_usage

routes = Routes("usage")

_OF_ORGANIZATION = (OrganizationNotFound, ActionForbidden)
_OF_WORKSPACE = (WorkspaceNotFound, ActionForbidden)
_BUDGET = "/v1/organizations/{organization_id}/budget"
_WORKSPACE_BUDGET = "/v1/workspaces/{workspace_id}/budget"


@routes.on(
    "GET",
    "/v1/organizations/{organization_id}/usage",
    query=UsageQuery,
    body=NoBody,
    answers={200: UsageResource},
    problems=(*_OF_ORGANIZATION, MonthMalformed),
    is_transaction=False,
)
def show_usage(call: Call[UsageQuery, NoBody]) -> Answer:
    """Show what models used in a month, by day, workspace, purpose or model, what it cost, and all budgets."""
    month = _month(call)
    with call.application.database.transaction() as tx:
        report = report_usage(
            tx,
            principal=call.principal,
            organization_id=call.organization_id,
            month=month,
            by=call.query.by,
            prices=call.application.metering.prices,
            now=call.application.clock.now(),
        )
    return Answer(body=usage_resource(report))


@routes.on(
    "GET",
    "/v1/workspaces/{workspace_id}/usage",
    query=UsageQuery,
    body=NoBody,
    answers={200: UsageResource},
    problems=(*_OF_WORKSPACE, MonthMalformed),
    is_transaction=False,
)
def show_workspace_usage(call: Call[UsageQuery, NoBody]) -> Answer:
    """Show its owners what models used for the workspace in a month, what it cost, and its budget."""
    month = _month(call)
    with call.application.database.transaction() as tx:
        report = report_workspace_usage(
            tx,
            principal=call.principal,
            workspace_id=call.workspace_id,
            month=month,
            by=call.query.by,
            prices=call.application.metering.prices,
            now=call.application.clock.now(),
        )
    return Answer(body=usage_resource(report))


@routes.on(
    "GET",
    _BUDGET,
    query=NoQuery,
    body=NoBody,
    answers={200: BudgetResource},
    problems=(*_OF_ORGANIZATION, BudgetNotFound),
)
def show_budget(call: Call[NoQuery, NoBody]) -> Answer:
    """Show what the organization may spend in a month, and how this one stands."""
    standing = read_budget(
        call.tx,
        principal=call.principal,
        organization_id=call.organization_id,
        prices=call.application.metering.prices,
        now=call.application.clock.now(),
    )
    return _shown(call, standing)


@routes.on(
    "PUT",
    _BUDGET,
    query=NoQuery,
    body=NewBudget,
    answers={200: BudgetResource},
    problems=(*_OF_ORGANIZATION, BudgetRefused),
)
def put_budget(call: Call[NoQuery, NewBudget]) -> Answer:
    """Set what the organization may spend in a month; waiting work goes on where something is left."""
    standing = set_budget(
        call.tx,
        principal=call.principal,
        organization_id=call.organization_id,
        workspace_id=None,
        tokens=call.body.tokens,
        money=call.body.money,
        prices=call.application.metering.prices,
        queue=call.application.jobs,
    )
    return _shown(call, standing)


@routes.on(
    "DELETE",
    _BUDGET,
    query=NoQuery,
    body=NoBody,
    answers={204: None},
    problems=(*_OF_ORGANIZATION, BudgetNotFound),
)
def delete_budget(call: Call[NoQuery, NoBody]) -> Answer:
    """Let the organization spend what it likes; its workspaces' budgets stay."""
    clear_budget(
        call.tx,
        principal=call.principal,
        organization_id=call.organization_id,
        workspace_id=None,
        queue=call.application.jobs,
    )
    return Answer(204)


@routes.on(
    "GET",
    _WORKSPACE_BUDGET,
    query=NoQuery,
    body=NoBody,
    answers={200: BudgetResource},
    problems=(*_OF_WORKSPACE, BudgetNotFound),
)
def show_workspace_budget(call: Call[NoQuery, NoBody]) -> Answer:
    """Show its owners what the workspace may spend in a month, and how this one stands."""
    standing = read_workspace_budget(
        call.tx,
        principal=call.principal,
        workspace_id=call.workspace_id,
        prices=call.application.metering.prices,
        now=call.application.clock.now(),
    )
    return _shown(call, standing)


@routes.on(
    "PUT",
    _WORKSPACE_BUDGET,
    query=NoQuery,
    body=NewBudget,
    answers={200: BudgetResource},
    problems=(*_OF_WORKSPACE, BudgetRefused),
)
def put_workspace_budget(call: Call[NoQuery, NewBudget]) -> Answer:
    """Set what the workspace may spend in a month, beside the organization's own; for admins of the organization."""
    standing = set_budget(
        call.tx,
        principal=call.principal,
        organization_id=call.principal.organization_id,
        workspace_id=call.workspace_id,
        tokens=call.body.tokens,
        money=call.body.money,
        prices=call.application.metering.prices,
        queue=call.application.jobs,
    )
    return _shown(call, standing)


@routes.on(
    "DELETE",
    _WORKSPACE_BUDGET,
    query=NoQuery,
    body=NoBody,
    answers={204: None},
    problems=(*_OF_WORKSPACE, BudgetNotFound),
)
def delete_workspace_budget(call: Call[NoQuery, NoBody]) -> Answer:
    """Let the workspace spend what the organization may; for admins of the organization."""
    clear_budget(
        call.tx,
        principal=call.principal,
        organization_id=call.principal.organization_id,
        workspace_id=call.workspace_id,
        queue=call.application.jobs,
    )
    return Answer(204)


def _month(call: Call[UsageQuery, NoBody]) -> Month | None:
    """Return the month that is asked for; what this process used until now is in the ledger then."""
    month = None if call.query.month is None else Month.read(call.query.month)
    call.application.metering.meter.flush()
    return month


def _shown(call: Call[NoQuery, NoBody] | Call[NoQuery, NewBudget], standing: Standing) -> Answer:
    return Answer(body=BudgetResource.of(standing, currency=call.application.metering.prices.currency))
