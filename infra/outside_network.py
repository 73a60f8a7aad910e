"""What a function outside the network may do: read its own variables, write its own log, and nothing else of ours."""

from aws_cdk import ArnFormat, Stack
from aws_cdk import aws_iam as iam
from aws_cdk import aws_kms as kms
from aws_cdk import aws_logs as logs
from constructs import Construct


def outside_role(
    scope: Construct, identifier: str, *, key: kms.IKey, log: logs.LogGroup, function_name: str
) -> iam.Role:
    """Return the role of a function that is called by name, and touches neither database nor secrets."""
    role = iam.Role(scope, identifier, assumed_by=iam.ServicePrincipal("lambda.amazonaws.com"))
    function_arn = Stack.of(scope).format_arn(
        service="lambda",
        resource="function",
        resource_name=function_name,
        arn_format=ArnFormat.COLON_RESOURCE_NAME,
    )
    # Lambda decrypts a function's variables in the name of its role, under the function's ARN, and calls nothing
    # whose role may not (github.com/cattle-ops/terraform-aws-gitlab-runner pull request 1253,
    # github.com/aws/serverless-application-model issue 1989).
    role.add_to_policy(
        iam.PolicyStatement(
            sid="ReadTheEnvironment",
            actions=["kms:Decrypt"],
            resources=[key.key_arn],
            conditions={"StringEquals": {"kms:EncryptionContext:aws:lambda:FunctionArn": function_arn}},
        )
    )
    role.add_to_policy(
        iam.PolicyStatement(
            sid="WriteTheLog", actions=["logs:CreateLogStream", "logs:PutLogEvents"], resources=[log.log_group_arn]
        )
    )
    return role
