"""Where originals are kept: a bucket of the stage's own, or one that exists already."""

from typing import cast

from aws_cdk import Duration, Stack
from aws_cdk import aws_iam as iam
from aws_cdk import aws_kms as kms
from aws_cdk import aws_s3 as s3
from constructs import Construct

from infra.configuration import Deployment
from infra.kept_data import removal_policy_of
from infra.suppressions import suppress

STAGING_DAYS = 7
"""How long bytes stay that were sent and not taken in: the time to make room and retry."""
NONCURRENT_DAYS = 30
_ACCESS_LOG_PREFIX = "originals/"


class Originals(Construct):
    """The bucket of originals. `key` is what its objects are encrypted with."""

    def __init__(self, scope: Construct, identifier: str, *, deployment: Deployment, key: kms.IKey) -> None:
        super().__init__(scope, identifier)
        self._deployment = deployment
        self.key: kms.IKey | None = key
        if deployment.originals_bucket is None:
            self.bucket: s3.IBucket = self._own_bucket(key)
        else:
            self.key = self._imported_key()
            self.bucket = self._imported_bucket(deployment.originals_bucket)

    def _own_bucket(self, key: kms.IKey) -> s3.Bucket:
        keep = self._deployment.keep_data
        bucket = s3.Bucket(
            self,
            "Bucket",
            encryption=s3.BucketEncryption.KMS,
            encryption_key=key,
            bucket_key_enabled=True,
            enforce_ssl=True,
            minimum_tls_version=1.2,
            block_public_access=s3.BlockPublicAccess.BLOCK_ALL,
            object_ownership=s3.ObjectOwnership.BUCKET_OWNER_ENFORCED,
            versioned=True,
            lifecycle_rules=_lifecycle(),
            cors=self._cors(),
            removal_policy=removal_policy_of(self._deployment),
            auto_delete_objects=not keep,
        )
        # The properties themselves: for `event_bridge_enabled` the CDK adds a function that sets it, and for
        # `server_access_logs_bucket` an ACL, which a bucket that enforces ownership refuses.
        resource = cast("s3.CfnBucket", bucket.node.default_child)
        resource.notification_configuration = s3.CfnBucket.NotificationConfigurationProperty(
            event_bridge_configuration=s3.CfnBucket.EventBridgeConfigurationProperty(event_bridge_enabled=True)
        )
        access_log = self._access_log_bucket()
        resource.logging_configuration = s3.CfnBucket.LoggingConfigurationProperty(
            destination_bucket_name=access_log.bucket_name, log_file_prefix=_ACCESS_LOG_PREFIX
        )
        # S3 is told to write there once it may, and as long as it may.
        if access_log.policy is not None:
            bucket.node.add_dependency(access_log.policy)
        return bucket

    def _access_log_bucket(self) -> s3.Bucket:
        """Return where S3 notes who asked for what; S3 cannot write such logs under a customer-managed key.

        https://docs.aws.amazon.com/AmazonS3/latest/userguide/enable-server-access-logging.html.
        """
        keep = self._deployment.keep_data
        bucket = s3.Bucket(
            self,
            "AccessLog",
            encryption=s3.BucketEncryption.S3_MANAGED,
            enforce_ssl=True,
            minimum_tls_version=1.2,
            block_public_access=s3.BlockPublicAccess.BLOCK_ALL,
            object_ownership=s3.ObjectOwnership.BUCKET_OWNER_ENFORCED,
            lifecycle_rules=[s3.LifecycleRule(id="forget", expiration=Duration.days(self._deployment.log_days))],
            removal_policy=removal_policy_of(self._deployment),
            auto_delete_objects=not keep,
        )
        # The source is named by account alone: the two buckets would each need the other's name.
        bucket.add_to_resource_policy(
            iam.PolicyStatement(
                sid="S3WritesTheLog",
                principals=[iam.ServicePrincipal("logging.s3.amazonaws.com")],
                actions=["s3:PutObject"],
                resources=[bucket.arn_for_objects(f"{_ACCESS_LOG_PREFIX}*")],
                conditions={"StringEquals": {"aws:SourceAccount": Stack.of(self).account}},
            )
        )
        return bucket

    def _cors(self) -> list[s3.CorsRule] | None:
        """Let browsers send to and read from presigned URLs; these decide what may be done."""
        if not self._deployment.cors_origins:
            return None
        return [
            s3.CorsRule(
                allowed_methods=[s3.HttpMethods.GET, s3.HttpMethods.HEAD, s3.HttpMethods.PUT],
                allowed_origins=list(self._deployment.cors_origins),
                allowed_headers=["*"],
                exposed_headers=["ETag"],
                max_age=3600,
            )
        ]

    def _imported_key(self) -> kms.IKey | None:
        arn = self._deployment.originals_key
        return None if arn is None else kms.Key.from_key_arn(self, "Key", arn)

    def _imported_bucket(self, name: str) -> s3.IBucket:
        """Return an existing bucket, its events sent to EventBridge as well.

        The resource behind `enable_event_bridge_notification` reads what a foreign bucket notifies already and puts
        it back with EventBridge added; when the stage goes, all of that stays.
        """
        bucket = s3.Bucket.from_bucket_attributes(self, "Bucket", bucket_name=name, encryption_key=self.key)
        bucket.enable_event_bridge_notification()
        for child in Stack.of(self).node.children:
            if child.node.id.startswith("BucketNotificationsHandler"):
                suppress(
                    child,
                    "AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AWSLambdaBasicExecutionRole]",
                    reason="CDK's own function, which sees the settings of the bucket and nothing in it.",
                )
        return bucket


def _lifecycle() -> list[s3.LifecycleRule]:
    return [
        s3.LifecycleRule(id="staging", prefix="staging/", expiration=Duration.days(STAGING_DAYS)),
        s3.LifecycleRule(
            id="versions",
            noncurrent_version_expiration=Duration.days(NONCURRENT_DAYS),
            abort_incomplete_multipart_upload_after=Duration.days(1),
        ),
        s3.LifecycleRule(id="markers", expired_object_delete_marker=True),
    ]
