"""The step of a deployment that prepares the database, before anything serves the new version."""

from collections.abc import Mapping

from aws_cdk import CfnOutput, CfnResource, Duration, Stack, triggers
from aws_cdk import aws_iam as iam
from aws_cdk import aws_secretsmanager as secretsmanager
from constructs import Construct

from infra.code_function import CodeFunction, writes_log
from infra.environment import environment_of
from infra.foundation import Foundation
from infra.kept_data import removal_policy_of
from infra.log_groups import log_group
from infra.own_secrets import secret_arn, secret_name
from infra.permissions import MIGRATIONS
from infra.suppressions import suppress

OWNER_KEY = "owner-key"
_CALLER = "AWSCDK.TriggerCustomResourceProviderCustomResourceProvider"
PEPPER = "api-key-pepper"
# The longest that Lambda lets a function work (docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html),
# less a minute in which the failure can still be told.
_TIMEOUT = Duration.minutes(14)


class Migrations(Construct):
    """A function that is the database's master, and a trigger that calls it whenever it is another than before.

    It is the only one that may read the master's secret, and it goes past the proxy: a migration keeps a lock for
    its session. If it fails, so does the deployment, with the reason that it gave.
    """

    def __init__(self, scope: Construct, identifier: str, foundation: Foundation) -> None:
        super().__init__(scope, identifier)
        deployment = foundation.deployment
        self.owner_key = self._owner_key(foundation)
        self.function = CodeFunction(
            self,
            "Migrations",
            foundation,
            handler="chalicelib.triggers.functions.handle_migrations",
            description="Prepares the database at each deployment",
            timeout=_TIMEOUT,
            memory_mib=512,
            environment=self._environment(foundation),
            user=None,
            reserved_concurrency=None,
        )
        self._grant(foundation)
        self.trigger = triggers.Trigger(
            self,
            "Trigger",
            handler=self.function,
            timeout=_TIMEOUT,
            invocation_type=triggers.InvocationType.REQUEST_RESPONSE,
        )
        self.trigger.execute_after(foundation.network, foundation.database)
        self._keep_caller_log(foundation)
        CfnOutput(
            self,
            "OwnerKeyCommand",
            value=f"aws secretsmanager get-secret-value --secret-id {secret_name(deployment, OWNER_KEY)}"
            " --query SecretString --output text",
            description="Prints the first owner's API key",
        )

    def run_before(self, *constructs: Construct) -> None:
        """Let nothing of these be made or changed before the database is prepared."""
        self.trigger.execute_before(*constructs)

    def _keep_caller_log(self, foundation: Foundation) -> None:
        """Give the function of CDK's own that calls ours a log group that goes with the stack.

        Lambda would make one by itself, unencrypted and for ever. The right to make log groups goes: with it the
        last lines of a stage that is taken down may bring the group back, and its name would be taken next time.
        """
        name = f"/aws/lambda/{foundation.deployment.name}-migrations-caller"
        log = log_group(self, "CallerLog", deployment=foundation.deployment, key=foundation.key, name=name)
        provider = Stack.of(self).node.find_child(_CALLER).node
        caller, role = provider.find_child("Handler"), provider.find_child("Role")
        if not isinstance(caller, CfnResource) or not isinstance(role, CfnResource):
            raise TypeError("CDK makes the caller of triggers in another way now")
        caller.add_property_override("LoggingConfig", {"LogFormat": "JSON", "LogGroup": log.log_group_name})
        role.add_property_deletion_override("ManagedPolicyArns")
        policy = iam.CfnPolicy(
            self,
            "CallerLogPolicy",
            policy_name="WriteTheLog",
            roles=[role.ref],
            policy_document=iam.PolicyDocument(statements=[writes_log(log)]),
        )
        caller.add_resource_dependency(policy)

    def _environment(self, foundation: Foundation) -> Mapping[str, str]:
        return environment_of(
            database_host=foundation.database.cluster.cluster_endpoint.hostname,
            database_proxied=False,
            database_master_secret=foundation.database.secret.secret_arn,
        )

    def _owner_key(self, foundation: Foundation) -> secretsmanager.CfnSecret:
        """Return a secret without a value: the function puts one in, and needs no right to make secrets."""
        deployment = foundation.deployment
        secret = secretsmanager.CfnSecret(
            self,
            "OwnerKey",
            name=secret_name(deployment, OWNER_KEY),
            description="The first owner's API key",
            kms_key_id=foundation.key.key_arn,
        )
        secret.apply_removal_policy(removal_policy_of(deployment))
        suppress(
            secret,
            "AwsSolutions-SMG4",
            reason="The key is fetched once and deleted; its holder revokes it and makes another through the API.",
        )
        return secret

    def _grant(self, foundation: Foundation) -> None:
        arns = {
            "secret of the master": foundation.database.secret.secret_arn,
            f"secret {PEPPER}": secret_arn(self, foundation.deployment, PEPPER),
            f"secret {OWNER_KEY}": self.owner_key.ref,
            "key": foundation.key.key_arn,
        }
        for permission in MIGRATIONS:
            self.function.add_to_role_policy(
                iam.PolicyStatement(
                    actions=list(permission.actions), resources=[arns[name] for name in permission.resources]
                )
            )
