"""The code that the API and every worker share, as one zip."""

from pathlib import Path

from aws_cdk import aws_lambda as lambda_
from constructs import Construct

from infra.configuration import Deployment
from infra.packaging.package import build_package
from infra.packaging.target import Target

PACKAGE = "package"
"""A key of the CDK's context: the path of a zip to take as it is, in place of building one."""

_PYTHON = (3, 13)


def shared_code(scope: Construct, deployment: Deployment) -> lambda_.Code:
    """Return the package for the stage's processor; it is built once for the same sources and locked versions."""
    given = scope.node.try_get_context(PACKAGE)
    path = Path(given) if given else build_package(Target.of_lambda(deployment.architecture, python=_PYTHON))
    return lambda_.Code.from_asset(str(path))
