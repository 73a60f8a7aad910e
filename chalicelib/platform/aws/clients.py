"""Clients of AWS, made on first use and kept: each costs a tenth of a second to make."""

from threading import Lock
from typing import TYPE_CHECKING

import boto3
from botocore.config import Config
from botocore.session import get_session

if TYPE_CHECKING:
    from botocore.credentials import Credentials
    from mypy_boto3_lambda.client import LambdaClient
    from mypy_boto3_s3.client import S3Client
    from mypy_boto3_secretsmanager.client import SecretsManagerClient
    from mypy_boto3_sqs.client import SQSClient

_CONFIG = Config(
    connect_timeout=3,
    read_timeout=20,
    retries={"mode": "standard", "total_max_attempts": 4},
    signature_version="v4",
)
# A request asks for the sweep and rings, one after the other: both have to come to nothing before API Gateway gives up
# after 29 seconds, as what is not rung for is swept up.
_SQS_CONFIG = _CONFIG.merge(
    Config(connect_timeout=2, read_timeout=3, retries={"mode": "standard", "total_max_attempts": 3})
)


class Clients:
    """One client a service for a process; clients are thread-safe, their making is not."""

    def __init__(self, *, endpoint_url: str = "") -> None:
        """`endpoint_url` takes the place of AWS's own endpoints."""
        self._endpoint_url = endpoint_url or None
        core = get_session()
        self._session = boto3.Session(botocore_session=core)
        self.uses_dual_stack = bool(core.get_config_variable("use_dualstack_endpoint"))
        self._lock = Lock()
        self._s3: S3Client | None = None
        self._sqs: SQSClient | None = None
        self._secrets: SecretsManagerClient | None = None
        self._functions: LambdaClient | None = None

    @property
    def s3(self) -> "S3Client":
        """Amazon S3, or what speaks its protocol."""
        with self._lock:
            if self._s3 is None:
                self._s3 = self._session.client(
                    "s3", endpoint_url=self._endpoint_url, config=_s3_config(own_endpoint=bool(self._endpoint_url))
                )
            return self._s3

    @property
    def sqs(self) -> "SQSClient":
        """Amazon SQS."""
        with self._lock:
            if self._sqs is None:
                self._sqs = self._session.client("sqs", endpoint_url=self._endpoint_url, config=_SQS_CONFIG)
            return self._sqs

    @property
    def secrets(self) -> "SecretsManagerClient":
        """AWS Secrets Manager."""
        with self._lock:
            if self._secrets is None:
                self._secrets = self._session.client("secretsmanager", endpoint_url=self._endpoint_url, config=_CONFIG)
            return self._secrets

    @property
    def functions(self) -> "LambdaClient":
        """AWS Lambda; an answer may take as long as a cold container needs to load a model."""
        with self._lock:
            if self._functions is None:
                self._functions = self._session.client(
                    "lambda", endpoint_url=self._endpoint_url, config=_CONFIG.merge(Config(read_timeout=60))
                )
            return self._functions

    @property
    def region(self) -> str:
        """The region that the process is in; empty where nothing says it."""
        return self._session.region_name or ""

    def credentials(self) -> "Credentials | None":
        """Return who the process is; botocore renews what is in it."""
        with self._lock:
            return self._session.get_credentials()

    def close(self) -> None:
        """Close the connections that are kept open."""
        for client in (self._s3, self._sqs, self._secrets, self._functions):
            if client is not None:
                client.close()


def _s3_config(*, own_endpoint: bool) -> Config:
    """Return the settings of S3.

    Checksums that botocore adds by itself since 1.36 are unknown to many compatible stores, and must never
    get into presigned URLs, whose bodies botocore does not see; TLS and the signed length guard the way, and
    the SHA-256 that intake takes of every original guards the rest. The regional endpoint is needed since a
    presigned URL cannot follow the redirect of the global one.
    """
    return _CONFIG.merge(
        Config(
            signature_version="s3v4",
            request_checksum_calculation="when_required",
            response_checksum_validation="when_required",
            s3={
                "addressing_style": "path" if own_endpoint else "virtual",
                "us_east_1_regional_endpoint": "regional",
            },
        )
    )
