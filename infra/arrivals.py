"""The way of the bucket's events to their queue: S3 tells EventBridge of new objects, and one rule passes them on."""

from aws_cdk import aws_events as events
from aws_cdk import aws_iam as iam
from aws_cdk import aws_kms as kms
from constructs import Construct

from infra.configuration import Deployment
from infra.originals import Originals
from infra.queues import WorkQueue

PREFIXES = ("drop/", "staging/")
"""What events are passed on; Lorebase's own copies lie under originals/, and must not come round again."""


class Arrivals(Construct):
    """A rule, and queues that take its messages from nobody else."""

    def __init__(
        self,
        scope: Construct,
        identifier: str,
        *,
        deployment: Deployment,
        key: kms.Key,
        originals: Originals,
        queue: WorkQueue,
    ) -> None:
        super().__init__(scope, identifier)
        self.rule = events.CfnRule(
            self,
            "Rule",
            name=f"{deployment.name}-arrivals",
            description="New objects of the bucket of originals, but for Lorebase's own copies",
            event_pattern={
                "source": ["aws.s3"],
                "detail-type": ["Object Created"],
                "detail": {
                    "bucket": {"name": [originals.bucket.bucket_name]},
                    "object": {"key": [{"prefix": prefix} for prefix in PREFIXES]},
                },
            },
            targets=[
                events.CfnRule.TargetProperty(
                    id="queue",
                    arn=queue.queue.queue_arn,
                    dead_letter_config=events.CfnRule.DeadLetterConfigProperty(arn=queue.dead_letters.queue_arn),
                )
            ],
        )
        for target in (queue.queue, queue.dead_letters):
            target.add_to_resource_policy(_from(self.rule, target.queue_arn))
        key.add_to_resource_policy(_may_encrypt())


def _from(rule: events.CfnRule, queue_arn: str) -> iam.PolicyStatement:
    return iam.PolicyStatement(
        sid="FromTheRuleAlone",
        principals=[iam.ServicePrincipal("events.amazonaws.com")],
        actions=["sqs:SendMessage"],
        resources=[queue_arn],
        conditions={"ArnEquals": {"aws:SourceArn": rule.attr_arn}},
    )


def _may_encrypt() -> iam.PolicyStatement:
    """Let EventBridge send to queues under the key; which rule may send where is for each queue's policy to say.

    No condition, since EventBridge's calls of a key bear no source: with one, events vanish without a trace
    (docs.aws.amazon.com/sns/latest/dg/sns-key-management.html, github.com/awslabs/landing-zone-accelerator-on-aws
    issue 407; docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-key-management.html).
    """
    return iam.PolicyStatement(
        sid="EventBridgeSends",
        principals=[iam.ServicePrincipal("events.amazonaws.com")],
        actions=["kms:Decrypt", "kms:GenerateDataKey"],
        resources=["*"],
    )
