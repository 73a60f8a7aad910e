"""What watches a stage: it reads metrics that exist, says what to do, and tells whom it should."""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import aws_cdk as cdk
import pytest
from aws_cdk import aws_sns as sns
from aws_cdk.assertions import Template

from chalicelib.telemetry.metric_names import KIND, NAMESPACE, STAGE, Metric
from infra.alarms import Alarms
from infra.budget import STAGE_TAG
from infra.configuration import DatabaseChoice, Deployment
from infra.saved_queries import QUERIES
from infra.signals import Signals
from tests.fixtures.stage_templates import Resources, flat, of_type

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "aws-operations.md").read_text("utf-8")
ALARM_METRICS = 24
OF_AWS = {
    "AWS/ApiGateway": {"Count", "4XXError", "5XXError", "Latency"},
    "AWS/Lambda": {"Errors", "Throttles", "Duration"},
    "AWS/SQS": {"ApproximateNumberOfMessagesVisible", "ApproximateAgeOfOldestMessage", "NumberOfMessagesReceived"},
    "AWS/RDS": {"ServerlessDatabaseCapacity", "ACUUtilization", "CPUUtilization", "DatabaseConnections"},
}
"""Metrics that AWS documents: .../apigateway/.../api-gateway-metrics-and-dimensions.html,
.../lambda/.../monitoring-metrics-types.html, .../SQSDeveloperGuide/sqs-available-cloudwatch-metrics.html and
.../AuroraUserGuide/aurora-serverless-v2.setting-capacity.html."""


def alarms(resources: Resources) -> Mapping[str, Mapping[str, Any]]:
    return {each["AlarmName"]: each for each in of_type(resources, "AWS::CloudWatch::Alarm").values()}


