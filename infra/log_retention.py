"""How long logs are kept, in the words of the CDK."""

from aws_cdk import aws_logs as logs

from infra.configuration import Deployment

_RETENTIONS = {
    7: logs.RetentionDays.ONE_WEEK,
    14: logs.RetentionDays.TWO_WEEKS,
    30: logs.RetentionDays.ONE_MONTH,
    90: logs.RetentionDays.THREE_MONTHS,
    365: logs.RetentionDays.ONE_YEAR,
}


def retention_of(deployment: Deployment) -> logs.RetentionDays:
    """Return how long the stage keeps its logs."""
    return _RETENTIONS[deployment.log_days]
