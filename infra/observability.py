"""What shows and tells how a stage fares: a dashboard, alarms that write to a topic, saved queries, a budget."""

from typing import TYPE_CHECKING

from aws_cdk import Aws
from aws_cdk import aws_iam as iam
from aws_cdk import aws_sns as sns
from aws_cdk import aws_sns_subscriptions as subscriptions
from constructs import Construct

from infra.alarms import Alarms
from infra.budget import add_budget
from infra.dashboard import add_dashboard
from infra.foundation import Foundation
from infra.http_api import HttpApi
from infra.issuer_documents import IssuerDocuments
from infra.queues import Queues
from infra.saved_queries import save_queries
from infra.schedules import Schedules
from infra.signals import Signals
from infra.suppressions import suppress
from infra.workers import Workers

if TYPE_CHECKING:
    from infra.embedder import Embedder


class Observability(Construct):
    """Reads everything, changes nothing. `topic` tells of alarms, to an address where the deployment has one."""

    def __init__(
        self,
        scope: Construct,
        identifier: str,
        foundation: Foundation,
        *,
        api: HttpApi,
        workers: Workers,
        queues: Queues,
        embedder: "Embedder",
        issuers: IssuerDocuments,
        schedules: Schedules,
    ) -> None:
        super().__init__(scope, identifier)
        deployment = foundation.deployment
        self.topic = self._topic(foundation)
        functions = {
            "api": api.name,
            **{name: each.function_name for name, each in workers.functions.items()},
            "issuers": issuers.function.function_name,
        }
        dead_letters = {name: queue.dead_letters.queue_name for name, queue in queues.by_name.items()}
        self.signals = Signals(
            stage=deployment.stage,
            api=api.name,
            api_stage=api.stage_name,
            functions=functions,
            embedder=embedder.function.function_name if embedder.function is not None else None,
            queues={name: queue.queue.queue_name for name, queue in queues.by_name.items()},
            dead_letters={**dead_letters, "schedules": schedules.dead_letters.queue_name},
            cluster=foundation.database.cluster.cluster_identifier,
        )
        self.dashboard = add_dashboard(self, deployment=deployment, signals=self.signals)
        self.alarms = Alarms(self, "Alarms", deployment=deployment, signals=self.signals, topic=self.topic)
        groups = [api.log, *(function.log_group for function in workers.functions.values()), issuers.log]
        if embedder.log is not None:
            groups.append(embedder.log)
        save_queries(self, deployment=deployment, log_groups=[group.log_group_name for group in groups])
        if deployment.monthly_budget_usd is not None:
            add_budget(self, deployment=deployment, topic=self.topic)

    def _topic(self, foundation: Foundation) -> sns.Topic:
        """Return a topic that CloudWatch's alarms and budgets of this account may write to, under the stage's key.

        https://docs.aws.amazon.com/sns/latest/dg/sns-key-management.html#compatibility-with-aws-services and
        https://docs.aws.amazon.com/cost-management/latest/userguide/budgets-sns-policy.html
        """
        deployment = foundation.deployment
        topic = sns.Topic(
            self,
            "Topic",
            topic_name=f"{deployment.name}-alarms",
            display_name=f"Lorebase {deployment.stage}",
            master_key=foundation.key,
            enforce_ssl=True,
        )
        account, partition = Aws.ACCOUNT_ID, Aws.PARTITION
        sources = {"cloudwatch": f"arn:{partition}:cloudwatch:{Aws.REGION}:{account}:alarm:{deployment.name}-*"}
        if deployment.monthly_budget_usd is not None:
            sources["budgets"] = f"arn:{partition}:budgets::{account}:*"
        for service, source in sources.items():
            writer = iam.ServicePrincipal(
                f"{service}.amazonaws.com",
                conditions={"StringEquals": {"aws:SourceAccount": account}, "ArnLike": {"aws:SourceArn": source}},
            )
            for holder, actions, resource in (
                (topic, ["sns:Publish"], topic.topic_arn),
                (foundation.key, ["kms:Decrypt", "kms:GenerateDataKey"], "*"),
            ):
                holder.add_to_resource_policy(
                    iam.PolicyStatement(principals=[writer], actions=actions, resources=[resource])
                )
        if deployment.alarm_address is not None:
            topic.add_subscription(subscriptions.EmailSubscription(deployment.alarm_address))
            suppress(
                topic,
                "Serverless-SNSRedrivePolicy",
                reason="SNS repeats what mail servers refuse for a while; who does not read mail reads no queue.",
            )
        return topic
