"""RDS Proxy, for stages that are always on: it keeps the cluster awake, and shares its connections."""

from aws_cdk import Duration
from aws_cdk import aws_ec2 as ec2
from aws_cdk import aws_iam as iam
from aws_cdk import aws_rds as rds
from constructs import Construct

from infra.configuration import Deployment
from infra.network import Network


class DatabaseProxy(Construct):
    """A proxy that logs in to the cluster as whom IAM lets the client be, so that no user needs a password."""

    def __init__(
        self,
        scope: Construct,
        identifier: str,
        *,
        deployment: Deployment,
        cluster: rds.DatabaseCluster,
        network: Network,
    ) -> None:
        super().__init__(scope, identifier)
        self._cluster = cluster
        group = ec2.SecurityGroup(
            self,
            "Group",
            vpc=network.vpc,
            description="The proxy of the database, reached by functions alone",
            allow_all_outbound=False,
            disable_inline_rules=True,
        )
        # The way from the proxy to the cluster is added by CDK, which binds the two.
        network.connect(network.function_group, group)
        self._role = iam.Role(self, "Role", assumed_by=iam.ServicePrincipal("rds.amazonaws.com"))
        self._proxy = rds.DatabaseProxy(
            self,
            "Proxy",
            db_proxy_name=deployment.name,
            proxy_target=rds.ProxyTarget.from_cluster(cluster),
            default_auth_scheme=rds.DefaultAuthScheme.IAM_AUTH,
            role=self._role,
            vpc=network.vpc,
            vpc_subnets=network.database_subnets,
            security_groups=[group],
            require_tls=True,
            # Longer than a gap between two requests, shorter than a person's patience with a stuck client.
            idle_client_timeout=Duration.minutes(5),
        )
        self.endpoint = self._proxy.endpoint

    def grant_connect(self, role: iam.IRole, *, user: str) -> None:
        """Let a role log in through the proxy as one user, and the proxy log in as that user."""
        self._proxy.grant_connect(role, user)
        self._cluster.grant_connect(self._role, user)
