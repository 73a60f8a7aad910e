"""The cost model counts what the template has."""

from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from chalicelib.telemetry.metric_names import KIND, Metric
from infra.configuration import Deployment
from infra.costs.prices import figure

Resources = Mapping[str, Mapping[str, Any]]

KINDS_OF_JOB = 2
"""Extraction and indexing, each with metrics of its own."""


def properties_of(resources: Resources, kind: str) -> Iterator[Mapping[str, Any]]:
    for resource in resources.values():
        if resource["Type"] == kind:
            yield resource["Properties"]


def count(resources: Resources, kind: str) -> int:
    return sum(1 for _ in properties_of(resources, kind))


def metrics_of(alarm: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return what an alarm looks at: AWS takes the price for each metric of an expression."""
    return [each for each in alarm["Metrics"] if "MetricStat" in each] if "Metrics" in alarm else [alarm]


def test_what_is_billed_by_the_month_is_counted(resources: Resources) -> None:
    watched = [len(metrics_of(alarm)) for alarm in properties_of(resources, "AWS::CloudWatch::Alarm")]
    assert sum(watched) == figure("alarm_metrics")
    assert count(resources, "AWS::CloudWatch::Dashboard") == figure("dashboards")
    assert count(resources, "AWS::KMS::Key") == figure("keys")
    made_by_rds = 1
    assert count(resources, "AWS::SecretsManager::Secret") + made_by_rds == figure("secrets")


def test_interface_endpoints_are_counted_in_every_zone(resources: Resources) -> None:
    kinds = [
        each for each in properties_of(resources, "AWS::EC2::VPCEndpoint") if each["VpcEndpointType"] == "Interface"
    ]
    assert len(kinds) == figure("interface_endpoints")
    assert {len(each["SubnetIds"]) for each in kinds} == {figure("zones")}


def test_every_queue_with_a_function_is_polled_by_as_many_as_are_counted(resources: Resources) -> None:
    sources = list(properties_of(resources, "AWS::Lambda::EventSourceMapping"))
    queues = [resources[each["EventSourceArn"]["Fn::GetAtt"][0]]["Properties"] for each in sources]
    in_order = [queue for queue in queues if queue.get("FifoQueue")]
    assert len(in_order) == figure("polled_ordered_queues")
    assert len(queues) - len(in_order) == figure("polled_queues")
    assert all(each["ScalingConfig"]["MaximumConcurrency"] for each in sources), "AWS polls such queues by 5"


@pytest.mark.parametrize("name", ["api", "originals", "intake", "index", "sweep", "embedder"])
def test_a_function_is_billed_for_the_memory_that_it_has(
    resources: Resources, deployment: Deployment, name: str
) -> None:
    functions = [
        each
        for kind in ("AWS::Lambda::Function", "AWS::Serverless::Function")
        for each in properties_of(resources, kind)
        if str(each.get("FunctionName", "")).removeprefix(f"{deployment.name}-") in {name, name.removesuffix("der")}
    ]
    assert [each["MemorySize"] for each in functions] == [figure(f"{name}_mebibytes")]


def test_every_metric_of_ours_is_counted_for_each_kind_of_job() -> None:
    sets = [dimensions for each in Metric for dimensions in each.value.dimension_sets]
    assert sum(KINDS_OF_JOB if KIND in dimensions else 1 for dimensions in sets) == figure("own_metrics")


def test_the_cluster_is_woken_by_one_schedule_a_day(resources: Resources) -> None:
    schedules = [each["ScheduleExpression"] for each in properties_of(resources, "AWS::Scheduler::Schedule")]
    assert len(schedules) == figure("daily_sweeps")
    assert all(each.startswith("cron(") and each.endswith(" * * ? *)") for each in schedules)


def test_the_sessions_of_frozen_functions_end_when_the_model_says(resources: Resources) -> None:
    ends = [
        int(each["Parameters"]["idle_session_timeout"])
        for each in properties_of(resources, "AWS::RDS::DBClusterParameterGroup")
    ]
    assert ends == [figure("session_seconds") * 1000]
