"""Functions reach the database and AWS, and as little else as their kind of network allows."""

import json
from collections import defaultdict
from collections.abc import Mapping
from itertools import product
from urllib.parse import urlsplit

import aws_cdk as cdk
import pytest
from botocore.awsrequest import AWSPreparedRequest

from chalicelib.platform.aws.clients import Clients
from infra.configuration import MOST_ZONES, Deployment
from infra.encryption import Encryption
from infra.network import Network
from tests.fixtures.foundations import DEPLOYMENTS, Resource, of_type, only, templates

KINDS = sorted(DEPLOYMENTS)
ACCOUNT = {"Ref": "AWS::AccountId"}


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def resources(kind: str) -> Mapping[str, Resource]:
    return templates()[kind]


def group(name: str) -> dict[str, list[str]]:
    """Return the attribute that names one of the network's security groups."""
    [found] = [
        logical_id
        for logical_id, resource in templates()["nat"].items()
        if resource["Type"] == "AWS::EC2::SecurityGroup" and logical_id.startswith(name)
    ]
    return {"Fn::GetAtt": [found, "GroupId"]}


def routes_of(kind: str, subnets: str) -> set[str]:
    """Return where the subnets of a group send what is not for the network itself."""
    return {
        next(key for key in properties if key.startswith("Destination"))
        + " "
        + next(key for key in properties if key.endswith("GatewayId"))
        for name, resource in templates()[kind].items()
        if resource["Type"] == "AWS::EC2::Route" and name.startswith(f"NetworkVpc{subnets}")
        for properties in [resource["Properties"]]
    }


@pytest.mark.parametrize(
    ("kind", "routes"),
    [
        ("endpoints", set()),
        ("ipv6", {"DestinationIpv6CidrBlock EgressOnlyInternetGatewayId"}),
        ("nat", {"DestinationCidrBlock NatGatewayId"}),
    ],
)
def test_functions_have_the_way_out_of_their_kind_and_no_other(kind: str, routes: set[str]) -> None:
    assert routes_of(kind, "Functions") == routes
    internet = of_type(templates()[kind], "AWS::EC2::InternetGateway")
    assert len(internet) == (1 if kind == "nat" else 0)


def test_the_database_has_no_way_out(kind: str) -> None:
    assert routes_of(kind, "Database") == set()


def test_no_subnet_gives_out_public_addresses(resources: Mapping[str, Resource]) -> None:
    subnets = of_type(resources, "AWS::EC2::Subnet")
    assert len(subnets) >= 4
    assert not any(subnet.get("MapPublicIpOnLaunch") for subnet in subnets)


def test_subnets_lie_in_as_many_zones_as_are_asked_for(kind: str, resources: Mapping[str, Resource]) -> None:
    zones = {json.dumps(subnet["AvailabilityZone"]) for subnet in of_type(resources, "AWS::EC2::Subnet")}
    assert len(zones) == DEPLOYMENTS[kind].availability_zones


def test_the_database_is_reached_at_its_port_by_functions_and_its_proxy_alone(
    kind: str, resources: Mapping[str, Resource]
) -> None:
    ingress = of_type(resources, "AWS::EC2::SecurityGroupIngress")
    into = [rule for rule in ingress if rule["GroupId"] == group("NetworkDatabaseGroup")]
    sources = [rule["SourceSecurityGroupId"] for rule in into]
    proxy = [group("DatabaseProxyGroup")] if kind == "nat" else []
    assert sorted(map(str, sources)) == sorted(map(str, [group("NetworkFunctionGroup"), *proxy]))
    ports = [(rule["FromPort"], rule["ToPort"]) for rule in into]
    of_cluster = {"Fn::GetAtt": ["DatabaseCluster5B53A178", "Endpoint.Port"]}
    assert all(ports_of in [(5432, 5432), (of_cluster, of_cluster)] for ports_of in ports)


