"""The minute's schedule: sees to forgotten jobs."""

import logging
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from chalicelib.jobs.perform_job import Worker
from chalicelib.jobs.sweep_jobs import sweep_jobs

_LOGGER = logging.getLogger(__name__)


def sweep(_event: Mapping[str, Any], *, worker: Worker) -> Mapping[str, int]:
    """Do one round of the sweep; what the event says does not matter, only that it came."""
    report = asdict(sweep_jobs(worker))
    if any(report.values()):
        _LOGGER.info("Swept: %s", report)
    return report