def metrics_of(alarm: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    if "Metrics" in alarm:
        return [each["MetricStat"]["Metric"] for each in alarm["Metrics"] if "MetricStat" in each]
    return [alarm]


def widgets(resources: Resources) -> Iterator[Mapping[str, Any]]:
    (dashboard,) = of_type(resources, "AWS::CloudWatch::Dashboard").values()
    yield from json.loads(flat(dashboard["DashboardBody"]))["widgets"]


def drawn(resources: Resources) -> Iterator[tuple[str, str, Mapping[str, str]]]:
    """Yield (namespace, name, dimensions) of all that the dashboard draws; of searches, what they look for."""
    for widget in widgets(resources):
        for metric in widget["properties"].get("metrics", []):
            if isinstance(metric[0], str):
                names = [each for each in metric[2:] if isinstance(each, str)]
                yield metric[0], metric[1], dict(zip(names[::2], names[1::2], strict=True))
            else:
                schema, name = re.findall(r'\{([^}]*)\} MetricName="(\w+)"', metric[0]["expression"])[0]
                namespace, *dimensions = schema.split(",")
                yield namespace, name, dict.fromkeys(dimensions, "")


def watched(resources: Resources) -> Iterator[tuple[str, str, Mapping[str, str]]]:
    for alarm in alarms(resources).values():
        for metric in metrics_of(alarm):
            dimensions = {each["Name"]: flat(each["Value"]) for each in metric["Dimensions"]}
            yield metric["Namespace"], metric["MetricName"], dimensions


def test_what_is_drawn_and_watched_exists(resources: Resources) -> None:
    written = {(metric.value.name, frozenset(each)) for metric in Metric for each in metric.value.dimension_sets}
    for namespace, name, dimensions in [*drawn(resources), *watched(resources)]:
        if namespace == NAMESPACE:
            assert (name, frozenset(dimensions)) in written
            assert dimensions[STAGE] in {"test", ""}
        else:
            assert name in OF_AWS[namespace]


def test_every_metric_of_ours_is_drawn(resources: Resources) -> None:
    assert {name for namespace, name, _ in drawn(resources) if namespace == NAMESPACE} == {
        metric.value.name for metric in Metric
    }


def test_what_is_drawn_and_watched_belongs_to_the_stage(resources: Resources) -> None:
    queues = {f"<{name}.QueueName>" for name in of_type(resources, "AWS::SQS::Queue")}
    functions = {f"<{name}>" for name in of_type(resources, "AWS::Lambda::Function")} | {"lorebase-test-api"}
    (cluster,) = of_type(resources, "AWS::RDS::DBCluster")
    (api,) = of_type(resources, "AWS::Serverless::Api").values()
    known = {
        "QueueName": queues,
        "FunctionName": functions,
        "DBClusterIdentifier": {f"<{cluster}>"},
        "ApiName": {api["Name"]},
        "Stage": {api["StageName"], "test"},
    }
    for _, _, dimensions in watched(resources):
        assert all(value in known[name] for name, value in dimensions.items())


def test_every_alarm_says_what_it_means_and_what_to_do_and_so_does_the_page(resources: Resources) -> None:
    names = set()
    for name, alarm in alarms(resources).items():
        assert re.fullmatch(
            r".{30,}\. What to do: .{20,}\. More in docs/aws-operations\.md\.", alarm["AlarmDescription"]
        )
        assert len(alarm["AlarmDescription"]) <= 1024
        names.add(name.removeprefix("lorebase-test-"))
    told = set(re.findall(r"^\| `([a-z-]+)` \| .+ \| .+ \| .+ \|$", PAGE, re.MULTILINE))
    assert told == names


def test_an_alarm_tells_when_it_goes_off_and_when_all_is_well_and_silence_is_no_trouble(resources: Resources) -> None:
    (topic,) = of_type(resources, "AWS::SNS::Topic")
    for alarm in alarms(resources).values():
        assert alarm["AlarmActions"] == alarm["OKActions"] == [{"Ref": topic}]
        assert alarm["TreatMissingData"] == "notBreaching"
    (subscription,) = of_type(resources, "AWS::SNS::Subscription").values()
    assert (subscription["Protocol"], subscription["Endpoint"]) == ("email", "ops@example.com")


def test_alarms_read_as_many_metrics_as_the_page_says(resources: Resources) -> None:
    assert sum(len(metrics_of(alarm)) for alarm in alarms(resources).values()) == ALARM_METRICS
    assert f"They read {ALARM_METRICS} metrics in all" in PAGE


def test_every_dead_letter_queue_is_watched(resources: Resources) -> None:
    dead = {
        f"<{name}.QueueName>"
        for name, each in of_type(resources, "AWS::SQS::Queue").items()
        if "-dead" in each["QueueName"]
    }
    alarm = alarms(resources)["lorebase-test-dead-letters"]
    assert {flat(each["Dimensions"][0]["Value"]) for each in metrics_of(alarm)} == dead
    assert (len(dead), alarm["Threshold"], alarm["EvaluationPeriods"]) == (5, 0, 1)


def test_the_budget_is_that_of_the_stages_tag(resources: Resources) -> None:
    (budget,) = of_type(resources, "AWS::Budgets::Budget").values()
    assert budget["Budget"]["CostFilters"] == {"TagKeyValue": ["user:lorebase:stage$test"]}
    assert budget["Budget"]["BudgetLimit"] == {"Amount": 100, "Unit": "USD"}
    (topic,) = of_type(resources, "AWS::SNS::Topic")
    subscribers = [each["Subscribers"] for each in budget["NotificationsWithSubscribers"]]
    assert subscribers == [[{"Address": {"Ref": topic}, "SubscriptionType": "SNS"}]] * 2
    (whole,) = [each for each in resources.values() if each["Type"] == "AWS::Budgets::Budget"]
    assert of_type(resources, "AWS::SNS::TopicPolicy").keys() <= set(whole["DependsOn"])
    tagged = [each["Tags"] for each in of_type(resources, "AWS::RDS::DBCluster").values()]
    assert {"Key": STAGE_TAG, "Value": "test"} in tagged[0]


def test_saved_queries_are_on_the_page_and_ask_for_fields_that_lines_have(resources: Resources) -> None:
    saved = {each["Name"]: each for each in of_type(resources, "AWS::Logs::QueryDefinition").values()}
    assert saved.keys() == {f"lorebase-test/{name}" for name in QUERIES}
    assert {name for name in QUERIES if f"| `{name}` |" not in PAGE} == set()
    ours = {
        "timestamp",
        "level",
        "logger",
        "message",
        "correlation_id",
        "route",
        "status",
        "milliseconds",
        "request_id",
    }
    theirs = {"errorType", "record", "causes"}
    for query in QUERIES.values():
        for command in query:
            if command.startswith("fields"):
                fields = [each.strip() for each in command.removeprefix("fields ").split(",")]
                assert {each.split(".")[0] for each in fields if not each.startswith("@")} <= ours | theirs
    groups = {flat(group) for each in saved.values() for group in each["LogGroupNames"]}
    assert len(groups) == 7


@pytest.mark.parametrize("metric", Metric, ids=lambda metric: metric.name)
def test_the_page_tells_what_each_metric_counts(metric: Metric) -> None:
    assert f"`{metric.value.name}`" in PAGE.partition("## Metrics")[2].partition("\n## ")[0]
    assert (KIND in {name for each in metric.value.dimension_sets for name in each}) == metric.value.name.startswith(
        ("JobsD", "JobsR")
    )


def test_a_stage_that_cannot_pause_and_has_no_embedder_has_no_alarms_on_them() -> None:
    stack = cdk.Stack(cdk.App(), "small")
    names = {"api": "a", "index": "i"}
    signals = Signals(
        stage="small",
        api="a",
        api_stage="s",
        functions=names,
        embedder=None,
        queues=names,
        dead_letters=names,
        cluster="c",
    )
    always_on = Deployment(stage="small", embedder="none", database=DatabaseChoice(least_units=0.5))
    Alarms(stack, "Alarms", deployment=always_on, signals=signals, topic=sns.Topic(stack, "Topic"))
    found = Template.from_stack(stack).find_resources("AWS::CloudWatch::Alarm").values()
    names_of = {each["Properties"]["AlarmName"].removeprefix("lorebase-small-") for each in found}
    assert len(names_of) == 8
    assert names_of & {"awake-database", "embedder-errors"} == set()
