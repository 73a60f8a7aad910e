"""What API Gateway notes of each request: enough to find it again, nothing that it carried."""

import json

from aws_cdk import CfnResource, RemovalPolicy
from aws_cdk import aws_apigateway as apigateway
from aws_cdk import aws_iam as iam
from aws_cdk import aws_logs as logs
from constructs import Construct

from infra.suppressions import suppress

# Variables: docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-variables-for-access-logging.html.
# The resource path has names in place of ids and no query string, which holds questions; no header is among them.
_FIELDS = {
    "request_id": "$context.requestId",
    "extended_request_id": "$context.extendedRequestId",
    "received_at": "$context.requestTime",
    "method": "$context.httpMethod",
    "route": "$context.resourcePath",
    "status": "$context.status",
    "milliseconds": "$context.responseLatency",
    "function_milliseconds": "$context.integrationLatency",
    "answer_bytes": "$context.responseLength",
    "gateway_error": "$context.error.responseType",
    "address": "$context.identity.sourceIp",
}
_PUSH_POLICY = "service-role/AmazonAPIGatewayPushToCloudWatchLogs"


def access_log_setting(log: logs.LogGroup) -> dict[str, str]:
    """Return the property AccessLogSetting of an AWS::Serverless::Api."""
    return {"DestinationArn": log.log_group_arn, "Format": json.dumps(_FIELDS)}


def let_gateway_log(scope: Construct, *, api: CfnResource) -> None:
    """Give API Gateway its role for CloudWatch, one for all APIs of the account in the region.

    Both stay when the stage goes, since other APIs may write their logs by them by then.
    """
    role = iam.Role(
        scope,
        "GatewayLogRole",
        assumed_by=iam.ServicePrincipal("apigateway.amazonaws.com"),
        managed_policies=[iam.ManagedPolicy.from_aws_managed_policy_name(_PUSH_POLICY)],
    )
    suppress(
        role,
        f"AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/{_PUSH_POLICY}]",
        reason="API Gateway asks for this policy; the role serves all APIs of the account, not this one alone.",
    )
    role.apply_removal_policy(RemovalPolicy.RETAIN)
    account = apigateway.CfnAccount(scope, "GatewayAccount", cloud_watch_role_arn=role.role_arn)
    account.apply_removal_policy(RemovalPolicy.RETAIN)
    api.add_resource_dependency(account)
