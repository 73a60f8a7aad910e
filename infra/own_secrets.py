"""Secrets that a stage makes for itself: what API keys are hashed with, and what cursors are signed with."""

from aws_cdk import ArnFormat, Stack
from aws_cdk import aws_kms as kms
from aws_cdk import aws_secretsmanager as secretsmanager
from constructs import Construct

from infra.configuration import Deployment
from infra.kept_data import removal_policy_of
from infra.suppressions import suppress

OWN_SECRETS = ("api-key-pepper", "cursor-key")
_CHARACTERS = 43
"""Letters and digits worth 256 bits."""


def secret_name(deployment: Deployment, name: str) -> str:
    """Return what a secret of the stage is called in Secrets Manager."""
    return f"lorebase/{deployment.stage}/{name}"


def secret_arn(scope: Construct, deployment: Deployment, name: str) -> str:
    """Return a pattern of the secret's ARN, to whose name Secrets Manager adds six characters of its own.

    docs.aws.amazon.com/secretsmanager/latest/userguide/auth-and-access_iam-policies.html
    """
    return Stack.of(scope).format_arn(
        service="secretsmanager",
        resource="secret",
        resource_name=f"{secret_name(deployment, name)}-??????",
        arn_format=ArnFormat.COLON_RESOURCE_NAME,
    )


class OwnSecrets(Construct):
    """Made before any function asks for them, so that none needs the right to make secrets.

    The pepper stays with data that is kept: without it no API key of a restored database is good any more.
    """

    def __init__(self, scope: Construct, identifier: str, *, deployment: Deployment, key: kms.IKey) -> None:
        super().__init__(scope, identifier)
        for name in OWN_SECRETS:
            secret = secretsmanager.Secret(
                self,
                name,
                secret_name=secret_name(deployment, name),
                encryption_key=key,
                generate_secret_string=secretsmanager.SecretStringGenerator(
                    password_length=_CHARACTERS, exclude_punctuation=True
                ),
                removal_policy=removal_policy_of(deployment),
            )
            suppress(
                secret,
                "AwsSolutions-SMG4",
                reason="Another pepper would end every API key, and another cursor key every listing under way.",
            )
