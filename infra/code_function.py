"""A function on the shared code: in the network, with a role, a log group and an environment of its own."""

from collections.abc import Mapping

from aws_cdk import Duration, Size
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_logs as logs
from constructs import Construct

from infra.foundation import Foundation
from infra.log_groups import log_group
from infra.suppressions import suppress, suppress_wildcard

RUNTIME = lambda_.Runtime.PYTHON_3_13
APP_USER = "lorebase_app"
"""The database role of every function but the migrations': it reads and writes rows, and alters nothing."""

# The actions by which Lambda itself puts a function into a network; AWS lets none of them name a resource
# (docs.aws.amazon.com/lambda/latest/dg/configuration-vpc.html#configuration-vpc-permissions).
_NETWORK_INTERFACE_ACTIONS = [
    "ec2:AssignPrivateIpAddresses",
    "ec2:CreateNetworkInterface",
    "ec2:DeleteNetworkInterface",
    "ec2:DescribeNetworkInterfaces",
    "ec2:DescribeSubnets",
    "ec2:UnassignPrivateIpAddresses",
]

_SAME_VERSION = "The packages in the zip are made and tested for this version; it is raised together with them."
_AS_IT_SHOULD_BE = {
    "AwsSolutions-L1": _SAME_VERSION,
    "Serverless-LambdaLatestVersion": _SAME_VERSION,
    "Serverless-LambdaTracing": "Traces cost more than the work, and X-Ray has no endpoint in an isolated network;"
    " correlation ids tie log lines together.",
    "Serverless-LambdaDLQ": "Queues and the schedule have dead letters of their own, and who calls the others waits"
    " for the answer.",
}


def function_role(scope: Construct, identifier: str, *, log: logs.LogGroup) -> iam.Role:
    """Return a role that may enter the network and write to its own log, and nothing else."""
    role = iam.Role(scope, identifier, assumed_by=iam.ServicePrincipal("lambda.amazonaws.com"))
    role.add_to_policy(
        iam.PolicyStatement(
            sid="EnterTheNetwork",
            actions=_NETWORK_INTERFACE_ACTIONS,
            resources=["*"],
        )
    )
    suppress_wildcard(role, "*", reason="AWS lets none of the actions on network interfaces name a resource.")
    role.add_to_policy(writes_log(log))
    return role


def writes_log(log: logs.LogGroup) -> iam.PolicyStatement:
    """Let a function write to its log group, which is there; it needs no right to make one."""
    return iam.PolicyStatement(
        sid="WriteTheLog", actions=["logs:CreateLogStream", "logs:PutLogEvents"], resources=[log.log_group_arn]
    )


def let_findings_be(function: lambda_.Function) -> None:
    """Explain what cdk-nag finds about every function on the shared code."""
    for rule, reason in _AS_IT_SHOULD_BE.items():
        suppress(function, rule, reason=reason)


class CodeFunction(lambda_.Function):
    """One handler of the shared code; grants go to its own role."""

    def __init__(
        self,
        scope: Construct,
        identifier: str,
        foundation: Foundation,
        *,
        handler: str,
        timeout: Duration,
        memory_mib: int,
        environment: Mapping[str, str],
        description: str,
        user: str | None = APP_USER,
        reserved_concurrency: int | None = None,
        ephemeral_mib: int = 512,
    ) -> None:
        name = f"{foundation.deployment.name}-{identifier.lower()}"
        log = log_group(
            scope,
            f"{identifier}Log",
            deployment=foundation.deployment,
            key=foundation.key,
            name=f"/aws/lambda/{name}",
        )
        role = function_role(scope, f"{identifier}Role", log=log)
        super().__init__(
            scope,
            identifier,
            function_name=name,
            description=description,
            runtime=RUNTIME,
            architecture=foundation.architecture,
            code=foundation.code,
            handler=handler,
            role=role,
            timeout=timeout,
            memory_size=memory_mib,
            ephemeral_storage_size=Size.mebibytes(ephemeral_mib),
            environment={**foundation.environment, **environment},
            environment_encryption=foundation.key,
            log_group=log,
            logging_format=lambda_.LoggingFormat.JSON,
            vpc=foundation.network.vpc,
            ipv6_allowed_for_dual_stack=foundation.network.is_dual_stack or None,
            vpc_subnets=foundation.subnets,
            security_groups=[foundation.network.function_group],
            reserved_concurrent_executions=reserved_concurrency,
        )
        self.log = log
        let_findings_be(self)
        if user is not None:
            foundation.database.grant_connect(role, user=user)
