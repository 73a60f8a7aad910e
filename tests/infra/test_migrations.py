"""The step that prepares the database: it alone is the master, it is called in time, and it goes with the stack."""

import importlib
import json
from collections.abc import Mapping
from typing import Any

import pytest

from chalicelib.triggers.deployment import OWNER_KEY
from infra import migrations
from infra.permissions import MIGRATIONS
from tests.fixtures.foundations import DEPLOYMENTS, Resource, only, statements, templates


@pytest.fixture(params=sorted(DEPLOYMENTS))
def resources(request: pytest.FixtureRequest) -> Mapping[str, Resource]:
    return templates()[request.param]


@pytest.fixture
def function(resources: Mapping[str, Resource]) -> Mapping[str, Any]:
    found: Mapping[str, Any] = only(resources, "AWS::Lambda::Function", prefix="Migrations")["Properties"]
    return found


def test_the_handler_is_there(function: Mapping[str, Any]) -> None:
    module, _, name = function["Handler"].rpartition(".")
    assert callable(getattr(importlib.import_module(module), name))


def test_it_is_called_whenever_it_is_another_and_waited_for(
    resources: Mapping[str, Resource], function: Mapping[str, Any]
) -> None:
    trigger = only(resources, "Custom::Trigger")["Properties"]
    version = resources[trigger["HandlerArn"]["Ref"]]
    assert version["Type"] == "AWS::Lambda::Version"
    assert trigger["ExecuteOnHandlerChange"] is True
    assert trigger["InvocationType"] == "RequestResponse"
    assert int(trigger["Timeout"]) == function["Timeout"] * 1000
    caller = only(resources, "AWS::Lambda::Function", prefix="AWSCDKTrigger")["Properties"]
    assert function["Timeout"] < caller["Timeout"] == 900


def test_it_comes_after_the_database_and_before_what_serves(resources: Mapping[str, Resource]) -> None:
    [trigger] = [name for name, resource in resources.items() if resource["Type"] == "Custom::Trigger"]
    before = {resources[name]["Type"] for name in resources[trigger]["DependsOn"]}
    assert {"AWS::RDS::DBCluster", "AWS::RDS::DBInstance", "AWS::EC2::VPCEndpoint"} <= before
    assert trigger in only(resources, "AWS::Lambda::Function", prefix="Served")["DependsOn"]


def test_it_goes_past_the_proxy_with_the_masters_secret(
    resources: Mapping[str, Resource], function: Mapping[str, Any]
) -> None:
    [cluster] = [name for name, resource in resources.items() if resource["Type"] == "AWS::RDS::DBCluster"]
    variables = function["Environment"]["Variables"]
    assert variables["LOREBASE_DATABASE_HOST"] == {"Fn::GetAtt": [cluster, "Endpoint.Address"]}
    assert variables["LOREBASE_DATABASE_PROXIED"] == "false"
    assert variables["LOREBASE_DATABASE_MASTER_SECRET"] == {"Fn::GetAtt": [cluster, "MasterUserSecret.SecretArn"]}


def test_it_may_do_what_the_table_says_and_enter_network_and_log(resources: Mapping[str, Resource]) -> None:
    granted = [s for s in statements(resources, "MigrationsMigrationsRole") if "Sid" not in s]
    assert [as_list(statement["Action"]) for statement in granted] == [list(p.actions) for p in MIGRATIONS]
    named = json.dumps([statement["Resource"] for statement in granted])
    assert '"*"' not in named
    for part in ("MasterUserSecret.SecretArn", "/api-key-pepper-??????", "MigrationsOwnerKey", "EncryptionKey"):
        assert part in named
    others = {s["Sid"] for s in statements(resources, "MigrationsMigrationsRole") if "Sid" in s}
    assert others == {"EnterTheNetwork", "WriteTheLog"}


def test_nobody_else_may_read_the_masters_secret(resources: Mapping[str, Resource]) -> None:
    readers = [
        name
        for name, resource in resources.items()
        if resource["Type"] == "AWS::IAM::Policy" and "MasterUserSecret" in json.dumps(resource)
    ]
    assert len(readers) == 1
    assert readers[0].startswith("MigrationsMigrationsRole")


def test_the_owners_key_has_a_place_that_is_encrypted_and_empty(resources: Mapping[str, Resource]) -> None:
    secret = only(resources, "AWS::SecretsManager::Secret")
    properties = secret["Properties"]
    assert properties["Name"].endswith(f"/{OWNER_KEY}")
    assert properties["KmsKeyId"] == {"Fn::GetAtt": ["EncryptionKey3A692D6E", "Arn"]}
    assert "SecretString" not in properties
    assert "GenerateSecretString" not in properties
    assert migrations.OWNER_KEY == OWNER_KEY


@pytest.mark.parametrize(("kind", "policy"), [("endpoints", "RetainExceptOnCreate"), ("nat", "Delete")])
def test_the_owners_key_stays_with_data_that_is_kept(kind: str, policy: str) -> None:
    assert only(templates()[kind], "AWS::SecretsManager::Secret")["DeletionPolicy"] == policy


def test_the_logs_of_both_functions_go_with_the_stack(resources: Mapping[str, Resource]) -> None:
    for prefix in ("Migrations", "AWSCDKTrigger"):
        function = only(resources, "AWS::Lambda::Function", prefix=prefix)["Properties"]
        log = resources[function["LoggingConfig"]["LogGroup"]["Ref"]]
        assert log["DeletionPolicy"] == "Delete"
        assert "KmsKeyId" in log["Properties"]


def as_list(actions: str | list[str]) -> list[str]:
    return [actions] if isinstance(actions, str) else actions


def test_the_caller_writes_to_a_log_that_is_there_and_makes_none(resources: Mapping[str, Resource]) -> None:
    caller = only(resources, "AWS::Lambda::Function", prefix="AWSCDKTrigger")
    log = caller["Properties"]["LoggingConfig"]["LogGroup"]["Ref"]
    assert resources[log]["DeletionPolicy"] == "Delete"
    role = caller["Properties"]["Role"]["Fn::GetAtt"][0]
    assert "ManagedPolicyArns" not in resources[role]["Properties"]
    [policy] = [
        name
        for name, each in resources.items()
        if each["Type"] == "AWS::IAM::Policy" and {"Ref": role} in each["Properties"]["Roles"]
    ]
    assert policy in caller["DependsOn"]
    [statement] = resources[policy]["Properties"]["PolicyDocument"]["Statement"]
    assert statement["Action"] == ["logs:CreateLogStream", "logs:PutLogEvents"]
    assert statement["Resource"] == {"Fn::GetAtt": [log, "Arn"]}
