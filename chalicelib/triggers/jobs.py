"""The queue of jobs: each record names a job to do."""

import json
from collections.abc import Container, Mapping
from typing import Any
from uuid import UUID

from chalicelib.intake.reception import EXTRACT_UPLOAD
from chalicelib.jobs.model import JobId
from chalicelib.jobs.perform_job import Performance, Worker, perform_job
from chalicelib.telemetry.metric_names import Metric
from chalicelib.telemetry.metrics import Metrics
from chalicelib.triggers.records import answer_records

_FAILED = frozenset({Performance.DIED, Performance.DEAD})
_COUNTED = {
    Performance.DONE: Metric.JOBS_DONE,
    Performance.RETRIED: Metric.JOBS_RETRIED,
    Performance.REFUSED: Metric.JOBS_REFUSED,
    Performance.DIED: Metric.JOBS_DEAD,
}
_NO_METRICS = Metrics()


class MalformedRecord(ValueError):
    """A record names no job: it goes to the queue's dead letters, since it will never parse."""


def perform_jobs(event: Mapping[str, Any], *, worker: Worker, metrics: Metrics = _NO_METRICS) -> Mapping[str, Any]:
    """Do the jobs that an SQS event names, each by itself; return the partial batch response.

    A record counts as failed where its job used up its attempts, so that it ends among the queue's dead letters as
    the job does in the table, or where nothing could be tried. It is acknowledged where the job is over, not due,
    held by another worker, or to be tried again: the table says when, and has rung for it.
    """
    return answer_records(event, lambda record: _is_done(record, worker, metrics))


def _is_done(record: Mapping[str, Any], worker: Worker, metrics: Metrics) -> bool:
    performance = perform_job(worker, parse_job_id(record))
    _measure(metrics, performance, str(json.loads(record["body"]).get("kind")), kinds=worker.handlers)
    return performance not in _FAILED


def _measure(metrics: Metrics, performance: Performance, kind: str, *, kinds: Container[str]) -> None:
    """Count the delivery, under its kind where there is one of that name: each name is a metric that is paid for."""
    counted = {_COUNTED[performance]: 1.0} if performance in _COUNTED else {}
    if performance is Performance.REFUSED and kind == EXTRACT_UPLOAD:
        counted[Metric.FILES_REFUSED] = 1.0
    metrics.write(counted, kind=kind if kind in kinds else "unknown")


def parse_job_id(record: Mapping[str, Any]) -> JobId:
    """Return the job that a record names. Raises MalformedRecord."""
    try:
        return JobId(UUID(json.loads(record["body"])["job_id"]))
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
        raise MalformedRecord("the body of a job record is {job_id, kind}") from error
