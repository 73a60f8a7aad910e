"""Where logs are kept: encrypted under the stage's key, and forgotten after its days."""

from aws_cdk import RemovalPolicy
from aws_cdk import aws_kms as kms
from aws_cdk import aws_logs as logs
from constructs import Construct

from infra.configuration import Deployment

_RETENTIONS = {
    7: logs.RetentionDays.ONE_WEEK,
    14: logs.RetentionDays.TWO_WEEKS,
    30: logs.RetentionDays.ONE_MONTH,
    90: logs.RetentionDays.THREE_MONTHS,
    365: logs.RetentionDays.ONE_YEAR,
}


def log_group(scope: Construct, identifier: str, *, deployment: Deployment, key: kms.IKey, name: str) -> logs.LogGroup:
    """Return a log group that goes with the stage."""
    return logs.LogGroup(
        scope,
        identifier,
        log_group_name=name,
        encryption_key=key,
        retention=_RETENTIONS[deployment.log_days],
        removal_policy=RemovalPolicy.DESTROY,
    )
