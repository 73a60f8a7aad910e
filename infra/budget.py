"""A budget of the stage a month, which warns at four fifths and when the forecast is above it."""

from aws_cdk import aws_budgets as budgets
from aws_cdk import aws_sns as sns
from constructs import Construct

from infra.configuration import Deployment

STAGE_TAG = "lorebase:stage"
"""The tag that costs are told apart by, once it is activated in Billing as one for cost allocation."""


def add_budget(scope: Construct, *, deployment: Deployment, topic: sns.ITopic) -> None:
    """Watch what bears the stage's tag, by the name that Billing gives tags of users: user:<key>$<value>.

    https://docs.aws.amazon.com/cost-management/latest/userguide/budgets-create-filters.html
    """
    budget = budgets.CfnBudget(
        scope,
        "Budget",
        budget=budgets.CfnBudget.BudgetDataProperty(
            budget_name=deployment.name,
            budget_type="COST",
            time_unit="MONTHLY",
            budget_limit=budgets.CfnBudget.SpendProperty(amount=deployment.monthly_budget_usd or 0, unit="USD"),
            cost_filters={"TagKeyValue": [f"user:{STAGE_TAG}${deployment.stage}"]},
        ),
        notifications_with_subscribers=[
            _notification("ACTUAL", 80, topic),
            _notification("FORECASTED", 100, topic),
        ],
    )
    # With its policy: a budget is no subscriber of a topic that it may not write to.
    budget.node.add_dependency(topic)


def _notification(kind: str, percent: int, topic: sns.ITopic) -> budgets.CfnBudget.NotificationWithSubscribersProperty:
    return budgets.CfnBudget.NotificationWithSubscribersProperty(
        notification=budgets.CfnBudget.NotificationProperty(
            notification_type=kind, comparison_operator="GREATER_THAN", threshold=percent, threshold_type="PERCENTAGE"
        ),
        subscribers=[budgets.CfnBudget.SubscriberProperty(subscription_type="SNS", address=topic.topic_arn)],
    )
