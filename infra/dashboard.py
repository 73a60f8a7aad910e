"""The one dashboard of a stage: requests, work, search, and what carries them."""

from collections.abc import Sequence

from aws_cdk import Duration
from aws_cdk import aws_cloudwatch as cloudwatch
from constructs import Construct

from chalicelib.telemetry.metric_names import Metric
from infra.configuration import Deployment
from infra.signals import Signals


def add_dashboard(scope: Construct, *, deployment: Deployment, signals: Signals) -> cloudwatch.Dashboard:
    """Draw the last day; an account's first three dashboards are free of charge, each further one 3 $ a month."""
    return cloudwatch.Dashboard(
        scope,
        "Dashboard",
        dashboard_name=deployment.name,
        default_interval=Duration.days(1),
        widgets=[
            _requests(signals),
            _work(signals),
            _queues(signals),
            _search(signals),
            _functions(signals),
            _database(signals),
            [_costs(deployment)],
        ],
    )


def _requests(signals: Signals) -> Sequence[cloudwatch.IWidget]:
    return [
        _graph("Requests", signals.of_api("Count", statistic="Sum")),
        _graph("Failed requests", *(signals.of_api(name, statistic="Sum") for name in ("4XXError", "5XXError"))),
        _graph("Time of a request, ms", *(signals.of_api("Latency", statistic=each) for each in ("p50", "p95"))),
    ]


def _work(signals: Signals) -> Sequence[cloudwatch.IWidget]:
    accepted = (Metric.ITEMS_CREATED, Metric.UPLOADS_ACCEPTED, Metric.FILES_REFUSED)
    ended = (Metric.JOBS_DONE, Metric.JOBS_RETRIED, Metric.JOBS_REFUSED, Metric.JOBS_DEAD)
    return [
        _graph("Accepted and refused", *(signals.own(metric) for metric in accepted)),
        _graph("Jobs by what came of them", *(signals.own_by_kind(metric) for metric in ended)),
        _graph(
            "Open jobs, and age of the oldest in seconds",
            signals.own(Metric.JOBS_OPEN, statistic="Maximum"),
            right=[signals.own(Metric.OLDEST_JOB_AGE, statistic="Maximum")],
        ),
    ]


def _queues(signals: Signals) -> Sequence[cloudwatch.IWidget]:
    waiting, age = "ApproximateNumberOfMessagesVisible", "ApproximateAgeOfOldestMessage"
    return [
        _graph("Messages that wait", *(signals.of_queue(q, waiting, statistic="Maximum") for q in signals.queues)),
        _graph("Age of the oldest, s", *(signals.of_queue(q, age, statistic="Maximum") for q in signals.queues)),
        _graph("Dead letters", *(signals.of_dead_letters(queue) for queue in signals.dead_letters)),
    ]


def _search(signals: Signals) -> Sequence[cloudwatch.IWidget]:
    times = (Metric.SEARCH_TIME, Metric.LEXICAL_TIME, Metric.SEMANTIC_TIME)
    embedded = (Metric.EMBEDDED_TEXTS, Metric.EMBEDDING_TOKENS)
    return [
        _graph("Time of a search, p50, ms", *(signals.own(metric, statistic="p50") for metric in times)),
        _graph("Time of a search, p95, ms", *(signals.own(metric, statistic="p95") for metric in times)),
        _graph(
            "Dropped lanes, and what was embedded",
            signals.own(Metric.LANES_DROPPED),
            right=[signals.own(metric) for metric in embedded],
        ),
    ]


def _functions(signals: Signals) -> Sequence[cloudwatch.IWidget]:
    names = [*signals.functions, *(["embedder"] if signals.embedder else [])]
    return [
        _graph("Errors of functions", *(signals.of_function(name, "Errors") for name in names)),
        _graph("Throttles", *(signals.of_function(name, "Throttles") for name in names)),
        _graph(
            "Time of functions, p95, ms", *(signals.of_function(name, "Duration", statistic="p95") for name in names)
        ),
    ]


def _database(signals: Signals) -> Sequence[cloudwatch.IWidget]:
    return [
        _graph("Database, capacity units", signals.of_database("ServerlessDatabaseCapacity", statistic="Average")),
        _graph("Database, connections", signals.of_database("DatabaseConnections", statistic="Maximum")),
        _graph(
            "Database, share of its largest size, %",
            signals.of_database("ACUUtilization", statistic="Average"),
            signals.of_database("CPUUtilization", statistic="Average"),
        ),
    ]


def _costs(deployment: Deployment) -> cloudwatch.IWidget:
    budget = f"of {deployment.monthly_budget_usd} $" if deployment.monthly_budget_usd else "none; monthly_budget_usd"
    return cloudwatch.TextWidget(
        markdown=(
            f"**Costs**: Cost Explorer, filtered by the tag `lorebase:stage` = `{deployment.stage}`."
            f" Monthly budget: {budget}. Each capacity unit of the database costs by the hour while it is above 0."
            " What alarms mean and what to do: `docs/aws-operations.md`."
        ),
        width=24,
        height=2,
    )


def _graph(title: str, *left: cloudwatch.IMetric, right: Sequence[cloudwatch.IMetric] = ()) -> cloudwatch.GraphWidget:
    return cloudwatch.GraphWidget(title=title, left=list(left), right=list(right), width=8, height=6)