def test_nothing_lets_any_address_in(resources: Mapping[str, Resource]) -> None:
    groups = of_type(resources, "AWS::EC2::SecurityGroup")
    rules = [*of_type(resources, "AWS::EC2::SecurityGroupIngress"), *(r for g in groups for r in g.get("Ingress", []))]
    assert rules
    assert [rule for rule in rules if "SourceSecurityGroupId" not in rule] == []


def test_functions_speak_https_and_postgresql_and_nothing_else(kind: str, resources: Mapping[str, Resource]) -> None:
    out_of = [
        rule
        for rule in of_type(resources, "AWS::EC2::SecurityGroupEgress")
        if rule["GroupId"] == group("NetworkFunctionGroup")
    ]
    assert {(rule["IpProtocol"], rule["FromPort"], rule["ToPort"]) for rule in out_of} == {
        ("tcp", 443, 443),
        ("tcp", 5432, 5432),
    }
    assert all("DestinationSecurityGroupId" in rule for rule in out_of if rule["FromPort"] == 5432)
    assert sum("CidrIpv6" in rule for rule in out_of) == (1 if kind == "ipv6" else 0)


def test_the_database_begins_no_connection(resources: Mapping[str, Resource]) -> None:
    [rule] = [
        rule
        for rule in of_type(resources, "AWS::EC2::SecurityGroupEgress")
        if rule["GroupId"] == group("NetworkDatabaseGroup")
    ]
    assert rule["CidrIp"] == "255.255.255.255/32"


def test_no_rule_is_there_twice(resources: Mapping[str, Resource]) -> None:
    """EC2 refuses the second one, and with it the deployment."""
    rules = [
        (
            resource["Type"],
            *(
                json.dumps(resource["Properties"].get(key))
                for key in (
                    "GroupId",
                    "SourceSecurityGroupId",
                    "DestinationSecurityGroupId",
                    "CidrIp",
                    "CidrIpv6",
                    "IpProtocol",
                )
            ),
            443 if resource["Properties"]["FromPort"] == 443 else 5432,
        )
        for resource in resources.values()
        if resource["Type"] in ("AWS::EC2::SecurityGroupIngress", "AWS::EC2::SecurityGroupEgress")
    ]
    assert len(rules) == len(set(rules))


def test_every_endpoint_serves_the_own_account_alone(kind: str, resources: Mapping[str, Resource]) -> None:
    endpoints = of_type(resources, "AWS::EC2::VPCEndpoint")
    services = sorted(json.dumps(endpoint["ServiceName"]).split(".")[-1].strip('"]} ') for endpoint in endpoints)
    assert services == (["lambda", "s3", "secretsmanager", "sqs"] if kind == "endpoints" else ["s3"])
    for endpoint in endpoints:
        [statement] = endpoint["PolicyDocument"]["Statement"]
        assert statement["Condition"] == {
            "StringEquals": {"aws:PrincipalAccount": ACCOUNT, "aws:ResourceAccount": ACCOUNT}
        }


def test_interface_endpoints_answer_under_the_usual_names_to_functions_alone() -> None:
    resources = templates()["endpoints"]
    interfaces = [e for e in of_type(resources, "AWS::EC2::VPCEndpoint") if e["VpcEndpointType"] == "Interface"]
    assert all(endpoint["PrivateDnsEnabled"] for endpoint in interfaces)
    [gate] = {json.dumps(endpoint["SecurityGroupIds"]) for endpoint in interfaces}
    [rule] = [
        rule for rule in of_type(resources, "AWS::EC2::SecurityGroupIngress") if json.dumps([rule["GroupId"]]) == gate
    ]
    assert (rule["SourceSecurityGroupId"], rule["FromPort"], rule["ToPort"]) == (
        group("NetworkFunctionGroup"),
        443,
        443,
    )


