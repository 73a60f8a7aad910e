"""What an operator decides about a deployment: one table of lorebase.toml, or the CDK context."""

import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, field_validator, model_validator

from chalicelib.settings import Settings
from infra.wrong_choice import WrongChoice, wrong_choice

MOST_ZONES = 3
BEDROCK = "bedrock:"


class UnknownStage(WrongChoice):
    """The configuration file has no table for the stage, and does have tables for others."""


_Named = Annotated[str, Field(min_length=1)]
_Model = Annotated[str, Field(pattern=r"^[a-z][a-z0-9-]*:\S+$")]
_ModelOrNone = Annotated[str, Field(pattern=r"^(none|[a-z][a-z0-9-]*:\S+)$")]
_Price = Annotated[float, Field(ge=0, le=1_000_000)]
_Provider = Annotated[str, Field(pattern=r"^[a-z][a-z0-9-]*$")]


class _Choice(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Domain(_Choice):
    """A name of one's own for the API, in a zone of Route 53 and with a certificate of the stack's region."""

    name: _Named
    hosted_zone_id: _Named
    hosted_zone_name: _Named
    certificate_arn: _Named


class DatabaseChoice(_Choice):
    """Sizes of the cluster, in Aurora capacity units (2 GiB of memory each); 0 lets it pause."""

    # Those that can pause (docs.aws.amazon.com/AmazonRDS/latest/AuroraUserGuide/aurora-serverless-v2-auto-pause.html).
    engine_version: str = Field("17.7", pattern=r"^(16\.([3-9]|[1-9]\d)|17\.([4-9]|[1-9]\d))$")
    least_units: float = Field(0, ge=0, le=256, multiple_of=0.5)
    most_units: float = Field(4, ge=1, le=256, multiple_of=0.5)
    pause_after_seconds: int = Field(300, ge=300, le=86_400)
    backup_days: int = Field(7, ge=1, le=35)
    connections: int = Field(180, ge=30, description="What max_connections leaves for functions, see docs/aws.md.")
    proxy: bool = False

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        if self.least_units > self.most_units:
            raise ValueError(f"least_units ({self.least_units:g}) must not exceed most_units ({self.most_units:g})")
        return self


def _number(value: object) -> object:
    """Read a number that the command line gives as text; Literal does not, as other fields do."""
    return int(value) if isinstance(value, str) and value.isdecimal() else value


class Deployment(_Choice):
    """One stage. Several lie side by side in an account: every name begins with lorebase-<stage>."""

    # A cluster's name takes neither two hyphens in a row nor one at its end
    # (docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_CreateDBCluster.html).
    stage: str = Field("dev", pattern=r"^[a-z](-?[a-z0-9])*$", max_length=16)
    network: Literal["endpoints", "ipv6", "nat"] = "endpoints"
    availability_zones: int = Field(2, ge=2, le=MOST_ZONES)
    architecture: Literal["arm64", "x86_64"] = "arm64"
    database: DatabaseChoice = DatabaseChoice()
    embedder: Literal["lambda", "none"] = "lambda"
    model: Literal["all-MiniLM-L6-v2", "bge-small-en-v1.5", "multilingual-e5-small"] = "all-MiniLM-L6-v2"
    engine: Literal["openvino", "sentence-transformers"] = "openvino"
    embedders: tuple[_Model, ...] = ()
    language_model: _ModelOrNone = "none"
    reranker: _ModelOrNone = "none"
    model_endpoints: Mapping[_Provider, Annotated[str, Field(pattern=r"^https://[^\s,=]+$")]] = Field(
        default_factory=dict
    )
    model_prices: Mapping[_Named, Mapping[Literal["input", "output"], _Price]] = Field(
        default_factory=dict, description="Of a million tokens read and written, by what a model's name begins with."
    )
    currency: str = Field("USD", pattern=r"^[A-Z]{3}$")
    quotas: Mapping[str, Annotated[int, Field(ge=0)]] = Field(default_factory=dict)
    trash_days: int = Field(30, ge=0, le=36_500, description="Days that a deleted item lies in the trash; 0: for ever.")
    originals_bucket: _Named | None = Field(None, description="An existing bucket to keep originals in.")
    originals_key: _Named | None = Field(None, description="The ARN of the key of that bucket, if it has one.")
    cors_origins: tuple[str, ...] = ()
    domain: Domain | None = None
    firewall: bool = False
    requests_per_second: int = Field(50, ge=1)
    gateway_log_role: bool = Field(True, description="Whether to give API Gateway the account's role for its logs.")
    alarm_address: str | None = Field(None, pattern=r"^[^@\s]+@[^@\s]+$")
    monthly_budget_usd: int | None = Field(None, ge=1)
    log_days: Annotated[Literal[7, 14, 30, 90, 365], BeforeValidator(_number)] = 30
    keep_data: bool = True

    @field_validator("quotas")
    @classmethod
    def _quotas_are_settings(cls, quotas: Mapping[str, int]) -> Mapping[str, int]:
        known = {name.removeprefix("quota_") for name in Settings.model_fields if name.startswith("quota_")}
        if unknown := sorted(set(quotas) - known):
            raise ValueError(f"there are no quotas {unknown}; there are {sorted(known)}")
        return quotas

    @model_validator(mode="after")
    def _key_has_its_bucket(self) -> Self:
        if self.originals_key is not None and self.originals_bucket is None:
            raise ValueError("originals_key is the key of originals_bucket, which is not given")
        return self

    @model_validator(mode="after")
    def _providers_are_reached(self) -> Self:
        if unknown := sorted({*self.other_providers} - {"openai", *self.model_endpoints}):
            raise ValueError(f"there are no model_endpoints for {', '.join(unknown)}")
        if self.network == "endpoints" and self.other_providers:
            raise ValueError(f"the network endpoints does not reach {', '.join(self.other_providers)}; choose nat")
        return self

    @property
    def models(self) -> Sequence[str]:
        """The models of providers that are chosen, as `provider:model`."""
        return [spec for spec in (*self.embedders, self.language_model, self.reranker) if spec != "none"]

    @property
    def other_providers(self) -> Sequence[str]:
        """The names of their providers but Bedrock."""
        return sorted({spec.partition(":")[0] for spec in self.models if not spec.startswith(BEDROCK)})

    @property
    def name(self) -> str:
        """What the names of the stage's resources begin with."""
        return f"lorebase-{self.stage}"


def read_deployment(path: Path, context: Mapping[str, Any]) -> Deployment:
    """Return the stage that the context names, from the file if there is one; the context's other fields win.

    Raises UnknownStage, WrongChoice.
    """
    stage = context.get("stage", Deployment.model_fields["stage"].default)
    tables = _tables_of(path)
    if tables and isinstance(stage, str) and stage not in tables:
        raise UnknownStage(f"{path.name} has no stage {stage}; it has {', '.join(sorted(tables))}")
    try:
        return Deployment.model_validate({**tables.get(str(stage), {}), **context, "stage": stage})
    except ValidationError as error:
        raise wrong_choice(error, Deployment) from None


def _tables_of(path: Path) -> Mapping[str, Mapping[str, Any]]:
    if not path.exists():
        return {}
    try:
        document = tomllib.loads(path.read_text("utf-8-sig"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise WrongChoice(f"{path.name} is not TOML: {error}") from None
    if strangers := sorted(set(document) - {"stages"}):
        raise WrongChoice(f"{path.name} has tables [stages.NAME] and nothing beside; remove {', '.join(strangers)}")
    tables = document.get("stages", {})
    if not isinstance(tables, dict) or not all(isinstance(table, dict) for table in tables.values()):
        raise WrongChoice(f"{path.name} has tables [stages.NAME]; what stands under stages is none")
    return tables
