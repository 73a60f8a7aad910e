"""The network: where functions that touch the database live, and the few ways that lead out of it."""

from collections.abc import Mapping

from aws_cdk import Fn, Stack
from aws_cdk import aws_ec2 as ec2
from aws_cdk import aws_iam as iam
from aws_cdk import aws_kms as kms
from constructs import Construct

from infra.configuration import BEDROCK, MOST_ZONES, Deployment
from infra.log_groups import log_group

DATABASE_PORT = ec2.Port.tcp(5432)
_HTTPS = ec2.Port.tcp(443)

# What functions in the network call besides S3, which has a gateway endpoint without a price.
_ENDPOINTS = {
    "Queues": ec2.InterfaceVpcEndpointAwsService.SQS,
    "Secrets": ec2.InterfaceVpcEndpointAwsService.SECRETS_MANAGER,
    "Functions": ec2.InterfaceVpcEndpointAwsService.LAMBDA_,
}


class Network(Construct):
    """A network for one stage, with subnets for functions and subnets for the database.

    `environment` belongs to every function in it. The security group that AWS makes with each network cannot
    be closed by CloudFormation; nothing is ever put into it, and a test says so.
    """

    def __init__(self, scope: Construct, identifier: str, *, deployment: Deployment, key: kms.IKey) -> None:
        super().__init__(scope, identifier)
        self.is_dual_stack = deployment.network == "ipv6"
        self.vpc = self._vpc(deployment)
        self.function_subnets = ec2.SubnetSelection(subnet_group_name="Functions")
        self.database_subnets = ec2.SubnetSelection(subnet_group_name="Database")
        self.function_group = self._group("FunctionGroup", "Functions that touch the database")
        self.database_group = self._group("DatabaseGroup", "The database, reached by functions alone")
        self.connect(self.function_group, self.database_group)
        self._allow_https()
        self._add_gateway()
        if deployment.network == "endpoints":
            self._add_endpoints(deployment)
        self._log_refusals(deployment, key)

    @property
    def environment(self) -> Mapping[str, str]:
        """What botocore has to know: but for Secrets Manager's, the usual names have no address of IPv6.

        docs.aws.amazon.com/sdkref/latest/guide/feature-endpoints.html; a test holds botocore to it.
        """
        return {"AWS_USE_DUALSTACK_ENDPOINT": "true"} if self.is_dual_stack else {}

    def connect(self, source: ec2.ISecurityGroup, target: ec2.ISecurityGroup) -> None:
        """Let the one talk PostgreSQL to the other."""
        source.add_egress_rule(target, DATABASE_PORT, "PostgreSQL")
        target.add_ingress_rule(source, DATABASE_PORT, "PostgreSQL")

    def _vpc(self, deployment: Deployment) -> ec2.Vpc:
        function_type = {
            "endpoints": ec2.SubnetType.PRIVATE_ISOLATED,
            "ipv6": ec2.SubnetType.PRIVATE_WITH_EGRESS,
            "nat": ec2.SubnetType.PRIVATE_WITH_EGRESS,
        }[deployment.network]
        subnets = [
            ec2.SubnetConfiguration(name="Functions", subnet_type=function_type, cidr_mask=24),
            ec2.SubnetConfiguration(name="Database", subnet_type=ec2.SubnetType.PRIVATE_ISOLATED, cidr_mask=24),
        ]
        is_nat = deployment.network == "nat"
        if is_nat:
            subnets.append(
                ec2.SubnetConfiguration(
                    name="Public", subnet_type=ec2.SubnetType.PUBLIC, cidr_mask=28, map_public_ip_on_launch=False
                )
            )
        return ec2.Vpc(
            self,
            "Vpc",
            vpc_name=deployment.name,
            ip_addresses=ec2.IpAddresses.cidr("10.0.0.0/16"),
            ip_protocol=ec2.IpProtocol.DUAL_STACK if self.is_dual_stack else ec2.IpProtocol.IPV4_ONLY,
            # Chosen at deployment, so that the template does not depend on who synthesized it.
            availability_zones=[Fn.select(number, Fn.get_azs()) for number in range(deployment.availability_zones)],
            # Room for zones to come: without it their subnets would take the addresses of those that are there.
            reserved_azs=MOST_ZONES - deployment.availability_zones,
            nat_gateways=1 if is_nat else 0,
            create_internet_gateway=is_nat,
            subnet_configuration=subnets,
            # The switch needs a function of CDK's own with the right to change security groups.
            restrict_default_security_group=False,
        )

    def _group(self, identifier: str, description: str) -> ec2.SecurityGroup:
        return ec2.SecurityGroup(
            self, identifier, vpc=self.vpc, description=description, allow_all_outbound=False, disable_inline_rules=True
        )

    def _allow_https(self) -> None:
        """Let functions speak HTTPS as far as their routes lead.

        Without a way out these are the endpoints and, by its list of prefixes, S3 of the region. The number of
        that list differs by region, so that a rule for it would need a lookup in the account.
        """
        self.function_group.add_egress_rule(ec2.Peer.any_ipv4(), _HTTPS, "As far as the routes lead")
        if self.is_dual_stack:
            self.function_group.add_egress_rule(ec2.Peer.any_ipv6(), _HTTPS, "Dual-stack endpoints of AWS")

    def _add_gateway(self) -> None:
        gateway = self.vpc.add_gateway_endpoint(
            "Originals", service=ec2.GatewayVpcEndpointAwsService.S3, subnets=[self.function_subnets]
        )
        gateway.add_to_policy(self._own_account_only())

    def _add_endpoints(self, deployment: Deployment) -> None:
        group = self._group("EndpointGroup", "Endpoints of AWS services, reached by functions alone")
        group.add_ingress_rule(self.function_group, _HTTPS, "HTTPS")
        for name, service in {**_ENDPOINTS, **_model_endpoints(deployment)}.items():
            endpoint = self.vpc.add_interface_endpoint(
                name,
                service=service,
                subnets=self.function_subnets,
                security_groups=[group],
                private_dns_enabled=True,
                open=False,
            )
            # The models of Bedrock are no account's: who asks is all that can be told of a request.
            endpoint.add_to_policy(self._own_account_only(of_resources=name in _ENDPOINTS))

    def _own_account_only(self, *, of_resources: bool = True) -> iam.PolicyStatement:
        """Let the account's principals reach the account's resources: no way to carry data to somebody else's."""
        account = Stack.of(self).account
        resources = {"aws:ResourceAccount": account} if of_resources else {}
        return iam.PolicyStatement(
            sid="OwnAccountOnly",
            principals=[iam.AnyPrincipal()],
            actions=["*"],
            resources=["*"],
            conditions={"StringEquals": {"aws:PrincipalAccount": account, **resources}},
        )

    def _log_refusals(self, deployment: Deployment, key: kms.IKey) -> None:
        """Log what the network refused: next to nothing in good times, so that it costs next to nothing."""
        log = log_group(self, "RefusalsLog", deployment=deployment, key=key, name=f"/{deployment.name}/network")
        self.vpc.add_flow_log(
            "Refusals",
            destination=ec2.FlowLogDestination.to_cloud_watch_logs(log),
            traffic_type=ec2.FlowLogTrafficType.REJECT,
        )


def _model_endpoints(deployment: Deployment) -> Mapping[str, ec2.InterfaceVpcEndpointAwsService]:
    """Return what Bedrock is asked by, for what is chosen of it."""
    writes = any(spec.startswith(BEDROCK) for spec in (*deployment.embedders, deployment.language_model))
    found = {"Models": ec2.InterfaceVpcEndpointAwsService.BEDROCK_RUNTIME} if writes else {}
    if deployment.reranker.startswith(BEDROCK):
        found["Rerankers"] = ec2.InterfaceVpcEndpointAwsService.BEDROCK_AGENT_RUNTIME
    return found
