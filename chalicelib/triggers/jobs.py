"""The queue of jobs: each record names a job to do."""

import json
from collections.abc import Mapping
from typing import Any
from uuid import UUID

from chalicelib.jobs.model import JobId
from chalicelib.jobs.perform_job import Performance, Worker, perform_job
from chalicelib.triggers.records import answer_records

_FAILED = frozenset({Performance.RETRIED, Performance.DIED})


class MalformedRecord(ValueError):
    """A record names no job: it goes to the queue's dead letters, since it will never parse."""


def perform_jobs(event: Mapping[str, Any], *, worker: Worker) -> Mapping[str, Any]:
    """Do the jobs that an SQS event names, each by itself; return the partial batch response.

    A record counts as failed where its job failed in this attempt (the table decides when the next is due,
    so a redelivery that comes too early does nothing) or where nothing could be tried; one whose job is
    over, not due or held by another worker is acknowledged.
    """
    return answer_records(event, lambda record: perform_job(worker, parse_job_id(record)) not in _FAILED)


def parse_job_id(record: Mapping[str, Any]) -> JobId:
    """Return the job that a record names. Raises MalformedRecord."""
    try:
        return JobId(UUID(json.loads(record["body"])["job_id"]))
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
        raise MalformedRecord("the body of a job record is {job_id, kind}") from error
