"""Does locally what SQS and Lambda do: hands due jobs, as SQS-shaped events, to worker threads."""

import json
import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Any
from uuid import UUID, uuid4

from chalicelib.platform.local.doorbell import LocalDoorbell
from chalicelib.platform.ports import Ring

_LOGGER = logging.getLogger(__name__)
_LONGEST_WAIT = 5.0
_SHORTEST_WAIT = 0.05
_AHEAD = 8
"""Jobs read at once for each worker: taking turns among workspaces means sorting all that is due."""
_REST_SECONDS = 1.0
"""A record that failed although its job stays due (the database is away) is not tried again sooner."""


@dataclass(frozen=True, slots=True)
class Duties:
    """What the dispatcher is given to do; it knows neither the table nor the handlers.

    `list_due(limit, except_ids)` reads what can be claimed now; `seconds_to_next` tells how long nothing
    falls due by itself; `handle(event)` answers as a Lambda handler with partial batch responses;
    `sweep()` is what the minute's schedule does; `arrive()` and `leave()` end the leases of dead
    processes and give back our own.
    """

    list_due: Callable[[int, AbstractSet[UUID]], Sequence[Ring]]
    seconds_to_next: Callable[[], float | None]
    handle: Callable[[Mapping[str, Any]], Mapping[str, Any]]
    sweep: Callable[[], object]
    arrive: Callable[[], object]
    leave: Callable[[], object]


class Dispatcher:
    """A feeder, a ticker and worker threads, from `start` to `stop`."""

    def __init__(self, doorbell: LocalDoorbell, duties: Duties, *, workers: int, sweep_seconds: float) -> None:
        self._doorbell = doorbell
        self._duties = duties
        self._workers = workers
        self._sweep_seconds = sweep_seconds
        self._stopping = threading.Event()
        self._lock = threading.Lock()
        self._queued: set[UUID] = set()
        self._taken: set[UUID] = set()
        self._rings: SimpleQueue[Ring | None] = SimpleQueue()
        self._threads: list[threading.Thread] = []

    def start(self) -> None:
        """Take over what a dead process left, and begin."""
        self._duties.arrive()
        bodies: list[tuple[str, Callable[[], None]]] = [("feeder", self._feed), ("ticker", self._tick)]
        bodies += [(f"worker-{number}", self._work) for number in range(self._workers)]
        self._threads = [threading.Thread(target=body, name=name, daemon=True) for name, body in bodies]
        for thread in self._threads:
            thread.start()

    def stop(self, *, grace_seconds: float = 10.0) -> bool:
        """Take no more work, let what runs finish, and give back the rest; tell whether all of it finished."""
        self._stopping.set()
        self._doorbell.wake()
        for _ in range(self._workers):
            self._rings.put(None)
        waited = threading.Event()
        watcher = threading.Thread(target=self._join_all, args=(waited,), daemon=True)
        watcher.start()
        finished = waited.wait(grace_seconds)
        self._duties.leave()
        return finished

    def _join_all(self, waited: threading.Event) -> None:
        for thread in self._threads:
            thread.join()
        waited.set()

    def _feed(self) -> None:
        while not self._stopping.is_set():
            seconds = _REST_SECONDS
            try:
                seconds = self._feed_once()
            except Exception:  # the edge of a thread: the database may be away for a while
                _LOGGER.exception("The jobs that are due could not be read; trying again.")
            self._doorbell.wait(seconds)

    def _feed_once(self) -> float:
        """Queue what is due where the queue runs low; return how long there will be nothing to do.

        A job that is in a worker's hands is listed again once its lease has ended (its handler hangs), and
        given to another.
        """
        with self._lock:
            queued, taken = frozenset(self._queued), frozenset(self._taken)
        if len(queued) >= self._workers:
            return _LONGEST_WAIT  # a worker that takes one wakes us
        room = self._workers * _AHEAD
        rings = [
            ring for ring in self._duties.list_due(room + len(queued), queued | taken) if ring.job_id not in queued
        ]
        with self._lock:
            self._queued.update(ring.job_id for ring in rings)
        for ring in rings:
            self._rings.put(ring)
        seconds = self._duties.seconds_to_next()
        return _LONGEST_WAIT if seconds is None else min(max(seconds, _SHORTEST_WAIT), _LONGEST_WAIT)

    def _tick(self) -> None:
        while not self._stopping.wait(self._sweep_seconds):
            try:
                self._duties.sweep()
            except Exception:  # the edge of a thread: the next round comes
                _LOGGER.exception("The sweep failed; it runs again.")

    def _work(self) -> None:
        while (ring := self._rings.get()) is not None:
            if self._stopping.is_set():
                return
            with self._lock:
                self._queued.discard(ring.job_id)
                self._taken.add(ring.job_id)
            self._doorbell.wake()
            if not self._deliver(ring):
                self._stopping.wait(_REST_SECONDS)
            with self._lock:
                self._taken.discard(ring.job_id)
            self._doorbell.wake()

    def _deliver(self, ring: Ring) -> bool:
        try:
            return not self._duties.handle(job_event(ring))["batchItemFailures"]
        except Exception:  # the edge of a queue record
            _LOGGER.exception("The delivery of job %s failed.", ring.job_id)
            return False


def job_event(*rings: Ring) -> Mapping[str, Any]:
    """Return the event that SQS hands to Lambda for these rings.

    Shape: https://docs.aws.amazon.com/lambda/latest/dg/with-sqs.html.
    """
    return {
        "Records": [
            {
                "messageId": str(uuid4()),
                "receiptHandle": "local",
                "body": json.dumps(
                    {"job_id": str(ring.job_id), "kind": ring.kind, "correlation_id": ring.correlation_id}
                ),
                "attributes": {"ApproximateReceiveCount": "1"},
                "messageAttributes": {},
                "eventSource": "aws:sqs",
                "eventSourceARN": f"arn:aws:sqs:local:000000000000:{ring.kind}",
                "awsRegion": "local",
            }
            for ring in rings
        ]
    }
