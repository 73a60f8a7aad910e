"""Settings -> wired objects, lazily, once a process. The only place where adapters meet the domain."""

from dataclasses import dataclass
from datetime import timedelta
from threading import RLock

from chalicelib.database.database import Database
from chalicelib.intake.reception import IntakeRules
from chalicelib.items.quotas import Quotas
from chalicelib.items.write_item import ItemRules
from chalicelib.jobs.handlers import Handlers
from chalicelib.jobs.model import JobPolicy
from chalicelib.jobs.queue import JobQueue
from chalicelib.platform.generated_secrets import read_or_create
from chalicelib.platform.local.clock import SystemClock
from chalicelib.platform.local.doorbell import LocalDoorbell
from chalicelib.platform.local.originals import LocalOriginals
from chalicelib.platform.local.presigning import Presigner
from chalicelib.platform.local.secrets import LocalSecrets
from chalicelib.platform.ports import Clock, Embedder, Originals
from chalicelib.settings import Settings, load_settings

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
    embedder: Embedder | None
    pepper: bytes
    cursor_key: bytes

    @property
    def item_rules(self) -> ItemRules:
        """What this deployment lets items be."""
        return ItemRules(self.jobs, quotas_of(self.settings), self.settings.body_bytes)

    @property
    def intake_rules(self) -> IntakeRules:
        """What this deployment lets uploads be."""
        return IntakeRules(
            self.item_rules,
            self.originals,
            self.settings.upload_bytes,
            timedelta(seconds=self.settings.presign_seconds),
        )


def application() -> Application:
    """Return the process's application, wired on the first call."""
    with _LOCK:
        if not _wired:
            _wired.append(_wire_local(load_settings()))
        return _wired[0]


def install_application(wired: Application | None) -> None:
    """Let the process use this application; None forgets it, so that the next call wires anew."""
    with _LOCK:
        _wired[:] = [] if wired is None else [wired]


def quotas_of(settings: Settings) -> Quotas:
    """Return the deployment's quotas."""
    return Quotas(
        items=settings.quota_items,
        uploads=settings.quota_uploads,
        original_bytes=settings.quota_original_bytes,
        body_bytes=settings.quota_body_bytes,
        chunks=settings.quota_chunks,
    )


def job_policy_of(settings: Settings) -> JobPolicy:
    """Return how patient the deployment is with jobs."""
    return JobPolicy(
        attempts=settings.job_attempts,
        lease=timedelta(seconds=settings.job_lease_seconds),
        backoff=timedelta(seconds=settings.job_backoff_seconds),
    )


def _wire_local(settings: Settings) -> Application:
    clock = SystemClock()
    secrets = LocalSecrets(settings.data_folder / "secrets")
    address = settings.public_url or f"http://{settings.host}:{settings.port}"
    presigner = Presigner(read_or_create(secrets, "presigning").encode(), address=lambda: address, clock=clock)
    return Application(
        settings=settings,
        database=Database(settings.database_url, pool_size=settings.database_pool_size),
        clock=clock,
        originals=LocalOriginals(settings.data_folder / "originals", presigner=presigner),
        jobs=JobQueue(LocalDoorbell(), clock, job_policy_of(settings)),
        handlers={},
        embedder=None,
        pepper=read_or_create(secrets, "pepper").encode(),
        cursor_key=read_or_create(secrets, "cursors").encode(),
    )
