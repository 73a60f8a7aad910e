"""The workers and what asks them to work."""

from collections.abc import Mapping
from typing import Any

import pytest

from chalicelib.settings import Settings
from infra.configuration import DatabaseChoice, Deployment
from infra.connections import API_POOL, SINGLE_POOL, WORKER_POOL, shares_of
from infra.own_secrets import OWN_SECRETS
from infra.workers import TRADES
from tests.fixtures.deliveries import Resources


def _function(resources: Resources, deployment: Deployment, name: str) -> tuple[str, Mapping[str, Any]]:
    (found,) = [
        (logical_id, resource["Properties"])
        for logical_id, resource in resources.items()
        if resource.get("Properties", {}).get("FunctionName") == f"{deployment.name}-{name}"
    ]
    return found


@pytest.mark.parametrize("connections", [30, 31, 60, 180, 500, 5000])
def test_all_functions_at_once_have_connections_enough(connections: int) -> None:
    shares = shares_of(DatabaseChoice(connections=connections))
    assert shares.connections <= connections
    assert shares.api >= 5
    assert min(shares.originals, shares.intake, shares.index) >= 2


def test_event_sources_run_as_many_functions_as_the_database_bears(
    resources: Resources, deployment: Deployment
) -> None:
    held = 0
    for name in TRADES:
        logical_id, function = _function(resources, deployment, name)
        (mapping,) = [
            resource["Properties"]
            for resource in resources.values()
            if resource["Type"] == "AWS::Lambda::EventSourceMapping"
            and resource["Properties"]["FunctionName"] == {"Ref": logical_id}
        ]
        pool = int(function["Environment"]["Variables"]["LOREBASE_DATABASE_POOL_SIZE"])
        assert pool == (WORKER_POOL if name in {"intake", "index"} else SINGLE_POOL)
        held += mapping["ScalingConfig"]["MaximumConcurrency"] * pool
    assert held + API_POOL * shares_of(deployment.database).api <= deployment.database.connections


@pytest.mark.parametrize("name", list(TRADES))
def test_a_worker_is_told_by_settings_where_everything_is(
    resources: Resources, deployment: Deployment, name: str
) -> None:
    _, function = _function(resources, deployment, name)
    variables = function["Environment"]["Variables"]
    ours = {variable.removeprefix("LOREBASE_").lower() for variable in variables if variable.startswith("LOREBASE_")}
    assert ours <= set(Settings.model_fields)
    assert {
        "platform",
        "originals_bucket",
        "intake_queue_url",
        "index_queue_url",
        "sweep_queue_url",
        "secret_prefix",
        "database_host",
        "embedder",
    } <= ours
    assert function["VpcConfig"]["SubnetIds"]
    assert function["KmsKeyArn"]
    assert function["Handler"].startswith("chalicelib.triggers.functions.handle_")


def test_the_sweep_comes_once_a_day_and_never_by_the_minute(resources: Resources, deployment: Deployment) -> None:
    schedules = [r["Properties"] for r in resources.values() if r["Type"] == "AWS::Scheduler::Schedule"]
    sweep_id, _ = _function(resources, deployment, "sweep")
    (sweep,) = [each for each in schedules if each["Target"]["Arn"] == {"Fn::GetAtt": [sweep_id, "Arn"]}]
    assert sweep["ScheduleExpression"].startswith("cron(17 3 ")
    assert sweep["FlexibleTimeWindow"]["Mode"] == "FLEXIBLE"
    assert sweep["Target"]["DeadLetterConfig"]
    by_rate = [
        r["Properties"]["ScheduleExpression"]
        for r in resources.values()
        if r["Type"] == "AWS::Events::Rule" and "ScheduleExpression" in r["Properties"]
    ]
    assert by_rate == []


def test_rounds_of_the_sweep_come_a_minute_after_they_were_asked_for(resources: Resources) -> None:
    (queue,) = [
        r["Properties"]
        for r in resources.values()
        if r["Type"] == "AWS::SQS::Queue" and r["Properties"].get("QueueName") == "lorebase-test-sweep.fifo"
    ]
    assert (queue["DelaySeconds"], queue["FifoQueue"]) == (60, True)


def test_the_role_of_schedules_is_for_schedules_of_the_stage_alone(resources: Resources) -> None:
    (trust,) = [
        r["Properties"]["AssumeRolePolicyDocument"]["Statement"][0]
        for r in resources.values()
        if r["Type"] == "AWS::IAM::Role" and "scheduler" in str(r["Properties"]["AssumeRolePolicyDocument"])
    ]
    assert set(trust["Condition"]["StringEquals"]) == {"aws:SourceAccount", "aws:SourceArn"}


def test_what_keys_are_hashed_with_is_made_by_the_stage_and_outlives_it_with_the_data(
    resources: Resources, deployment: Deployment
) -> None:
    secrets = {
        r["Properties"]["Name"]: r
        for r in resources.values()
        if r["Type"] == "AWS::SecretsManager::Secret" and "Name" in r["Properties"]
    }
    for name in OWN_SECRETS:
        secret = secrets[f"lorebase/{deployment.stage}/{name}"]
        assert secret["DeletionPolicy"] == "RetainExceptOnCreate"
        assert secret["Properties"]["KmsKeyId"]
        assert secret["Properties"]["GenerateSecretString"]["PasswordLength"] * 5.95 > 255
