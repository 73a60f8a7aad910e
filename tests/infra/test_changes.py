"""What may be changed on a stage with data replaces nothing that holds any."""

from collections.abc import Mapping
from functools import cache
from typing import Any

import aws_cdk as cdk
import pytest
from cfnlint.schema.manager import PROVIDER_SCHEMA_MANAGER

from infra.configuration import MOST_ZONES, DatabaseChoice, Deployment
from infra.database import Database
from infra.encryption import Encryption
from infra.network import Network
from infra.originals import Originals
from infra.own_secrets import OwnSecrets

REGION = "eu-central-1"
BEFORE = Deployment()
CHANGES = {
    "zones": Deployment(availability_zones=MOST_ZONES),
    "to nat": Deployment(network="nat"),
    "architecture": Deployment(architecture="x86_64"),
    "sizes": Deployment(database=DatabaseChoice(least_units=0.5, most_units=8, backup_days=14)),
    "proxy": Deployment(database=DatabaseChoice(proxy=True)),
    "minor version": Deployment(database=DatabaseChoice(engine_version="17.8")),
    "data not kept": Deployment(keep_data=False),
    "the rest": Deployment(log_days=90, cors_origins=("https://a.example",), requests_per_second=5, firewall=True),
}
OF_DATA = {
    "AWS::EC2::Subnet",
    "AWS::EC2::VPC",
    "AWS::KMS::Key",
    "AWS::RDS::DBCluster",
    "AWS::RDS::DBClusterParameterGroup",
    "AWS::RDS::DBInstance",
    "AWS::RDS::DBSubnetGroup",
    "AWS::S3::Bucket",
    "AWS::SecretsManager::Secret",
}


@cache
def _templates() -> Mapping[str, Mapping[str, Any]]:
    app = cdk.App()
    for name, deployment in {"before": BEFORE, **CHANGES}.items():
        stack = cdk.Stack(app, name.replace(" ", "-"))
        key = Encryption(stack, "Encryption", deployment=deployment).key
        network = Network(stack, "Network", deployment=deployment, key=key)
        Database(stack, "Database", deployment=deployment, key=key, network=network)
        OwnSecrets(stack, "Secrets", deployment=deployment, key=key)
        Originals(stack, "Originals", deployment=deployment, key=key)
    return {stack.stack_name: stack.template["Resources"] for stack in app.synth().stacks}


def _fixed(resource: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the properties by whose change CloudFormation makes another resource."""
    schema = PROVIDER_SCHEMA_MANAGER.get_resource_schema(REGION, resource["Type"]).schema
    names = {pointer.split("/")[2] for pointer in schema.get("createOnlyProperties", [])}
    return {name: value for name, value in resource["Properties"].items() if name in names}


def test_a_cluster_has_properties_that_would_replace_it() -> None:
    (cluster,) = [each for each in _templates()["before"].values() if each["Type"] == "AWS::RDS::DBCluster"]
    assert {"DBClusterIdentifier", "DBSubnetGroupName", "KmsKeyId", "StorageEncrypted"} <= _fixed(cluster).keys()


@pytest.mark.parametrize("change", CHANGES)
def test_what_holds_data_stays(change: str) -> None:
    before, after = _templates()["before"], _templates()[change.replace(" ", "-")]
    kept = {name: each for name, each in before.items() if each["Type"] in OF_DATA}
    assert {each["Type"] for each in kept.values()} == OF_DATA
    assert kept.keys() <= after.keys()
    assert {name: _fixed(each) for name, each in kept.items()} == {name: _fixed(after[name]) for name in kept}
