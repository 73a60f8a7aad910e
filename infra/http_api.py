"""The HTTP API: Chalice's routes on API Gateway, and the one function behind them."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from aws_cdk import Aws, CfnResource
from aws_cdk import aws_lambda as lambda_
from constructs import Construct

from infra.access_log import access_log_setting, let_gateway_log
from infra.chalice_template import GATEWAY_STAGE, ChaliceTemplate
from infra.code_function import APP_USER, RUNTIME, function_role
from infra.configuration import Domain
from infra.connections import API_POOL
from infra.environment import environment_of
from infra.firewall import Firewall
from infra.foundation import Foundation
from infra.gateway_responses import gateway_responses
from infra.log_groups import log_group
from infra.originals import Originals
from infra.permissions import Arns
from infra.queues import Queues
from infra.surroundings import surroundings_of

if TYPE_CHECKING:
    from infra.embedder import Embedder
    from infra.issuer_documents import IssuerDocuments

# What API Gateway waits at most, unless a quota is raised
# (docs.aws.amazon.com/apigateway/latest/developerguide/limits.html).
TIMEOUT_SECONDS = 29
# A full virtual processor is had at 1,769 MB, and a cold start is work of the processor alone
# (docs.aws.amazon.com/lambda/latest/dg/configuration-memory.html).
MEMORY_MIB = 1769
# What Lambda takes and gives at most is 6 MB (docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html);
# base64 makes four bytes of three, and the rest of the event needs some room.
REQUEST_BYTES = 4_400_000
ANSWER_BYTES = 6 * 1024 * 1024 - 64 * 1024


class HttpApi(Construct):
    """API Gateway, its one function, and what is optional in front of them: a domain, a firewall."""

    def __init__(
        self,
        scope: Construct,
        identifier: str,
        foundation: Foundation,
        *,
        originals: Originals,
        queues: Queues,
        embedder: "Embedder",
        issuers: "IssuerDocuments",
    ) -> None:
        super().__init__(scope, identifier)
        deployment = foundation.deployment
        self.name = f"{deployment.name}-api"
        self.log = log_group(self, "Log", deployment=deployment, key=foundation.key, name=f"/aws/lambda/{self.name}")
        self.access_log = log_group(
            self, "AccessLog", deployment=deployment, key=foundation.key, name=f"/aws/apigateway/{self.name}"
        )
        self.role = function_role(self, "Role", log=self.log)
        self._template = ChaliceTemplate(
            self,
            "Chalice",
            code=foundation.code,
            stage_config={
                "manage_iam_role": False,
                "iam_role_arn": self.role.role_arn,
                "api_gateway_stage": GATEWAY_STAGE,
                "api_gateway_endpoint_type": "REGIONAL",
                "lambda_timeout": TIMEOUT_SECONDS,
                "lambda_memory_size": MEMORY_MIB,
            },
        )
        self.stage_name = GATEWAY_STAGE
        self.rest_api_id = self._template.api.ref
        self.function: lambda_.IFunction = self._template.get_function("APIHandler")
        surroundings = surroundings_of(originals=originals, queues=queues, embedder=embedder)
        self._shape_function(
            foundation, {**surroundings, **environment_of(issuer_function=issuers.function.function_name)}
        )
        self._shape_api(foundation)
        arns = Arns(
            self,
            deployment,
            key_arn=foundation.key.key_arn,
            originals=originals,
            queues=queues,
            embedder=embedder,
            issuers=issuers,
        )
        arns.grant("api", self.role)
        self.url = self._url(deployment.domain)
        foundation.database.grant_connect(self.role, user=APP_USER)
        if deployment.gateway_log_role:
            let_gateway_log(self, api=self._template.api)
        if deployment.firewall:
            Firewall(self, "Firewall", deployment=deployment, api=self._template.api)

    @property
    def handler(self) -> CfnResource:
        """The function's resource, for what has to come before it."""
        return self._template.handler

    def _url(self, domain: Domain | None) -> str:
        if domain is not None:
            return f"https://{domain.name}"
        return f"https://{self.rest_api_id}.execute-api.{Aws.REGION}.{Aws.URL_SUFFIX}/{GATEWAY_STAGE}"

    def _shape_function(self, foundation: Foundation, surroundings: Mapping[str, str]) -> None:
        handler = self._template.handler
        network = foundation.network
        vpc: dict[str, object] = {
            "SubnetIds": network.vpc.select_subnets(subnet_group_name=foundation.subnets.subnet_group_name).subnet_ids,
            "SecurityGroupIds": [network.function_group.security_group_id],
        }
        if network.is_dual_stack:
            vpc["Ipv6AllowedForDualStack"] = True
        variables = {
            **foundation.environment,
            **surroundings,
            **environment_of(
                request_bytes=REQUEST_BYTES, answer_bytes=ANSWER_BYTES, database_pool_size=API_POOL, workers=0
            ),
        }
        properties = {
            "FunctionName": self.name,
            "Description": f"The HTTP API of Lorebase, stage {foundation.deployment.stage}",
            "Runtime": RUNTIME.name,
            "Architectures": [foundation.architecture.name],
            "VpcConfig": vpc,
            "KmsKeyArn": foundation.key.key_arn,
            "LoggingConfig": {"LogFormat": "JSON", "LogGroup": self.log.log_group_name},
            "Environment": {"Variables": variables},
            # A trace would cost more than the request, and X-Ray has no endpoint in an isolated network.
            "Tracing": "PassThrough",
        }
        for name, value in properties.items():
            handler.add_property_override(name, value)
        handler.node.add_dependency(self.role)

    def _shape_api(self, foundation: Foundation) -> None:
        deployment = foundation.deployment
        api = self._template.api
        properties: dict[str, object] = {
            "Name": self.name,
            # What is imported names the API anew, and metrics go by its name
            # (github.com/hashicorp/terraform-provider-aws issue 10766).
            "DefinitionBody.info.title": self.name,
            # Unless it is told the version, SAM makes a second stage called "Stage", which serves every route without
            # firewall, throttling or access log (github.com/aws/serverless-application-model issues 191 and 2077).
            "OpenApiVersion": "2.0",
            "TracingEnabled": False,
            "AccessLogSetting": access_log_setting(self.access_log),
            "GatewayResponses": gateway_responses(deployment.cors_origins),
            "MethodSettings": [
                {
                    "ResourcePath": "/*",
                    "HttpMethod": "*",
                    # Those of the API and its stage are there anyway. These are five for each method, each paid for
                    # (docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-metrics-and-dimensions.html).
                    "MetricsEnabled": False,
                    # Its entries would hold whole requests, the Authorization header with them.
                    "LoggingLevel": "OFF",
                    "DataTraceEnabled": False,
                    "ThrottlingRateLimit": deployment.requests_per_second,
                    "ThrottlingBurstLimit": 2 * deployment.requests_per_second,
                }
            ],
            # TLS 1.2 or later (docs.aws.amazon.com/apigateway/latest/developerguide/apigateway-security-policies.html).
            "DefinitionBody.x-amazon-apigateway-security-policy": "SecurityPolicy_TLS13_1_2_PQ_2025_09",
            "DefinitionBody.x-amazon-apigateway-endpoint-access-mode": "BASIC",
        }
        if deployment.domain is not None:
            properties["Domain"] = _domain(deployment.domain)
            properties["DisableExecuteApiEndpoint"] = True
        for name, value in properties.items():
            api.add_property_override(name, value)


def _domain(domain: Domain) -> dict[str, object]:
    """Return the property Domain of an AWS::Serverless::Api: the name, its mapping to the stage, and its alias."""
    return {
        "DomainName": domain.name,
        "CertificateArn": domain.certificate_arn,
        "EndpointConfiguration": "REGIONAL",
        "SecurityPolicy": "TLS_1_2",
        "Route53": {"HostedZoneId": domain.hosted_zone_id, "IpV6": True},
    }
