"""What every function of a stage stands on, made once and handed to the constructs that add functions."""

from collections.abc import Mapping
from dataclasses import dataclass

from aws_cdk import aws_ec2 as ec2
from aws_cdk import aws_kms as kms
from aws_cdk import aws_lambda as lambda_

from infra.configuration import Deployment
from infra.database import Database
from infra.network import Network


@dataclass(frozen=True)
class Foundation:
    """The shared code and what it needs around it; `environment` is the part that all functions have in common."""

    deployment: Deployment
    key: kms.Key
    network: Network
    database: Database
    code: lambda_.Code
    environment: Mapping[str, str]

    @property
    def architecture(self) -> lambda_.Architecture:
        """The processor that functions run on."""
        return lambda_.Architecture.ARM_64 if self.deployment.architecture == "arm64" else lambda_.Architecture.X86_64

    @property
    def subnets(self) -> ec2.SubnetSelection:
        """Where functions that touch the database live."""
        return self.network.function_subnets
