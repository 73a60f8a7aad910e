"""The stage's own key, with which everything that it keeps is encrypted."""

from aws_cdk import ArnFormat, Stack
from aws_cdk import aws_iam as iam
from aws_cdk import aws_kms as kms
from constructs import Construct

from infra.configuration import Deployment
from infra.kept_data import removal_policy_of


class Encryption(Construct):
    """A customer-managed key that turns yearly; one key a stage, since each costs a dollar a month."""

    def __init__(self, scope: Construct, identifier: str, *, deployment: Deployment) -> None:
        super().__init__(scope, identifier)
        stack = Stack.of(self)
        self.key = kms.Key(
            self,
            "Key",
            alias=f"alias/{deployment.name}",
            description=f"Everything that Lorebase keeps for the stage {deployment.stage}",
            enable_key_rotation=True,
            removal_policy=removal_policy_of(deployment),
        )
        # docs.aws.amazon.com/AmazonCloudWatch/latest/logs/encrypt-log-data-kms.html
        self.key.grant_encrypt_decrypt(
            iam.ServicePrincipal(
                f"logs.{stack.region}.amazonaws.com",
                conditions={
                    "ArnLike": {
                        "kms:EncryptionContext:aws:logs:arn": stack.format_arn(
                            service="logs",
                            resource="log-group",
                            resource_name="*",
                            arn_format=ArnFormat.COLON_RESOURCE_NAME,
                        )
                    }
                },
            )
        )
