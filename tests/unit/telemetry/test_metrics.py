"""Metrics are lines that CloudWatch can read, and are off unless they are asked for."""

import json
from datetime import UTC, datetime
from io import StringIO
from typing import Any

import pytest
from openapi_schema_validator import OAS31Validator

from chalicelib.telemetry.correlation import correlated
from chalicelib.telemetry.metric_names import KIND, NAMESPACE, STAGE, Metric
from chalicelib.telemetry.metrics import Metrics, embedded_metrics

UNITS = [
    "Seconds",
    "Microseconds",
    "Milliseconds",
    "Bytes",
    "Kilobytes",
    "Megabytes",
    "Gigabytes",
    "Percent",
    "Count",
    "None",
]
TEXT = {"type": "string", "minLength": 1}
# The specification's own rules: .../CloudWatch_Embedded_Metric_Format_Specification.html
LINE = {
    "type": "object",
    "required": ["_aws"],
    "properties": {
        "_aws": {
            "type": "object",
            "required": ["Timestamp", "CloudWatchMetrics"],
            "properties": {
                "Timestamp": {"type": "integer"},
                "CloudWatchMetrics": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "required": ["Namespace", "Dimensions", "Metrics"],
                        "properties": {
                            "Namespace": {**TEXT, "maxLength": 1024},
                            "Dimensions": {
                                "type": "array",
                                "minItems": 1,
                                "items": {"type": "array", "maxItems": 30, "items": {**TEXT, "maxLength": 250}},
                            },
                            "Metrics": {
                                "type": "array",
                                "maxItems": 100,
                                "items": {
                                    "type": "object",
                                    "required": ["Name"],
                                    "properties": {"Name": {**TEXT, "maxLength": 1024}, "Unit": {"enum": UNITS}},
                                },
                            },
                        },
                    },
                },
            },
        }
    },
}
NOW = datetime(2026, 11, 30, tzinfo=UTC)


def line_of(*metrics: Metric) -> dict[str, Any]:
    values = {metric: float(number) for number, metric in enumerate(metrics, start=1)}
    return dict(embedded_metrics(values, stage="dev", kind="index_item", at=NOW, correlation_id="request-1"))


@pytest.mark.parametrize("metric", Metric, ids=lambda metric: metric.name)
def test_each_metric_obeys_the_format_and_refers_to_members_that_are_there(metric: Metric) -> None:
    line = line_of(metric)
    OAS31Validator(LINE).validate(line)
    (directive,) = line["_aws"]["CloudWatchMetrics"]
    referred = {name for names in directive["Dimensions"] for name in names}
    assert {name: type(line[name]) for name in referred} == dict.fromkeys(referred, str)
    assert line[metric.value.name] == 1.0
    assert STAGE in referred
    assert directive["Namespace"] == NAMESPACE


def test_metrics_over_different_dimensions_are_told_apart_in_one_line() -> None:
    line = line_of(*Metric)
    OAS31Validator(LINE).validate(line)
    named = [metric["Name"] for directive in line["_aws"]["CloudWatchMetrics"] for metric in directive["Metrics"]]
    assert sorted(named) == sorted(metric.value.name for metric in Metric)
    assert line["_aws"]["Timestamp"] == 1_795_996_800_000
    assert (line[STAGE], line[KIND], line["correlation_id"]) == ("dev", "index_item", "request-1")


def test_each_write_is_a_line_and_nothing_is_written_where_it_is_off() -> None:
    on, off = StringIO(), StringIO()
    for stream, is_on in ((on, True), (off, False)):
        metrics = Metrics(stage="dev", is_on=is_on, stream=stream)
        with correlated("request-2"):
            metrics.write({Metric.ITEMS_CREATED: 1})
        metrics.write({})
        metrics.write({Metric.JOBS_DONE: 1}, kind="index_item")
    lines = [json.loads(line) for line in on.getvalue().splitlines()]
    assert [(line["correlation_id"], KIND in line) for line in lines] == [("request-2", False), (None, True)]
    assert off.getvalue() == ""
