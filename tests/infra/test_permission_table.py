"""The table that docs/aws-permissions.md shows is what roles may do: no less, and no more."""

from collections.abc import Mapping

import pytest

from infra.permissions import (
    EVERY_FUNCTION,
    EVERY_WORKER,
    MIGRATIONS,
    OUTSIDE,
    PERMISSIONS,
    Permission,
)
from infra.permissions_page import PAGE, permissions_page
from tests.fixtures.stage_templates import (
    Permit,
    Resources,
    flat,
    functions_by_name,
    named,
    of_type,
    permits_of,
    role_of,
)

STAGE = "lorebase-test"
ACCOUNT = "<AWS::Region>:<AWS::AccountId>"
PRINCIPALS = (*PERMISSIONS, "migrations", "embedder", "issuers")
OF_OTHERS = {
    "ApiGatewayLogRole": "API Gateway's for the account's logs, by a policy of AWS",
    "AWSCDKTrigger": "CDK's own, to call the migrations' function",
    "NetworkVpcRefusals": "VPC's, to write the log of refused packets",
    "SchedulesRole": "EventBridge Scheduler's, to call the sweep",
}
"""Roles that no function of ours has but one; what they may do is held by the tests on wildcards."""


def function_of(principal: str) -> str:
    return f"{STAGE}-{principal}"


def permissions_of(principal: str) -> list[Permission]:
    if principal in ("embedder", "issuers"):
        return [*OUTSIDE]
    if principal == "migrations":
        return [*(each for each in EVERY_FUNCTION if "rds-db:connect" not in each.actions), *MIGRATIONS]
    workers = EVERY_WORKER if principal != "api" else ()
    return [*EVERY_FUNCTION, *workers, *PERMISSIONS[principal]]


def resources_by_name(resources: Resources, principal: str) -> Mapping[str, str]:
    """Return what the table's names stand for, read from the template alone."""
    (key,) = of_type(resources, "AWS::KMS::Key")
    (cluster,) = of_type(resources, "AWS::RDS::DBCluster")
    (bucket,) = [name for name in of_type(resources, "AWS::S3::Bucket") if name.startswith("OriginalsBucket")]
    queues = {each["QueueName"]: name for name, each in of_type(resources, "AWS::SQS::Queue").items()}
    log = named(resources, "AWS::Logs::LogGroup", "LogGroupName", f"/aws/lambda/{function_of(principal)}")
    found = {
        "*": "*",
        "key": f"<{key}.Arn>",
        "bucket key": f"<{key}.Arn>",
        "bucket": f"<{bucket}.Arn>",
        "log group of the function": f"<{log}.Arn>",
        "database user lorebase_app": (
            f"arn:<AWS::Partition>:rds-db:{ACCOUNT}:dbuser:<{cluster}.DBClusterResourceId>/lorebase_app"
        ),
        "secret of the master": f"<{cluster}.MasterUserSecret.SecretArn>",
    }
    found |= {f"objects {prefix}/": f"<{bucket}.Arn>/{prefix}/*" for prefix in ("staging", "drop", "originals")}
    for name in ("intake", "index", "originals", "sweep"):
        queue = queues.get(f"{STAGE}-{name}") or queues[f"{STAGE}-{name}.fifo"]
        found[f"queue {name}"] = f"<{queue}.Arn>"
        if name == principal:
            found["queue of the function"] = f"<{queue}.Arn>"
    for name in ("api-key-pepper", "cursor-key"):
        found[f"secret {name}"] = f"arn:<AWS::Partition>:secretsmanager:{ACCOUNT}:secret:lorebase/test/{name}-??????"
    owner_key = named(resources, "AWS::SecretsManager::Secret", "Name", "lorebase/test/owner-key")
    (embedder,) = [
        name for name, each in of_type(resources, "AWS::Lambda::Function").items() if "ImageUri" in each["Code"]
    ]
    issuers = named(resources, "AWS::Lambda::Function", "FunctionName", f"{STAGE}-issuers")
    found |= {"embedder": f"<{embedder}.Arn>", "issuers": f"<{issuers}.Arn>"}
    return {**found, "secret owner-key": f"<{owner_key}>"}


@pytest.mark.parametrize("principal", PRINCIPALS)
def test_a_function_may_do_what_the_table_says_and_nothing_else(resources: Resources, principal: str) -> None:
    role = role_of(functions_by_name(resources)[function_of(principal)])
    names = resources_by_name(resources, principal)
    told = {
        Permit(role, action, names[name])
        for permission in permissions_of(principal)
        for action in permission.actions
        for name in permission.resources
    }
    may = permits_of(resources, role)
    assert told - may == set(), "the table promises more than the role may"
    assert may - told == set(), "the role may do more than the table says"


def test_every_function_may_read_its_own_variables(resources: Resources) -> None:
    # Lambda decrypts them in the name of the role, and does not start a function whose role may not.
    functions = functions_by_name(resources)
    encrypted = {name: each for name, each in functions.items() if "KmsKeyArn" in each}
    assert len(encrypted) == len(PRINCIPALS)
    for function in encrypted.values():
        role = role_of(function)
        assert Permit(role, "kms:Decrypt", flat(function["KmsKeyArn"])) in permits_of(resources, role)


def test_every_role_is_in_the_table_or_somebody_elses(resources: Resources) -> None:
    functions = functions_by_name(resources)
    in_table = {role_of(functions[function_of(principal)]) for principal in PRINCIPALS}
    others = of_type(resources, "AWS::IAM::Role").keys() - in_table
    assert {role for role in others if not any(role.startswith(known) for known in OF_OTHERS)} == set()


def test_the_page_is_made_of_the_table() -> None:
    assert PAGE.read_text("utf-8") == permissions_page()
