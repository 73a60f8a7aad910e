"""What fetches the documents of issuers: a function outside the network, since those within do not reach the internet.

It is handed addresses that strangers wrote, so it stands where nothing of ours is to be reached, and holds nothing.
"""

from aws_cdk import Duration
from aws_cdk import aws_lambda as lambda_
from constructs import Construct

from infra.code_function import RUNTIME, let_findings_be
from infra.environment import environment_of
from infra.foundation import Foundation
from infra.log_groups import log_group
from infra.outside_network import outside_role

# A document is waited for five seconds; the rest is a cold start (chalicelib/platform/public_documents.py).
_TIMEOUT = Duration.seconds(10)
# Enough of a processor for the handshake of TLS to be quick.
_MEMORY_MIB = 512


class IssuerDocuments(Construct):
    """The function, on the shared code, called by the API alone."""

    def __init__(self, scope: Construct, identifier: str, foundation: Foundation) -> None:
        super().__init__(scope, identifier)
        deployment, key = foundation.deployment, foundation.key
        name = f"{deployment.name}-issuers"
        self.log = log_group(self, "Log", deployment=deployment, key=key, name=f"/aws/lambda/{name}")
        self.function = lambda_.Function(
            self,
            "Function",
            function_name=name,
            description="Fetches what issuers of tokens publish",
            runtime=RUNTIME,
            architecture=foundation.architecture,
            code=foundation.code,
            handler="chalicelib.triggers.issuer_documents.handle",
            role=outside_role(self, "Role", key=key, log=self.log, function_name=name),
            timeout=_TIMEOUT,
            memory_size=_MEMORY_MIB,
            environment=dict(environment_of(stage=deployment.stage)),
            environment_encryption=key,
            log_group=self.log,
            logging_format=lambda_.LoggingFormat.JSON,
        )
        let_findings_be(self.function)
