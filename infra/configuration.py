"""What an operator decides about a deployment: one table of lorebase.toml, or the CDK context."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

from chalicelib.settings import Settings


class UnknownStage(ValueError):
    """The configuration file has no table for the stage, and does have tables for others."""


class _Choice(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Domain(_Choice):
    """A name of one's own for the API, in a zone of Route 53 and with a certificate of the stack's region."""

    name: str
    hosted_zone_id: str
    hosted_zone_name: str
    certificate_arn: str


class DatabaseChoice(_Choice):
    """Sizes of the cluster, in Aurora capacity units (2 GiB of memory each); 0 lets it pause."""

    engine_version: str = Field("17.7", pattern=r"^1[67]\.\d+$")
    least_units: float = Field(0, ge=0, le=256)
    most_units: float = Field(4, ge=1, le=256)
    pause_after_seconds: int = Field(300, ge=300, le=86_400)
    backup_days: int = Field(7, ge=1, le=35)
    connections: int = Field(180, ge=30, description="What max_connections leaves for functions, see docs/aws.md.")
    proxy: bool = False


class Deployment(_Choice):
    """One stage. Several lie side by side in an account: every name begins with lorebase-<stage>."""

    stage: str = Field("dev", pattern=r"^[a-z][a-z0-9-]{0,15}$")
    network: Literal["endpoints", "ipv6", "nat"] = "endpoints"
    availability_zones: int = Field(2, ge=2, le=3)
    architecture: Literal["arm64", "x86_64"] = "arm64"
    database: DatabaseChoice = DatabaseChoice()
    embedder: Literal["lambda", "none"] = "lambda"
    model: Literal["all-MiniLM-L6-v2", "bge-small-en-v1.5", "multilingual-e5-small"] = "all-MiniLM-L6-v2"
    engine: Literal["openvino", "sentence-transformers"] = "openvino"
    quotas: Mapping[str, int] = Field(default_factory=dict)
    originals_bucket: str | None = Field(None, description="An existing bucket to keep originals in.")
    originals_key: str | None = Field(None, description="The ARN of the key of that bucket, if it has one.")
    cors_origins: tuple[str, ...] = ()
    domain: Domain | None = None
    firewall: bool = False
    requests_per_second: int = Field(50, ge=1)
    gateway_log_role: bool = Field(True, description="Whether to give API Gateway the account's role for its logs.")
    alarm_address: str | None = Field(None, pattern=r"^[^@\s]+@[^@\s]+$")
    monthly_budget_usd: int | None = Field(None, ge=1)
    log_days: Literal[7, 14, 30, 90, 365] = 30
    keep_data: bool = True

    @field_validator("quotas")
    @classmethod
    def _quotas_are_settings(cls, quotas: Mapping[str, int]) -> Mapping[str, int]:
        known = {name.removeprefix("quota_") for name in Settings.model_fields if name.startswith("quota_")}
        if unknown := sorted(set(quotas) - known):
            raise ValueError(f"there are no quotas {unknown}; there are {sorted(known)}")
        return quotas

    @property
    def name(self) -> str:
        """What the names of the stage's resources begin with."""
        return f"lorebase-{self.stage}"


def read_deployment(path: Path, context: Mapping[str, Any]) -> Deployment:
    """Return the stage that the context names, from the file if there is one; the context's other fields win.

    Raises UnknownStage, tomllib.TOMLDecodeError, pydantic.ValidationError.
    """
    stage = context.get("stage", Deployment.model_fields["stage"].default)
    tables = tomllib.loads(path.read_text("utf-8")).get("stages", {}) if path.exists() else {}
    if tables and stage not in tables:
        raise UnknownStage(f"{path.name} has no stage {stage}; it has {', '.join(sorted(tables))}")
    return Deployment.model_validate({**tables.get(stage, {}), **context, "stage": stage})
