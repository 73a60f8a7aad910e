"""What AWS Lambda calls: a function a queue and one for the schedule, on the process's application.

They live in the package, since the zip that Chalice makes holds nothing else; functions/ is for code that is
packaged apart.
"""

from collections.abc import Mapping
from functools import cache
from typing import Any
from uuid import uuid4

from chalicelib.bootstrap import application
from chalicelib.jobs.perform_job import Worker
from chalicelib.telemetry.correlation import correlated
from chalicelib.telemetry.log_lines import JsonLines, write_log_lines
from chalicelib.triggers.chores import chores_of
from chalicelib.triggers.deployment import prepare_or_raise
from chalicelib.triggers.edge import at_the_edge
from chalicelib.triggers.jobs import perform_jobs
from chalicelib.triggers.originals import Reception, receive_originals
from chalicelib.triggers.recovery import RECOVERY, recover_or_raise
from chalicelib.triggers.sweep import answer_sweep


@at_the_edge
def handle_originals(event: Mapping[str, Any]) -> Mapping[str, Any]:
    """Answer the queue of the bucket's events."""
    wired = application()
    reception = Reception(wired.database, wired.intake_rules, wired.clock, wired.metrics)
    return receive_originals(event, reception=reception)


@at_the_edge
def handle_jobs(event: Mapping[str, Any]) -> Mapping[str, Any]:
    """Answer a queue of jobs, of whatever kind."""
    wired = application()
    try:
        return perform_jobs(event, worker=_worker(), metrics=wired.metrics)
    finally:
        wired.metering.meter.flush_if_due()


@at_the_edge
def handle_sweep(event: Mapping[str, Any]) -> Mapping[str, Any]:
    """Answer the queue that asks for rounds of the sweep, and the day's schedule."""
    wired = application()
    return answer_sweep(event, worker=_worker(), chores=chores_of(wired), metrics=wired.metrics)


def handle_migrations(event: Mapping[str, Any] | None, context: object = None) -> Mapping[str, Any]:
    """Answer a deployment, which fails with the reason that this raises, or an operator who lost the last admin's key.

    A deployment sends no event of its own.
    """
    write_log_lines(JsonLines(), level="INFO")
    with correlated(getattr(context, "aws_request_id", None)):
        if event and RECOVERY in event:
            return recover_or_raise(event[RECOVERY])
        return prepare_or_raise()


def _worker() -> Worker:
    return application().worker(_worker_name())


@cache
def _worker_name() -> str:
    """Name the process, so that its leases can be told from those of others."""
    return f"lambda/{uuid4()}"
