"""Whatever a stage keeps is encrypted with its own key, and nothing is taken or given without TLS."""

from typing import Any

import pytest

from tests.fixtures.stage_templates import FUNCTIONS, Resources, flat, listed, of_type, resource_statements

KEY_PROPERTIES = {
    "AWS::SQS::Queue": ["KmsMasterKeyId"],
    "AWS::SNS::Topic": ["KmsMasterKeyId"],
    "AWS::Logs::LogGroup": ["KmsKeyId"],
    "AWS::SecretsManager::Secret": ["KmsKeyId"],
    "AWS::RDS::DBCluster": ["KmsKeyId", "PerformanceInsightsKmsKeyId", "MasterUserSecret.KmsKeyId"],
    "AWS::S3::Bucket": [
        "BucketEncryption.ServerSideEncryptionConfiguration.0.ServerSideEncryptionByDefault.KMSMasterKeyID"
    ],
    "AWS::ECR::Repository": ["EncryptionConfiguration.KmsKey"],
    "AWS::SSM::Parameter": ["KmsKeyId"],
    "AWS::DynamoDB::Table": ["SSESpecification.KMSMasterKeyId"],
}
NOT_BY_OUR_KEY = {
    # docs.aws.amazon.com/AmazonS3/latest/userguide/enable-server-access-logging.html
    "OriginalsAccessLog": "S3 writes access logs only where its own keys encrypt them",
}


def value_at(properties: Any, path: str) -> Any:
    for part in path.split("."):
        if properties is None:
            return None
        properties = properties[int(part)] if part.isdigit() else properties.get(part)
    return properties


@pytest.fixture
def key(resources: Resources) -> str:
    (found,) = of_type(resources, "AWS::KMS::Key")
    return found


def test_the_key_turns_every_year(resources: Resources, key: str) -> None:
    assert resources[key]["Properties"]["EnableKeyRotation"] is True


@pytest.mark.parametrize("kind", KEY_PROPERTIES)
def test_everything_that_is_kept_is_encrypted_with_the_stages_key(resources: Resources, key: str, kind: str) -> None:
    by_another = {
        (name, path): value
        for name, properties in of_type(resources, kind).items()
        for path in KEY_PROPERTIES[kind]
        if flat((value := value_at(properties, path)) or "none") not in {f"<{key}.Arn>", f"<{key}>"}
        and not any(name.startswith(known) for known in NOT_BY_OUR_KEY)
    }
    assert by_another == {}


def test_the_kinds_that_keep_things_are_there(resources: Resources) -> None:
    present = {each["Type"] for each in resources.values()}
    assert present >= {"AWS::S3::Bucket", "AWS::SQS::Queue", "AWS::SNS::Topic", "AWS::RDS::DBCluster"}
    assert any(name.startswith(known) for known in NOT_BY_OUR_KEY for name in resources)


def test_environments_of_functions_are_encrypted_with_the_stages_key(resources: Resources, key: str) -> None:
    functions = {name: each for name, each in of_type(resources, *FUNCTIONS).items() if "Environment" in each}
    assert len(functions) > 5
    assert {flat(each.get("KmsKeyArn", "none")) for each in functions.values()} == {f"<{key}.Arn>"}


def test_the_databases_storage_is_encrypted(resources: Resources) -> None:
    (cluster,) = of_type(resources, "AWS::RDS::DBCluster").values()
    assert cluster["StorageEncrypted"] is True


def is_refusal_of_plain_text(statement: Any, everything: str) -> bool:
    return (
        statement["Effect"] == "Deny"
        and statement["Principal"] in ("*", {"AWS": "*"})
        and listed(statement["Action"]) == [everything]
        and statement.get("Condition") == {"Bool": {"aws:SecureTransport": "false"}}
    )


@pytest.mark.parametrize(
    ("kind", "everything"),
    [("AWS::S3::Bucket", "s3:*"), ("AWS::SQS::Queue", "sqs:*"), ("AWS::SNS::Topic", "sns:Publish")],
)
def test_nothing_is_taken_without_tls(resources: Resources, kind: str, everything: str) -> None:
    refusing = {
        subject
        for _, subject, statement in resource_statements(resources)
        if is_refusal_of_plain_text(statement, everything)
    }
    assert of_type(resources, kind).keys() - refusing == set()
    assert of_type(resources, kind)