def test_what_the_network_refuses_is_logged_encrypted(resources: Mapping[str, Resource]) -> None:
    [flow] = of_type(resources, "AWS::EC2::FlowLog")
    assert flow["TrafficType"] == "REJECT"
    log = resources[flow["LogGroupName"]["Ref"]]["Properties"]
    assert log["RetentionInDays"] == 30
    assert "KmsKeyId" in log


def test_nothing_is_put_into_the_group_that_aws_makes_with_the_network(resources: Mapping[str, Resource]) -> None:
    for resource in resources.values():
        if resource["Type"] == "AWS::Lambda::Function" and "VpcConfig" in resource["Properties"]:
            assert resource["Properties"]["VpcConfig"]["SecurityGroupIds"] == [group("NetworkFunctionGroup")]
    assert "DefaultSecurityGroup" not in json.dumps(resources)


def test_functions_of_a_dual_stack_network_may_use_it_and_know_the_names(kind: str) -> None:
    function = only(templates()[kind], "AWS::Lambda::Function", prefix="Served")["Properties"]
    is_dual = kind == "ipv6"
    assert function["VpcConfig"].get("Ipv6AllowedForDualStack", False) is is_dual
    assert ("AWS_USE_DUALSTACK_ENDPOINT" in function["Environment"]["Variables"]) is is_dual


class Sent(Exception):
    """Where a request would have gone."""


def _tell(request: AWSPreparedRequest, **_: object) -> None:
    raise Sent(request.url)


@pytest.mark.usefixtures("aws_credentials")
@pytest.mark.parametrize(
    ("service", "call", "arguments", "host"),
    [
        ("lambda", "invoke", {"FunctionName": "f"}, "lambda.eu-central-1.api.aws"),
        ("s3", "get_object", {"Bucket": "b-b", "Key": "k"}, "b-b.s3.dualstack.eu-central-1.amazonaws.com"),
        # Its usual name has both kinds of address (docs.aws.amazon.com/secretsmanager/latest/userguide/ip-access.html).
        ("secretsmanager", "get_secret_value", {"SecretId": "s"}, "secretsmanager.eu-central-1.amazonaws.com"),
        # Whatever name the URL of the queue bears.
        (
            "sqs",
            "send_message",
            {"QueueUrl": "https://sqs.eu-central-1.amazonaws.com/1/q", "MessageBody": "m"},
            "sqs.eu-central-1.api.aws",
        ),
    ],
)
def test_what_functions_call_goes_to_names_with_addresses_of_ipv6(
    service: str, call: str, arguments: Mapping[str, str], host: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_USE_DUALSTACK_ENDPOINT", "true")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-central-1")
    clients = Clients()
    client = {
        "lambda": clients.functions,
        "s3": clients.s3,
        "secretsmanager": clients.secrets,
        "sqs": clients.sqs,
    }[service]
    client.meta.events.register("before-send", _tell)
    with pytest.raises(Sent) as sent:
        getattr(client, call)(**arguments)
    assert urlsplit(str(sent.value)).hostname == host


def test_subnets_keep_their_addresses_when_the_network_or_its_zones_change() -> None:
    # A subnet with other addresses is another subnet: the database lies in it, and cannot move.
    app = cdk.App()
    for kind, zones in product(KINDS, (2, MOST_ZONES)):
        deployment = Deployment(network=kind, availability_zones=zones)
        stack = cdk.Stack(app, f"{kind}-{zones}")
        Network(stack, "Network", deployment=deployment, key=Encryption(stack, "Key", deployment=deployment).key)
    places = defaultdict[str, set[str]](set)
    for synthesized in app.synth().stacks:
        for name, resource in synthesized.template["Resources"].items():
            if resource["Type"] == "AWS::EC2::Subnet":
                places[name].add(resource["Properties"]["CidrBlock"])
    assert len(places) == 3 * MOST_ZONES
    assert {name: blocks for name, blocks in places.items() if len(blocks) != 1} == {}
