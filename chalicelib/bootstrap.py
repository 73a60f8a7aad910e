"""Settings -> wired objects, lazily, once a process. The only place where adapters meet the domain."""

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import timedelta
from threading import RLock
from typing import TYPE_CHECKING

from chalicelib.database.database import Database
from chalicelib.embedding_spaces.embedders import Embedders
from chalicelib.embedding_spaces.model import FILL_SPACE, FORGET_SPACE
from chalicelib.identity.oidc.issuers import Issuers
from chalicelib.index.contexts import DESCRIBE_ITEM, SPREAD_CONTEXTS
from chalicelib.index.reindex_workspace import REINDEX_WORKSPACE
from chalicelib.intake.reception import EXTRACT_UPLOAD, IntakeRules
from chalicelib.items.quotas import Quotas
from chalicelib.items.write_item import INDEX_ITEM, ItemRules
from chalicelib.jobs.handlers import Handlers, HandlersOnDemand
from chalicelib.jobs.model import JobPolicy
from chalicelib.jobs.perform_job import Worker
from chalicelib.jobs.queue import JobQueue
from chalicelib.platform.aws.clock import SystemClock as AwsClock
from chalicelib.platform.embedding_models import MODELS_BY_NAME
from chalicelib.platform.generated_secrets import read_or_create
from chalicelib.platform.ports import (
    Clock,
    Doorbell,
    Embedder,
    IssuerDocuments,
    LanguageModel,
    Originals,
    Reranker,
    Secrets,
)
from chalicelib.platform.watched_embedder import WatchedEmbedder
from chalicelib.price_list import prices_of
from chalicelib.providers import embedder_named, language_model_named, needs_aws, reranker_named
from chalicelib.settings import Settings, load_settings
from chalicelib.telemetry.log_lines import JsonLines, write_log_lines
from chalicelib.telemetry.metrics import Metrics
from chalicelib.usage.metering import Metering

if TYPE_CHECKING:
    from chalicelib.platform.aws.clients import Clients
    from chalicelib.platform.local.presigning import Presigner

_LOCK = RLock()
_wired: list["Application"] = []


@dataclass(frozen=True, slots=True)
class Application:
    """Everything that a request or an event needs, wired."""

    settings: Settings
    database: Database
    clock: Clock
    originals: Originals
    jobs: JobQueue
    handlers: Handlers
    embedders: Embedders
    embedder: WatchedEmbedder | None
    pepper: bytes
    cursor_key: bytes
    metering: Metering
    resources: ExitStack = field(default_factory=ExitStack)
    metrics: Metrics = field(default_factory=Metrics)
    issuers: Issuers | None = None
    language_model: LanguageModel | None = None
    reranker: Reranker | None = None

    @property
    def item_rules(self) -> ItemRules:
        """What this deployment lets items be."""
        return ItemRules(self.jobs, quotas_of(self.settings), self.settings.body_bytes)

    @property
    def intake_rules(self) -> IntakeRules:
        """What this deployment lets uploads be."""
        return intake_rules_of(self.settings, self.originals, self.item_rules)

    def worker(self, name: str) -> Worker:
        """Return what does this deployment's jobs, under a name that is unique to the process."""
        return Worker(self.database, self.jobs, self.handlers, name)

    def close(self) -> None:
        """Stop the parsers' processes and close the connections."""
        self.resources.close()


def application() -> Application:
    """Return the process's application; on AWS it is wired on the first call, a local server installs its own."""
    with _LOCK:
        if not _wired:
            # Before settings are read: what refuses them quotes them.
            write_log_lines(JsonLines(), level="INFO")
            settings = load_settings()
            write_log_lines(JsonLines(), level=settings.log_level)
            _wired.append(wire_aws(settings))
        return _wired[0]


def install_application(wired: Application | None) -> None:
    """Let the process use this application; None forgets it, so that the next call wires anew."""
    with _LOCK:
        _wired[:] = [] if wired is None else [wired]


