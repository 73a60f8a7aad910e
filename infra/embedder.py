"""The embedder: a container image with the model inside, outside the network, called by name by other functions."""

import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

from aws_cdk import Duration
from aws_cdk import aws_ecr_assets as assets
from aws_cdk import aws_iam as iam
from aws_cdk import aws_kms as kms
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_logs as logs
from constructs import Construct

from infra.configuration import Deployment
from infra.environment import environment_of
from infra.log_groups import log_group
from infra.outside_network import outside_role
from infra.suppressions import suppress

ROOT = Path(__file__).resolve().parents[1]
DOCKERFILE = "functions/embed/Dockerfile"

# Memory buys processors: 1,769 MB a whole one (docs.aws.amazon.com/lambda/latest/dg/configuration-memory.html).
# New accounts get 3,008 MB at most (docs.aws.amazon.com/lambda/latest/dg/troubleshooting-deployment.html).
_MEMORY_MIB = 3008
# What its callers wait (chalicelib/platform/aws/clients.py); to work on for longer would be for nobody.
_TIMEOUT = Duration.seconds(60)


class Embedder(Construct):
    """Without one (`embedder = "none"`) the construct is empty, and `function` is None.

    Nothing is reserved for it: an account may not reserve its last 10 concurrent executions, which is all that a new
    account has, and its callers are bounded themselves.
    """

    def __init__(self, scope: Construct, identifier: str, *, deployment: Deployment, key: kms.IKey) -> None:
        super().__init__(scope, identifier)
        self.model = deployment.model
        self.function: lambda_.DockerImageFunction | None = None
        self.log: logs.LogGroup | None = None
        if deployment.embedder == "lambda":
            self.log = self._log(deployment, key)
            self.function = self._function(deployment, key, log=self.log)
            suppress(
                self.function,
                "Serverless-LambdaDLQ",
                reason="Who calls it waits for the answer; there is no letter that could be dead.",
            )
            suppress(
                self.function,
                "Serverless-LambdaTracing",
                reason="Traces cost more than they tell here; correlation ids tie log lines together.",
            )

    def grant_invoke(self, role: iam.IRole) -> None:
        """Let a role call the function, and do nothing else with it."""
        if self.function is not None:
            statement = iam.PolicyStatement(
                sid="CallTheEmbedder", actions=["lambda:InvokeFunction"], resources=[self.function.function_arn]
            )
            role.add_to_principal_policy(statement)

    def _log(self, deployment: Deployment, key: kms.IKey) -> logs.LogGroup:
        return log_group(self, "Log", deployment=deployment, key=key, name=f"/aws/lambda/{deployment.name}-embedder")

    def _function(self, deployment: Deployment, key: kms.IKey, *, log: logs.LogGroup) -> lambda_.DockerImageFunction:
        is_arm = deployment.architecture == "arm64"
        with tempfile.TemporaryDirectory() as scratch:
            code = lambda_.DockerImageCode.from_image_asset(
                stage_context(Path(scratch)),
                file=DOCKERFILE,
                build_args={"MODEL": deployment.model, "ENGINE": deployment.engine},
                platform=assets.Platform.LINUX_ARM64 if is_arm else assets.Platform.LINUX_AMD64,
                asset_name="lorebase-embedder",
            )
            return lambda_.DockerImageFunction(
                self,
                "Function",
                function_name=f"{deployment.name}-embedder",
                description=f"Embeds texts by {deployment.model}",
                code=code,
                architecture=lambda_.Architecture.ARM_64 if is_arm else lambda_.Architecture.X86_64,
                memory_size=_MEMORY_MIB,
                timeout=_TIMEOUT,
                role=outside_role(self, "Role", key=key, log=log, function_name=f"{deployment.name}-embedder"),
                log_group=log,
                logging_format=lambda_.LoggingFormat.JSON,
                environment=dict(environment_of(embed_model=deployment.model, stage=deployment.stage, metrics="emf")),
                environment_encryption=key,
            )


def stage_context(folder: Path) -> str:
    """Copy the image's build context, which its .dockerignore names, into `folder`; returns its path."""
    for place in context_places():
        source, target = ROOT / place, folder / place
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, target)
    return str(folder)


def context_places() -> Sequence[str]:
    """Return the files and folders that the image is built from, relative to the project."""
    lines = (ROOT / f"{DOCKERFILE}.dockerignore").read_text("utf-8").splitlines()
    return [line[1:] for line in lines if line.startswith("!")]
