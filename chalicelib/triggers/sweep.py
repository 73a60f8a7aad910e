"""Rounds of the sweep: sees to forgotten jobs, and to chores that other rooms give it."""

import logging
from collections.abc import Callable, Mapping
from dataclasses import asdict
from types import MappingProxyType
from typing import Any

from chalicelib.errors import Unavailable
from chalicelib.jobs.perform_job import Worker
from chalicelib.jobs.sweep_jobs import sweep_jobs
from chalicelib.telemetry.metric_names import Metric
from chalicelib.telemetry.metrics import Metrics

_LOGGER = logging.getLogger(__name__)

Chore = Callable[[], int]
"""Tidies a bounded part of something up, at any time, twice at once as well; returns how much it was."""


class RoundNotAskedFor(Exception):
    """The next round of the sweep could not be asked for."""


_NO_CHORES: Mapping[str, Chore] = MappingProxyType({})
_NO_METRICS = Metrics()


def sweep(
    _event: Mapping[str, Any],
    *,
    worker: Worker,
    chores: Mapping[str, Chore] = _NO_CHORES,
    metrics: Metrics = _NO_METRICS,
) -> Mapping[str, int]:
    """Do one round of the sweep; what the event says does not matter, only that it came.

    A chore that fails is logged and keeps nothing from the others; the next round tries it again.
    """
    swept = sweep_jobs(worker)
    metrics.write({Metric.JOBS_OPEN: swept.open, Metric.OLDEST_JOB_AGE: swept.oldest_seconds})
    report = {**asdict(swept), **{name: _do(name, chore) for name, chore in chores.items()}}
    if any(report.values()):
        _LOGGER.info("Swept: %s", report)
    return report


def answer_sweep(
    event: Mapping[str, Any],
    *,
    worker: Worker,
    chores: Mapping[str, Chore] = _NO_CHORES,
    metrics: Metrics = _NO_METRICS,
) -> Mapping[str, Any]:
    """Do the round that the sweep's queue or the day's schedule asks for; return the partial batch response.

    While a job is open that is due within the hour, or where the database is away and nobody knows, the next round is
    asked for; if that fails, the records come again. Otherwise nothing is asked for, and the database may sleep: what
    waits for longer is found by the round of the day.
    Raises RoundNotAskedFor where no records would come again, so that the schedule's event does.
    """
    try:
        is_over = not sweep(event, worker=worker, chores=chores, metrics=metrics)["open_for_now"]
    except Unavailable as error:
        _LOGGER.warning("The sweep has to wait: %s", error.detail)
        is_over = False
    if is_over or worker.queue.doorbell.announce():
        return {"batchItemFailures": []}
    if "Records" not in event:
        raise RoundNotAskedFor("A job is open, and the next round of the sweep could not be asked for.")
    return {"batchItemFailures": [{"itemIdentifier": record["messageId"]} for record in event["Records"]]}


def _do(name: str, chore: Chore) -> int:
    try:
        return chore()
    except Exception:  # the edge of the schedule: the other chores are due all the same
        _LOGGER.exception("The chore %s failed; the next sweep tries it again.", name)
        return 0
