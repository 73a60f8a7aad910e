"""The bucket of originals, and the way of its events to their queue."""

import json
import logging
import threading
from collections.abc import Iterator, Mapping
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any
from uuid import uuid4

import aws_cdk as cdk
import boto3
import pytest
from aws_cdk.assertions import Match, Template

from infra.configuration import Deployment
from infra.encryption import Encryption
from infra.originals import Originals
from tests.fixtures.aws import Aws
from tests.fixtures.deliveries import Resources
from tests.fixtures.reception import EVENTS


def _of_type(resources: Resources, kind: str) -> dict[str, Mapping[str, Any]]:
    return {name: resource for name, resource in resources.items() if resource["Type"] == kind}


def test_the_bucket_keeps_originals_encrypted_private_and_versioned(template: Template) -> None:
    template.has_resource_properties(
        "AWS::S3::Bucket",
        {
            "BucketEncryption": {
                "ServerSideEncryptionConfiguration": [
                    {
                        "BucketKeyEnabled": True,
                        "ServerSideEncryptionByDefault": {
                            "SSEAlgorithm": "aws:kms",
                            "KMSMasterKeyID": Match.any_value(),
                        },
                    }
                ]
            },
            "VersioningConfiguration": {"Status": "Enabled"},
            "OwnershipControls": {"Rules": [{"ObjectOwnership": "BucketOwnerEnforced"}]},
            "PublicAccessBlockConfiguration": {
                "BlockPublicAcls": True,
                "BlockPublicPolicy": True,
                "IgnorePublicAcls": True,
                "RestrictPublicBuckets": True,
            },
            "NotificationConfiguration": {"EventBridgeConfiguration": {"EventBridgeEnabled": True}},
            "LoggingConfiguration": {"LogFilePrefix": "originals/"},
            "CorsConfiguration": {"CorsRules": [Match.object_like({"AllowedMethods": ["GET", "HEAD", "PUT"]})]},
        },
    )


def test_the_bucket_notes_requests_once_it_may_write_them_down(resources: Resources) -> None:
    (bucket,) = [each for each in resources.values() if "LoggingConfiguration" in each.get("Properties", {})]
    log = bucket["Properties"]["LoggingConfiguration"]["DestinationBucketName"]
    policies = {
        name
        for name, each in _of_type(resources, "AWS::S3::BucketPolicy").items()
        if each["Properties"]["Bucket"] == log
    }
    assert len(policies) == 1
    assert policies <= set(bucket["DependsOn"])


def _named(policy: Mapping[str, Any]) -> list[str]:
    """Return what a policy of a bucket or of queues is for."""
    return [named["Ref"] for named in policy.get("Queues", [policy.get("Bucket")])]


@pytest.mark.parametrize("kind", ["S3::Bucket", "SQS::Queue"])
def test_no_bucket_and_no_queue_answers_without_tls(resources: Resources, kind: str) -> None:
    refusing = [
        name
        for resource in _of_type(resources, f"AWS::{kind}Policy").values()
        if any(
            statement["Effect"] == "Deny" and statement.get("Condition") == {"Bool": {"aws:SecureTransport": "false"}}
            for statement in resource["Properties"]["PolicyDocument"]["Statement"]
        )
        for name in _named(resource["Properties"])
    ]
    assert sorted(refusing) == sorted(_of_type(resources, f"AWS::{kind}"))


def test_every_queue_is_under_a_key_of_the_stage(resources: Resources) -> None:
    queues = _of_type(resources, "AWS::SQS::Queue")
    assert [name for name, queue in queues.items() if "KmsMasterKeyId" not in queue["Properties"]] == []
    assert len(queues) > 8


def test_staging_is_cleared_and_drops_are_left(resources: Resources) -> None:
    (rules,) = [
        bucket["Properties"]["LifecycleConfiguration"]["Rules"]
        for bucket in _of_type(resources, "AWS::S3::Bucket").values()
        if "NotificationConfiguration" in bucket["Properties"]
    ]
    expiring = [rule.get("Prefix") for rule in rules if "ExpirationInDays" in rule]
    assert expiring == ["staging/"]
    assert any("NoncurrentVersionExpiration" in rule for rule in rules)
    assert any("AbortIncompleteMultipartUpload" in rule for rule in rules)


@pytest.fixture
def rule(resources: Resources) -> Mapping[str, Any]:
    (found,) = [
        resource["Properties"]
        for resource in _of_type(resources, "AWS::Events::Rule").values()
        if "aws.s3" in resource["Properties"].get("EventPattern", {}).get("source", [])
    ]
    return dict(found)


def _is_passed_on(rule: Mapping[str, Any], event: Mapping[str, Any], bucket: str) -> bool:
    pattern = rule["EventPattern"]
    prefixes = [choice["prefix"] for choice in pattern["detail"]["object"]["key"]]
    return (
        event["source"] in pattern["source"]
        and event["detail-type"] in pattern["detail-type"]
        and event["detail"]["bucket"]["name"] == bucket
        and any(event["detail"]["object"]["key"].startswith(prefix) for prefix in prefixes)
    )


