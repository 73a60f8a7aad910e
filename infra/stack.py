"""The stack of one stage: composes the constructs, one a concern."""

from typing import Any

from aws_cdk import CfnOutput, Stack, Tags
from constructs import Construct

from infra.code import shared_code
from infra.configuration import Deployment
from infra.database import Database
from infra.embedder import Embedder
from infra.encryption import Encryption
from infra.environment import environment_of
from infra.foundation import Foundation
from infra.http_api import HttpApi
from infra.issuer_documents import IssuerDocuments
from infra.migrations import Migrations
from infra.model_access import grant_models, model_settings
from infra.network import Network
from infra.observability import Observability
from infra.originals import Originals
from infra.own_secrets import OwnSecrets
from infra.queues import Queues
from infra.schedules import Schedules
from infra.workers import Workers


class LorebaseStack(Stack):
    """Everything that a stage is, under names that begin with lorebase-<stage>."""

    def __init__(self, scope: Construct, identifier: str, *, deployment: Deployment, **settings: Any) -> None:  # noqa: ANN401 - CDK's own properties
        super().__init__(scope, identifier, description=f"Lorebase, stage {deployment.stage}", **settings)
        # A proxy's group of targets takes no tags (docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/
        # aws-resource-rds-dbproxytargetgroup.html), whatever the CDK writes.
        Tags.of(self).add("lorebase:stage", deployment.stage, exclude_resource_types=["AWS::RDS::DBProxyTargetGroup"])
        key = Encryption(self, "Encryption", deployment=deployment).key
        network = Network(self, "Network", deployment=deployment, key=key)
        database = Database(self, "Database", deployment=deployment, key=key, network=network)
        secrets = OwnSecrets(self, "Secrets", deployment=deployment, key=key)
        originals = Originals(self, "Originals", deployment=deployment, key=key)
        queues = Queues(self, "Queues", deployment=deployment, key=key)
        embedder = Embedder(self, "Embedder", deployment=deployment, key=key)
        foundation = Foundation(
            deployment=deployment,
            key=key,
            network=network,
            database=database,
            code=shared_code(self, deployment),
            environment={**_environment(deployment), **network.environment, **database.environment},
        )
        migrations = Migrations(self, "Migrations", foundation)
        migrations.node.add_dependency(secrets)
        issuers = IssuerDocuments(self, "IssuerDocuments", foundation)
        api = HttpApi(self, "Api", foundation, originals=originals, queues=queues, embedder=embedder, issuers=issuers)
        workers = Workers(self, "Workers", foundation, originals=originals, queues=queues, embedder=embedder)
        for role in (api.role, workers.roles["index"]):
            grant_models(self, deployment, role)
        migrations.run_before(api, workers)
        schedules = Schedules(self, "Schedules", deployment=deployment, key=key, sweep=workers.functions["sweep"])
        Observability(
            self,
            "Observability",
            foundation,
            api=api,
            workers=workers,
            queues=queues,
            embedder=embedder,
            issuers=issuers,
            schedules=schedules,
        )
        CfnOutput(self, "Url", value=api.url, description="The API, for lorebase --endpoint")
        CfnOutput(self, "DropBucket", value=originals.bucket.bucket_name, description="Drop files under drop/main/")


def _environment(deployment: Deployment) -> dict[str, str]:
    quotas = {f"quota_{name}": value for name, value in deployment.quotas.items()}
    return dict(
        environment_of(
            platform="aws",
            stage=deployment.stage,
            metrics="emf",
            secret_prefix=f"lorebase/{deployment.stage}/",
            cors_origins=list(deployment.cors_origins),
            trash_days=deployment.trash_days,
            **model_settings(deployment),
            **quotas,
        )
    )
