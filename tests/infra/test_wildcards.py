"""No role may do or reach more than is named, but where AWS has nothing to name."""

import re

from infra.code_function import _NETWORK_INTERFACE_ACTIONS
from tests.fixtures.stage_templates import Resources, flat, identity_statements, listed, of_type, resource_statements

_IN_A_NETWORK = "docs.aws.amazon.com/lambda/latest/dg/configuration-vpc.html#configuration-vpc-permissions"
UNNAMEABLE = dict.fromkeys(_NETWORK_INTERFACE_ACTIONS, _IN_A_NETWORK)
"""Actions that AWS lets name no resource, each with AWS's own word for it."""
PATTERNS = {
    r"<OriginalsBucket\w+\.Arn>/(staging|drop|originals)/\*": "objects have no other way to be named than their prefix",
    r".*:secret:lorebase/test/[a-z-]+-\?{6}": "Secrets Manager adds six characters to a secret's name",
    r"<Migrations\w+\.Arn>:\*": "CDK's trigger calls each version of its function by number",
}
"""Resources with a wildcard that name one thing or its parts all the same."""
MANAGED_POLICIES = {
    "AmazonAPIGatewayPushToCloudWatchLogs": "API Gateway asks for it, for the logs of the account's APIs",
}


def has_wildcard(text: str) -> bool:
    return "*" in text or "?" in text


def test_no_action_of_a_role_has_a_wildcard(resources: Resources) -> None:
    actions = {action for _, statement in identity_statements(resources) for action in listed(statement["Action"])}
    assert len(actions) > 15
    assert {action for action in actions if has_wildcard(action)} == set()


def test_a_wildcard_resource_is_for_actions_that_name_none_or_names_one_thing(resources: Resources) -> None:
    unexplained, used = set(), set()
    for role, statement in identity_statements(resources):
        for resource in map(flat, listed(statement["Resource"])):
            matching = {pattern for pattern in PATTERNS if re.fullmatch(pattern, resource)}
            used |= matching
            if resource == "*":
                used |= set(listed(statement["Action"]))
                unexplained |= {(role, action) for action in listed(statement["Action"]) if action not in UNNAMEABLE}
            elif has_wildcard(resource) and not matching:
                unexplained.add((role, resource))
    assert unexplained == set()
    assert {*UNNAMEABLE, *PATTERNS} - used == set(), "an exception that nothing needs any more"


def test_no_statement_is_for_everything_but_what_it_names(resources: Resources) -> None:
    assert [
        statement for _, statement in identity_statements(resources) if {"NotAction", "NotResource"} & {*statement}
    ] == []


def test_the_only_managed_policies_are_those_that_aws_asks_for(resources: Resources) -> None:
    attached = {
        flat(arn).rpartition("/")[2]
        for role in of_type(resources, "AWS::IAM::Role").values()
        for arn in role.get("ManagedPolicyArns", [])
    }
    assert attached == MANAGED_POLICIES.keys()


def test_a_role_is_taken_by_one_service_alone(resources: Resources) -> None:
    for role in of_type(resources, "AWS::IAM::Role").values():
        (statement,) = role["AssumeRolePolicyDocument"]["Statement"]
        assert set(statement["Principal"]) == {"Service"}
        assert len(listed(statement["Principal"]["Service"])) == 1


def test_policies_of_resources_let_nobody_in_without_a_condition(resources: Resources) -> None:
    anyone = [
        (kind, name)
        for kind, name, statement in resource_statements(resources)
        if statement["Effect"] == "Allow"
        and statement["Principal"] in ("*", {"AWS": "*"})
        and not {"aws:PrincipalAccount", "aws:SourceAccount"}
        & set(statement.get("Condition", {}).get("StringEquals", {}))
    ]
    assert anyone == []


def test_services_reach_queues_topics_and_buckets_for_this_account_alone(resources: Resources) -> None:
    services = [
        statement
        for kind, _, statement in resource_statements(resources)
        if kind != "AWS::KMS::Key" and statement["Effect"] == "Allow" and "Service" in statement["Principal"]
    ]
    assert len(services) >= 4
    for statement in services:
        conditions = {name for condition in statement["Condition"].values() for name in condition}
        assert conditions & {"aws:SourceAccount", "aws:SourceArn"}
        assert not any(has_wildcard(action) for action in listed(statement["Action"]))


def test_the_key_is_for_its_account_and_for_services_by_name(resources: Resources) -> None:
    for _, _, statement in (each for each in resource_statements(resources) if each[0] == "AWS::KMS::Key"):
        everything = listed(statement["Action"]) == ["kms:*"]
        root = flat(statement["Principal"].get("AWS", "")).endswith(":<AWS::AccountId>:root")
        # Without the account's own line nobody could ever change the key's policy again
        # (docs.aws.amazon.com/kms/latest/developerguide/key-policy-default.html).
        assert root or (not everything and "Service" in statement["Principal"])
