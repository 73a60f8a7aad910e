"""The database: an Aurora PostgreSQL cluster that may pause at zero, entered by IAM alone."""

from aws_cdk import Annotations, CfnOutput, Duration, RemovalPolicy
from aws_cdk import aws_iam as iam
from aws_cdk import aws_kms as kms
from aws_cdk import aws_rds as rds
from aws_cdk import aws_secretsmanager as secretsmanager
from constructs import Construct

from chalicelib.settings import Settings
from infra.configuration import DatabaseChoice, Deployment
from infra.database_parameters import parameters_of
from infra.database_proxy import DatabaseProxy
from infra.environment import environment_of
from infra.log_groups import log_group
from infra.network import Network
from infra.suppressions import suppress

_DATABASE_NAME: str = Settings.model_fields["database_name"].default
_MASTER = "lorebase_master"
# Free of charge; Performance Insights of longer memory cost by the unit
# (docs.aws.amazon.com/AmazonRDS/latest/AuroraUserGuide/USER_PerfInsights.Overview.cost.html).
_INSIGHTS = rds.PerformanceInsightRetention.DEFAULT


class Database(Construct):
    """One cluster with one writer. `secret` is the master's login, made and turned by RDS, for migrations alone."""

    def __init__(
        self, scope: Construct, identifier: str, *, deployment: Deployment, key: kms.IKey, network: Network
    ) -> None:
        super().__init__(scope, identifier)
        self.cluster = self._cluster(deployment, key, network)
        secret = self.cluster.secret
        if secret is None:
            raise LookupError("RDS was told to manage the master's password, and CDK knows of no secret")
        self.secret: secretsmanager.ISecret = secret
        self.proxy = (
            DatabaseProxy(self, "Proxy", deployment=deployment, cluster=self.cluster, network=network)
            if deployment.database.proxy
            else None
        )
        self.endpoint = self.cluster.cluster_endpoint.hostname if self.proxy is None else self.proxy.endpoint
        self.environment = environment_of(
            database_host=self.endpoint, database_name=_DATABASE_NAME, database_proxied=self.proxy is not None
        )
        CfnOutput(self, "Endpoint", value=self.cluster.cluster_endpoint.hostname, description="The database's address")

    def grant_connect(self, role: iam.IRole, *, user: str) -> None:
        """Let a role log in as one user of the database, by the resource id of the cluster or its proxy."""
        if self.proxy is None:
            self.cluster.grant_connect(role, user)
        else:
            self.proxy.grant_connect(role, user=user)

    def _cluster(self, deployment: Deployment, key: kms.IKey, network: Network) -> rds.DatabaseCluster:
        choice = deployment.database
        engine = _engine_of(choice)
        log = log_group(
            self,
            "Log",
            deployment=deployment,
            key=key,
            # The name that RDS writes to (docs.aws.amazon.com/AmazonRDS/latest/AuroraUserGuide/
            # AuroraPostgreSQL.CloudWatch.html); made here, it is encrypted and forgets.
            name=f"/aws/rds/cluster/{deployment.name}/postgresql",
        )
        cluster = rds.DatabaseCluster(
            self,
            "Cluster",
            cluster_identifier=deployment.name,
            engine=engine,
            writer=rds.ClusterInstance.serverless_v2(
                "Writer",
                instance_identifier=f"{deployment.name}-writer",
                auto_minor_version_upgrade=False,
                ca_certificate=rds.CaCertificate.RDS_CA_RSA2048_G1,
            ),
            serverless_v2_min_capacity=choice.least_units,
            serverless_v2_max_capacity=choice.most_units,
            serverless_v2_auto_pause_duration=(
                Duration.seconds(choice.pause_after_seconds) if choice.least_units == 0 else None
            ),
            default_database_name=_DATABASE_NAME,
            credentials=rds.Credentials.from_username(_MASTER, encryption_key=key),
            manage_master_user_password=True,
            iam_authentication=True,
            parameter_group=self._parameters(engine, deployment),
            vpc=network.vpc,
            vpc_subnets=network.database_subnets,
            security_groups=[network.database_group],
            storage_encrypted=True,
            storage_encryption_key=key,
            backup=rds.BackupProps(retention=Duration.days(choice.backup_days)),
            copy_tags_to_snapshot=True,
            cloudwatch_logs_exports=["postgresql"],
            enable_performance_insights=True,
            performance_insight_encryption_key=key,
            performance_insight_retention=_INSIGHTS,
            database_insights_mode=rds.DatabaseInsightsMode.STANDARD,
            deletion_protection=deployment.keep_data,
            # Not RETAIN: a cluster left behind would hold its subnets, and the network could not be removed.
            removal_policy=RemovalPolicy.SNAPSHOT if deployment.keep_data else RemovalPolicy.DESTROY,
        )
        cluster.node.add_dependency(log)
        Annotations.of(cluster).acknowledge_warning(
            "@aws-cdk/aws-rds:instancePerformanceInsightsOverridden", "What the cluster says is meant for its writer."
        )
        if not deployment.keep_data:
            suppress(cluster, "AwsSolutions-RDS10", reason="The stage is to go with its data, as keep_data says.")
        return cluster

    def _parameters(self, engine: rds.IClusterEngine, deployment: Deployment) -> rds.ParameterGroup:
        return rds.ParameterGroup(
            self,
            "Parameters",
            engine=engine,
            description=f"{deployment.name}, PostgreSQL {deployment.database.engine_version.split('.')[0]}",
            parameters=dict(parameters_of(deployment)),
        )


def _engine_of(choice: DatabaseChoice) -> rds.IClusterEngine:
    return rds.DatabaseClusterEngine.aurora_postgres(
        # Every version that Deployment takes can pause: 16.3 and later, 17.4 and later
        # (docs.aws.amazon.com/AmazonRDS/latest/AuroraUserGuide/aurora-serverless-v2-auto-pause.html).
        version=rds.AuroraPostgresEngineVersion.of(
            choice.engine_version, choice.engine_version.split(".")[0], serverless_v2_auto_pause_supported=True
        )
    )
