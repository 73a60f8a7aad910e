"""What happens by the clock: one round of the sweep a day, whatever else was forgotten.

There is no schedule of the minute, since each round wakes the database: rounds are asked for by work.
"""

from aws_cdk import Duration, RemovalPolicy, Stack
from aws_cdk import aws_iam as iam
from aws_cdk import aws_kms as kms
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_scheduler as scheduler
from aws_cdk import aws_sqs as sqs
from constructs import Construct

from infra.configuration import Deployment
from infra.queues import DEAD_LETTERS_KEPT
from infra.suppressions import suppress

_DAILY = "cron(17 3 * * ? *)"
"""At night in most places, and off the full hour, when everybody's schedules run."""
_WINDOW_MINUTES = 60
_EVENT = '{"source": "lorebase.schedule", "detail-type": "daily sweep"}'


class Schedules(Construct):
    """A group a stage; `dead_letters` holds the rounds that Lambda did not take in a day."""

    def __init__(
        self,
        scope: Construct,
        identifier: str,
        *,
        deployment: Deployment,
        key: kms.IKey,
        sweep: lambda_.IFunction,
    ) -> None:
        super().__init__(scope, identifier)
        self.group = scheduler.CfnScheduleGroup(self, "Group", name=deployment.name)
        self.dead_letters = sqs.Queue(
            self,
            "DeadLetters",
            queue_name=f"{deployment.name}-schedules-dead",
            encryption=sqs.QueueEncryption.KMS,
            encryption_master_key=key,
            data_key_reuse=Duration.hours(1),
            enforce_ssl=True,
            retention_period=DEAD_LETTERS_KEPT,
            redrive_allow_policy=sqs.RedriveAllowPolicy(redrive_permission=sqs.RedrivePermission.DENY_ALL),
            removal_policy=RemovalPolicy.DESTROY,
        )
        for rule in ("AwsSolutions-SQS3", "Serverless-SQSRedrivePolicy"):
            suppress(self.dead_letters, rule, reason="Dead letters wait here for a person.")
        self.role = self._role(key, sweep)
        self.daily_sweep = scheduler.CfnSchedule(
            self,
            "DailySweep",
            name=f"{deployment.name}-daily-sweep",
            group_name=self.group.ref,
            description="One round of the sweep a day, for what no message asked for",
            schedule_expression=_DAILY,
            schedule_expression_timezone="UTC",
            flexible_time_window=scheduler.CfnSchedule.FlexibleTimeWindowProperty(
                mode="FLEXIBLE", maximum_window_in_minutes=_WINDOW_MINUTES
            ),
            target=scheduler.CfnSchedule.TargetProperty(
                arn=sweep.function_arn,
                role_arn=self.role.role_arn,
                input=_EVENT,
                dead_letter_config=scheduler.CfnSchedule.DeadLetterConfigProperty(arn=self.dead_letters.queue_arn),
                retry_policy=scheduler.CfnSchedule.RetryPolicyProperty(
                    maximum_event_age_in_seconds=86_400, maximum_retry_attempts=10
                ),
            ),
        )
        # The schedule is refused where its role may not do yet what it is for.
        self.daily_sweep.node.add_dependency(self.role)

    def _role(self, key: kms.IKey, sweep: lambda_.IFunction) -> iam.Role:
        """Return the role of the group's schedules, which none but they may take.

        https://docs.aws.amazon.com/scheduler/latest/UserGuide/cross-service-confused-deputy-prevention.html.
        """
        stack = Stack.of(self)
        group_arn = stack.format_arn(service="scheduler", resource="schedule-group", resource_name=self.group.ref)
        role = iam.Role(
            self,
            "Role",
            description="Invokes the sweep on its schedule",
            assumed_by=iam.ServicePrincipal(
                "scheduler.amazonaws.com",
                conditions={"StringEquals": {"aws:SourceAccount": stack.account, "aws:SourceArn": group_arn}},
            ),
        )
        for actions, resource in (
            (["lambda:InvokeFunction"], sweep.function_arn),
            (["sqs:SendMessage"], self.dead_letters.queue_arn),
            (["kms:Decrypt", "kms:GenerateDataKey"], key.key_arn),
        ):
            role.add_to_policy(iam.PolicyStatement(actions=actions, resources=[resource]))
        return role
