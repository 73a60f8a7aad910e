"""Writes metrics as log lines that CloudWatch reads by itself: no client, no request, no wait.

The form is Amazon's embedded metric format:
https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html
"""

import json
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TextIO

from chalicelib.telemetry.correlation import current_correlation_id
from chalicelib.telemetry.metric_names import KIND, NAMESPACE, STAGE, Metric


class Metrics:
    """Writes what edges measured, one line each time; writes nothing where it is off."""

    def __init__(self, *, stage: str = "", is_on: bool = False, stream: TextIO | None = None) -> None:
        self._stage, self._is_on, self._stream = stage, is_on, stream

    def write(self, values: Mapping[Metric, float], *, kind: str = "") -> None:
        """Write values that were measured in one moment; `kind` is that of the job, for metrics that have it."""
        if not self._is_on or not values:
            return
        line = embedded_metrics(
            values, stage=self._stage, kind=kind, at=datetime.now(UTC), correlation_id=current_correlation_id()
        )
        # One call, so that lines of several threads do not mingle.
        (self._stream or sys.stdout).write(json.dumps(line) + "\n")


def embedded_metrics(
    values: Mapping[Metric, float], *, stage: str, kind: str, at: datetime, correlation_id: str | None
) -> Mapping[str, object]:
    """Return the line: metrics of the same dimensions share a directive; the correlation id is searchable only."""
    directives = []
    for sets in sorted({metric.value.dimension_sets for metric in values}):
        alike = [metric.value for metric in values if metric.value.dimension_sets == sets]
        metrics = [{"Name": measure.name, "Unit": measure.unit} for measure in alike]
        directives.append({"Namespace": NAMESPACE, "Dimensions": [list(each) for each in sets], "Metrics": metrics})
    return {
        "_aws": {"Timestamp": int(at.timestamp() * 1000), "CloudWatchMetrics": directives},
        STAGE: stage,
        **({KIND: kind} if kind else {}),
        **{metric.value.name: value for metric, value in values.items()},
        "correlation_id": correlation_id,
    }
