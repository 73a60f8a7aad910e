"""What is done for each kind of job, and what when it comes to nothing."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from threading import Lock

from chalicelib.database.transaction import Transaction
from chalicelib.jobs.lease import LeasedJob
from chalicelib.jobs.model import Job
from chalicelib.jobs.problem import Problem

Handler = Callable[[LeasedJob], None]
"""Does the work and writes its effects inside `with job.finish() as tx:`."""

OnDead = Callable[[Transaction, Job, Problem], None]
"""Writes the reason where the user looks, in the transaction in which the job dies or is cancelled."""


def _nothing(_tx: Transaction, _job: Job, _problem: Problem) -> None:
    """Leave it to the job itself to show what happened."""


@dataclass(frozen=True, slots=True)
class Registration:
    """A handler and its hook."""

    handle: Handler
    on_dead: OnDead = _nothing


Handlers = Mapping[str, Registration]
"""Registrations by kind of job."""


class HandlersOnDemand(Mapping[str, Registration]):
    """What `wire` returns, once somebody asks: most processes that promise jobs do none. Thread-safe."""

    def __init__(self, wire: Callable[[], Handlers]) -> None:
        self._wire = wire
        self._lock = Lock()
        self._wired: Handlers | None = None

    def __getitem__(self, kind: str) -> Registration:
        return self._handlers()[kind]

    def __iter__(self) -> Iterator[str]:
        return iter(self._handlers())

    def __len__(self) -> int:
        return len(self._handlers())

    def _handlers(self) -> Handlers:
        with self._lock:
            if self._wired is None:
                self._wired = self._wire()
            return self._wired
