"""Every setting of Lorebase, and the only reader of the environment.

A setting is read from `LOREBASE_<NAME>`. docs/configuration.md lists them all, and a test holds it to
this module. infra/ imports the names from here, so that none is written twice.
"""

import os
import re
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, field_validator, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

MEBIBYTE = 1024 * 1024
_MODEL = re.compile(r"[a-z][a-z0-9-]*:\S+")
_Price = Annotated[Decimal, Field(ge=0, le=1_000_000, allow_inf_nan=False)]


class Settings(BaseSettings):
    """Settings of one process. Sizes are in bytes, times in seconds unless a name says otherwise."""

    model_config = SettingsConfigDict(env_prefix="LOREBASE_", frozen=True, extra="ignore")

    platform: Literal["local", "aws"] = Field("local", description="Which realisation of the ports is wired.")
    home: Path = Field(Path("~/.lorebase"), description="The local data folder.")
    host: str = Field("127.0.0.1", description="The address that the local server listens on.")
    port: int = Field(8000, ge=0, le=65535, description="The port of the local server; 0 takes a free one.")
    public_url: str = Field("", description="The URL that clients reach the API at; empty: host and port.")
    database_url: str = Field("", description="A PostgreSQL URL; empty locally: the embedded server.")
    database_pool_size: int = Field(8, ge=1, le=100, description="Connections that a process holds at most.")
    database_host: str = Field("", description="The database's host, entered by tokens of IAM (platform aws).")
    database_port: int = Field(5432, ge=1, le=65535, description="The port of that host.")
    database_name: str = Field("lorebase", description="The database on that host.")
    database_user: str = Field("lorebase_app", description="The role that functions are in the database.")
    database_proxied: bool = Field(
        False, description="Whether the host is a proxy that shares connections; nothing is kept in a session then."
    )
    database_master_secret: str = Field(
        "", description="The name of the secret with the master's login; for the function that migrates alone."
    )
    workers: int = Field(2, ge=0, le=64, description="Worker threads of the local server.")
    cors_origins: list[str] = Field([], description="Origins that browsers may call from.")
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = Field("INFO", description="Least level logged.")

    stage: str = Field("local", description="The name of the deployment, a dimension of its metrics.")
    metrics: Literal["none", "emf"] = Field(
        "none", description="How metrics are written; emf: log lines that CloudWatch reads as metrics."
    )

    issuer_seconds: int = Field(
        600, ge=60, le=86_400, description="How long an issuer's keys are taken until it is asked again."
    )
    loopback_issuers: bool = Field(
        False,
        description="Whether issuers on this machine are taken, by http as well; for trying out (platform local).",
    )

    originals_bucket: str = Field("", description="The S3 bucket of the originals (platform aws).")
    intake_queue_url: str = Field("", description="The SQS queue of intake jobs (platform aws).")
    index_queue_url: str = Field("", description="The SQS queue of index jobs (platform aws).")
    sweep_queue_url: str = Field("", description="The SQS queue that asks for rounds of the sweep (platform aws).")
    embed_function: str = Field("", description="The name of the embedder's function (platform aws).")
    issuer_function: str = Field(
        "", description="The name of the function that fetches what issuers of tokens publish (platform aws)."
    )
    secret_prefix: str = Field("lorebase/", description="What the names of secrets begin with (platform aws).")
    aws_endpoint_url: str = Field("", description="An endpoint to use instead of AWS's own, for S3-compatible stores.")

    endpoint: str = Field("", description="The URL that the CLI talks to; empty: the server on this machine.")
    key: str | None = Field(
        None,
        repr=False,
        description="The API key that the CLI asks with; unset: the local owner's. Set but empty is refused.",
    )
    workspace: str = Field("", description="The workspace of the CLI, by slug or id; empty: the oldest reachable.")

    local_model: Literal["e5-minilm", "multilingual-e5-small", "all-MiniLM-L6-v2"] = Field(
        "e5-minilm",
        description="The model that new organizations start with (embedder local); others keep the one they have.",
    )
    model_folder: Path | None = Field(None, description="A folder with the embedding model's files, used as it is.")
    cache_folder: Path = Field(
        default_factory=lambda: Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache") / "lorebase",
        description="Where the embedding model's files are kept once fetched; by default in the user's cache folder.",
    )
    embedder: Literal["local", "lambda", "none"] = Field("local", description="What embeds; none: lexical search only.")
    embed_model: Literal["all-MiniLM-L6-v2", "bge-small-en-v1.5", "multilingual-e5-small"] = Field(
        "all-MiniLM-L6-v2", description="The model that the embedder's function was built with (embedder lambda)."
    )
    embed_engine: Literal["openvino", "sentence-transformers"] = Field(
        "openvino", description="What runs the model inside the embedder's function."
    )
    embedders: list[str] = Field(
        [],
        description="Embedders offered besides, as `provider:model@dimensions`; with `none` the first is the default.",
    )
    language_model: str = Field("none", description="What writes for searches and contexts, as `provider:model`.")
    reranker: str = Field(
        "none", description="What judges hits, as `provider:model`, or `folder:PATH` with a cross-encoder in it."
    )
    model_endpoints: str = Field(
        "", description="Providers that speak OpenAI's protocol, as `name=URL` with commas between; `openai` is known."
    )
    model_keys: str = Field(
        "", repr=False, description="Their keys, as `name=key` with commas; else the secret `model-key-name` is read."
    )
    bedrock_region: str = Field("", description="The region of Amazon Bedrock; empty: that of the process.")
    chunk_tokens: int = Field(512, ge=32, le=2048, description="Tokens of a chunk at most.")
    chunk_overlap: int = Field(64, ge=0, description="Tokens that neighbouring chunks of a section share.")

    upload_bytes: int = Field(200 * MEBIBYTE, ge=1, description="Size of one upload at most.")
    body_bytes: int = Field(MEBIBYTE * 8, ge=1, description="Size of one item's body at most.")
    request_bytes: int = Field(6 * MEBIBYTE, ge=1024, description="Size of one HTTP request body at most.")
    answer_bytes: int = Field(0, ge=0, description="Size of one answer at most, as a string inside of JSON; 0: any.")
    presign_seconds: int = Field(
        900, ge=1, le=3600, description="How long presigned URLs are valid; 60 s at most to download."
    )
    query_characters: int = Field(2000, ge=1, description="Length of a question at most.")
    lane_seconds: float = Field(5.0, gt=0, description="Time that one search lane may take.")
    rerank_seconds: float = Field(
        2.0, gt=0, le=60, description="Time that a rerank may take; then fusion's order holds."
    )
    rerank_passages: int = Field(30, ge=1, le=100, description="Hits that a rerank judges at most, the best of fusion.")
    rerank_least: float = Field(
        0.01, ge=0, le=1, description="Relevance (0 to 1) below which a rerank drops a hit; 0 drops none."
    )
    expansion_seconds: float = Field(2.0, gt=0, le=60, description="Time that other wordings of a question may take.")
    context_tokens: int = Field(
        4000,
        ge=200,
        le=200_000,
        description="Tokens of a document that a language model reads to say what it is about.",
    )

    parse_seconds: float = Field(120.0, gt=0, description="Time that one parse may take.")
    parse_memory_bytes: int = Field(2048 * MEBIBYTE, ge=128 * MEBIBYTE, description="Memory of one parse at most.")
    parse_pages: int = Field(5000, ge=1, description="Pages that one document may have.")
    inflated_bytes: int = Field(1024 * MEBIBYTE, ge=MEBIBYTE, description="Unpacked size of a document at most.")

    model_prices: dict[str, dict[Literal["input", "output"], _Price]] = Field(
        {},
        description="What models cost: of a million tokens read (`input`) and written (`output`), by what the"
        " name of a model begins with.",
    )
    currency: str = Field("USD", pattern=r"^[A-Z]{3}$", description="The currency of those prices: three capitals.")

    quota_items: int = Field(5000, ge=0, description="Items of a workspace.")
    quota_uploads: int = Field(2500, ge=0, description="Uploads of a workspace.")
    quota_original_bytes: int = Field(10 * 1024 * MEBIBYTE, ge=0, description="Originals of a workspace.")
    quota_body_bytes: int = Field(200 * MEBIBYTE, ge=0, description="Bodies of a workspace.")
    quota_chunks: int = Field(200_000, ge=0, description="Chunks of a workspace.")
    quota_citations: int = Field(100_000, ge=0, description="Citations of a workspace.")
    trash_days: int = Field(
        30, ge=0, le=36_500, description="Days that a deleted item lies in the trash; 0: until somebody empties it."
    )

    job_lease_seconds: int = Field(60, ge=1, description="How long a worker holds a job between heartbeats.")
    job_attempts: int = Field(5, ge=1, description="How often a job is tried before it is dead.")
    job_backoff_seconds: float = Field(2.0, ge=0, description="The first wait between attempts; it doubles.")
    sweep_seconds: int = Field(60, ge=1, description="How often forgotten jobs are rung again.")

    @field_validator("embedders")
    @classmethod
    def _embedders_are_named(cls, specs: list[str]) -> list[str]:
        if wrong := [spec for spec in specs if not _MODEL.fullmatch(spec)]:
            raise ValueError(f"{', '.join(wrong)}: an embedder is named as provider:model@dimensions")
        return specs

    @field_validator("language_model", "reranker")
    @classmethod
    def _model_is_named(cls, spec: str) -> str:
        if spec != "none" and not _MODEL.fullmatch(spec):
            raise ValueError("a model is named as provider:model, or none")
        return spec

    @model_validator(mode="after")
    def _overlap_is_below_size(self) -> "Settings":
        if self.chunk_overlap * 2 > self.chunk_tokens:
            raise ValueError("LOREBASE_CHUNK_OVERLAP must be at most half of LOREBASE_CHUNK_TOKENS")
        return self

    @property
    def data_folder(self) -> Path:
        """The local data folder, absolute."""
        return self.home.expanduser().absolute()


@cache
def load_settings() -> Settings:
    """Read the environment, once a process. Raises pydantic.ValidationError naming what is wrong."""
    return Settings()