def wire_local(
    settings: Settings, *, conninfo: str, address: Callable[[], str], doorbell: Doorbell
) -> "tuple[Application, Presigner]":
    """Wire the process that serves a data folder at `address`; the presigner answers for its presigned URLs."""
    # Kept out of functions on AWS, whose package has none of it.
    from chalicelib.platform.local.clock import SystemClock  # noqa: PLC0415
    from chalicelib.platform.local.issuer_documents import DirectIssuerDocuments  # noqa: PLC0415
    from chalicelib.platform.local.originals import LocalOriginals  # noqa: PLC0415
    from chalicelib.platform.local.presigning import Presigner  # noqa: PLC0415
    from chalicelib.platform.local.secrets import LocalSecrets  # noqa: PLC0415

    clock = SystemClock()
    clients = _clients(settings) if settings.embedder == "lambda" or needs_aws(settings) else None
    secrets = LocalSecrets(settings.data_folder / "secrets")
    presigner = Presigner(read_or_create(secrets, "presigning").encode(), address=address, clock=clock)
    wired = assemble(
        settings,
        database=Database(conninfo, pool_size=settings.database_pool_size),
        clock=clock,
        originals=LocalOriginals(settings.data_folder / "originals", presigner=presigner),
        doorbell=doorbell,
        secrets=secrets,
        embedders=_embedders_of(settings, clients, secrets),
        documents=DirectIssuerDocuments(takes_loopback=settings.loopback_issuers),
        language_model=language_model_named(settings.language_model, settings, clients, secrets),
        reranker=reranker_named(settings.reranker, settings, clients, secrets),
        meters_by_itself=True,
    )
    if clients is not None:
        wired.resources.callback(clients.close)
    return wired, presigner


def wire_aws(settings: Settings) -> Application:
    """Wire a function on AWS: S3, SQS, Secrets Manager, and the embedder's function."""
    # Kept out of local processes: boto3 is slow to import and of no use there.
    from chalicelib.aws_database import application_database  # noqa: PLC0415
    from chalicelib.platform.aws.doorbell import SqsDoorbell  # noqa: PLC0415
    from chalicelib.platform.aws.issuer_documents import LambdaIssuerDocuments  # noqa: PLC0415
    from chalicelib.platform.aws.originals import S3Originals  # noqa: PLC0415
    from chalicelib.platform.aws.secrets import ManagedSecrets  # noqa: PLC0415

    clients = _clients(settings)
    clock = AwsClock()
    secrets = ManagedSecrets(clients, prefix=settings.secret_prefix)
    queue_urls_by_kind = {
        EXTRACT_UPLOAD: settings.intake_queue_url,
        INDEX_ITEM: settings.index_queue_url,
        FILL_SPACE: settings.index_queue_url,
        FORGET_SPACE: settings.index_queue_url,
        REINDEX_WORKSPACE: settings.index_queue_url,
        DESCRIBE_ITEM: settings.index_queue_url,
        SPREAD_CONTEXTS: settings.index_queue_url,
    }
    wired = assemble(
        settings,
        database=application_database(settings, clients, clock),
        clock=clock,
        originals=S3Originals(clients, bucket=settings.originals_bucket),
        doorbell=SqsDoorbell(
            clients, queue_urls_by_kind=queue_urls_by_kind, sweep_queue_url=settings.sweep_queue_url, clock=clock
        ),
        secrets=secrets,
        embedders=_embedders_of(settings, clients, secrets),
        documents=LambdaIssuerDocuments(clients, settings.issuer_function) if settings.issuer_function else None,
        language_model=language_model_named(settings.language_model, settings, clients, secrets),
        reranker=reranker_named(settings.reranker, settings, clients, secrets),
    )
    wired.resources.callback(clients.close)
    return wired


def _clients(settings: Settings) -> "Clients":
    from chalicelib.platform.aws.clients import Clients  # noqa: PLC0415 - as above

    return Clients(endpoint_url=settings.aws_endpoint_url)