@pytest.mark.parametrize(
    ("recorded", "key", "is_passed_on"),
    [
        ("eventbridge_object_created", "drop/acme/q1 + q2/überblick (1).txt", True),
        ("eventbridge_object_created", "staging/1/2", True),
        ("eventbridge_object_created", "originals/1/2", False),
        ("eventbridge_object_created", "elsewhere/drop/x", False),
        ("eventbridge_object_deleted", "drop/acme/x.txt", False),
    ],
)
def test_arrivals_are_passed_on_and_our_own_copies_do_not_come_round(
    rule: Mapping[str, Any], recorded: str, key: str, *, is_passed_on: bool
) -> None:
    event = json.loads((EVENTS / f"{recorded}.json").read_text("utf-8"))
    event["detail"]["object"]["key"] = key
    assert _is_passed_on(rule, event, event["detail"]["bucket"]["name"]) is is_passed_on
    assert "Ref" in rule["EventPattern"]["detail"]["bucket"]["name"][0]


def test_the_queue_takes_messages_from_the_rule_alone(resources: Resources, rule: Mapping[str, Any]) -> None:
    (target,) = rule["Targets"]
    queues = {target["Arn"]["Fn::GetAtt"][0], target["DeadLetterConfig"]["Arn"]["Fn::GetAtt"][0]}
    allowed = {
        resource["Properties"]["Queues"][0]["Ref"]: statement
        for resource in _of_type(resources, "AWS::SQS::QueuePolicy").values()
        for statement in resource["Properties"]["PolicyDocument"]["Statement"]
        if statement["Effect"] == "Allow"
    }
    rule_name = next(iter(name for name, found in resources.items() if found.get("Properties") == rule))
    assert queues <= set(allowed)
    for name in queues:
        assert allowed[name]["Principal"] == {"Service": "events.amazonaws.com"}
        assert allowed[name]["Condition"] == {"ArnEquals": {"aws:SourceArn": {"Fn::GetAtt": [rule_name, "Arn"]}}}


@pytest.fixture(scope="module")
def imported() -> Mapping[str, Any]:
    app = cdk.App()
    stack = cdk.Stack(app, "imported")
    deployment = Deployment(stage="test", originals_bucket="theirs")
    key = Encryption(stack, "Encryption", deployment=deployment).key
    Originals(stack, "Originals", deployment=deployment, key=key)
    found: Mapping[str, Any] = Template.from_stack(stack).to_json()["Resources"]
    return found


def test_an_imported_bucket_gets_eventbridge_and_nothing_else(imported: Resources) -> None:
    assert _of_type(imported, "AWS::S3::Bucket") == {}
    (notifications,) = _of_type(imported, "Custom::S3BucketNotifications").values()
    properties = notifications["Properties"]
    assert properties["BucketName"] == "theirs"
    assert properties["NotificationConfiguration"] == {"EventBridgeConfiguration": {}}
    assert properties["Managed"] is False


@pytest.fixture
def answers() -> Iterator[str]:
    """Where CloudFormation would take the answers of a custom resource."""

    class Taker(BaseHTTPRequestHandler):
        def do_PUT(self) -> None:
            status = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["Status"]
            self.send_response(200 if status == "SUCCESS" else 500)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Taker)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    thread.join()
    server.server_close()


def test_what_an_imported_bucket_notified_before_it_notifies_still(
    imported: Resources, aws: Aws, answers: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The very code that CDK puts into the stack, on a bucket that tells another queue of its objects."""
    s3 = aws.clients.s3
    monkeypatch.setenv("AWS_ENDPOINT_URL", aws.endpoint_url)
    arn = f"arn:aws:sqs:eu-central-1:123456789012:{aws.queue_urls_by_kind['index_item'].rpartition('/')[2]}"
    theirs: Any = {"Id": "theirs", "QueueArn": arn, "Events": ["s3:ObjectCreated:*"]}
    s3.put_bucket_notification_configuration(
        Bucket=aws.bucket, NotificationConfiguration={"QueueConfigurations": [theirs]}
    )
    (function,) = [
        found
        for found in _of_type(imported, "AWS::Lambda::Function").values()
        if "ZipFile" in found["Properties"]["Code"]
    ]
    (notifications,) = _of_type(imported, "Custom::S3BucketNotifications").values()
    handler: dict[str, Any] = {"boto3": boto3}
    exec(compile(function["Properties"]["Code"]["ZipFile"], "index.py", "exec"), handler)
    # CloudFormation hands booleans on as text.
    properties = {
        name: str(value).lower() if isinstance(value, bool) else value
        for name, value in notifications["Properties"].items()
    } | {"BucketName": aws.bucket}
    sent: list[Any] = []
    handler["s3"].meta.events.register(
        "provide-client-params.s3.PutBucketNotificationConfiguration", lambda params, **_: sent.append(params)
    )
    context = type("Context", (), {"log_stream_name": "log"})()

    def tell(kind: str) -> Any:
        event = {
            "RequestType": kind,
            "ResourceProperties": properties,
            "StackId": "stack",
            "LogicalResourceId": "it",
            "RequestId": str(uuid4()),
            "ResponseURL": answers,
        }
        handler["handler"](event, context)
        found: Any = s3.get_bucket_notification_configuration(Bucket=aws.bucket)
        return found

    with caplog.at_level(logging.ERROR):
        created, deleted = tell("Create"), tell("Delete")
    assert caplog.messages == []
    for configuration in (created, deleted):
        assert [{**theirs, **each} for each in configuration["QueueConfigurations"]] == [
            {**theirs, "QueueArn": arn, "Events": ["s3:ObjectCreated:*"]}
        ]
    # moto keeps it to itself.
    assert sent[0]["NotificationConfiguration"]["EventBridgeConfiguration"] == {}
