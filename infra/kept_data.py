"""What becomes of what a stage keeps, once the stage goes."""

from aws_cdk import RemovalPolicy

from infra.configuration import Deployment


def removal_policy_of(deployment: Deployment) -> RemovalPolicy:
    """Return the policy for what holds data or is needed to read it.

    Not RETAIN: what a first deployment that failed had made would stay, and hold the names that the next one needs
    (docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/aws-attribute-deletionpolicy.html).
    """
    return RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE if deployment.keep_data else RemovalPolicy.DESTROY