def _embedders_of(settings: Settings, clients: "Clients | None", secrets: Secrets) -> Sequence[Embedder]:
    """Return what this deployment offers, the default first."""
    of_providers = (embedder_named(spec, settings, clients, secrets) for spec in settings.embedders)
    return [*_own_embedders(settings, clients), *of_providers]


def _own_embedders(settings: Settings, clients: "Clients | None") -> Sequence[Embedder]:
    if settings.embedder == "local":
        from chalicelib.index.language import may_be_english  # noqa: PLC0415
        from chalicelib.platform.local.embedder import local_embedders  # noqa: PLC0415

        return local_embedders(
            settings.local_model, settings.model_folder, settings.cache_folder, may_be_english=may_be_english
        )
    if settings.embedder == "lambda" and clients is not None:
        from chalicelib.platform.aws.embedder import LambdaEmbedder  # noqa: PLC0415

        model = MODELS_BY_NAME[settings.embed_model]
        return [LambdaEmbedder(clients.functions, settings.embed_function, model=model)]
    return []


def assemble(
    settings: Settings,
    *,
    database: Database,
    clock: Clock,
    originals: Originals,
    doorbell: Doorbell,
    secrets: Secrets,
    embedders: Sequence[Embedder],
    documents: IssuerDocuments | None = None,
    language_model: LanguageModel | None = None,
    reranker: Reranker | None = None,
    meters_by_itself: bool = False,
) -> Application:
    """Put the domain on top of adapters, whichever they are.

    `meters_by_itself`: the process goes on between requests, so that a thread may write what models used.
    """
    watched = [WatchedEmbedder(embedder) for embedder in embedders]
    offered = Embedders.of(*watched)
    jobs = JobQueue(doorbell, clock, job_policy_of(settings))
    items = ItemRules(jobs, quotas_of(settings), settings.body_bytes)
    resources = ExitStack()
    resources.callback(database.close)
    metering = Metering(database, clock, prices_of(settings), flushes_by_itself=meters_by_itself)
    resources.callback(metering.meter.close)
    rules = intake_rules_of(settings, originals, items)

    def wire() -> Handlers:
        # Kept out of processes that only promise jobs: it brings parsers, tokenizers and numpy.
        from chalicelib.job_handlers import wire_handlers  # noqa: PLC0415

        return wire_handlers(
            settings,
            database=database,
            clock=clock,
            embedders=offered,
            rules=rules,
            resources=resources,
            language_model=language_model,
            metering=metering,
        )

    return Application(
        settings=settings,
        database=database,
        clock=clock,
        originals=originals,
        jobs=jobs,
        handlers=HandlersOnDemand(wire),
        embedders=offered,
        embedder=watched[0] if watched else None,
        pepper=read_or_create(secrets, "api-key-pepper").encode(),
        cursor_key=read_or_create(secrets, "cursor-key").encode(),
        metering=metering,
        resources=resources,
        metrics=Metrics(stage=settings.stage, is_on=settings.metrics == "emf"),
        issuers=None if documents is None else Issuers(documents, fresh_for=timedelta(seconds=settings.issuer_seconds)),
        language_model=language_model,
        reranker=reranker,
    )


def quotas_of(settings: Settings) -> Quotas:
    """Return the deployment's quotas."""
    return Quotas(
        items=settings.quota_items,
        uploads=settings.quota_uploads,
        original_bytes=settings.quota_original_bytes,
        body_bytes=settings.quota_body_bytes,
        chunks=settings.quota_chunks,
        citations=settings.quota_citations,
    )


def job_policy_of(settings: Settings) -> JobPolicy:
    """Return how patient the deployment is with jobs."""
    return JobPolicy(
        attempts=settings.job_attempts,
        lease=timedelta(seconds=settings.job_lease_seconds),
        backoff=timedelta(seconds=settings.job_backoff_seconds),
    )


def intake_rules_of(settings: Settings, originals: Originals, items: ItemRules) -> IntakeRules:
    """Return what the deployment lets uploads be."""
    return IntakeRules(items, originals, settings.upload_bytes, timedelta(seconds=settings.presign_seconds))
