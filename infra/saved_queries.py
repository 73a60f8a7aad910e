"""Questions to the logs that operators ask again and again, saved under the stage's name in Logs Insights."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from aws_cdk import aws_logs as logs
from constructs import Construct

from infra.configuration import Deployment

QUERIES: Mapping[str, Sequence[str]] = MappingProxyType(
    {
        "one request": (
            "fields @timestamp, level, message, logger, route, status, milliseconds, @log",
            'filter correlation_id = "put the X-Request-Id here" or request_id = "put the X-Request-Id here"',
            "sort @timestamp asc",
        ),
        "defects": (
            "fields @timestamp, message, route, correlation_id, causes.0, @log",
            'filter level = "ERROR" or ispresent(errorType)',
            "sort @timestamp desc",
            "limit 100",
        ),
        "failed requests": (
            "fields @timestamp, route, status, milliseconds, request_id",
            "filter message = 'answered' and status >= 500",
            "sort @timestamp desc",
            "limit 100",
        ),
        "slow requests": (
            "filter message = 'answered'",
            "stats count() as requests, pct(milliseconds, 50) as p50, pct(milliseconds, 95) as p95 by route",
            "sort p95 desc",
        ),
        "jobs that failed": (
            "fields @timestamp, message, correlation_id",
            "filter logger = 'chalicelib.jobs.perform_job'",
            "sort @timestamp desc",
            "limit 100",
        ),
        "cold starts": (
            "filter ispresent(record.metrics.initDurationMs)",
            "stats count() as starts, avg(record.metrics.initDurationMs) as milliseconds by @log",
        ),
    }
)
"""Each as its commands, by name. Log lines have the fields that chalicelib.telemetry.log_lines writes."""


def save_queries(scope: Construct, *, deployment: Deployment, log_groups: Sequence[str]) -> None:
    """Save all queries for the functions' logs; a saved query costs nothing until it is run."""
    for name, commands in QUERIES.items():
        logs.CfnQueryDefinition(
            scope,
            f"Query {name}",
            name=f"{deployment.name}/{name}",
            query_string="\n| ".join(commands),
            log_group_names=list(log_groups),
        )
