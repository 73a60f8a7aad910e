"""The doorbell as SQS messages: a queue a kind of job."""

import json
import logging
from collections import defaultdict
from collections.abc import Mapping, Sequence
from math import ceil
from typing import TYPE_CHECKING

from botocore.exceptions import BotoCoreError, ClientError

from chalicelib.platform.aws.clients import Clients
from chalicelib.platform.ports import Clock, Ring

if TYPE_CHECKING:
    from mypy_boto3_sqs.type_defs import SendMessageBatchRequestEntryTypeDef

_LOGGER = logging.getLogger(__name__)
_BATCH = 10
"""Entries of one SendMessageBatch at most, by the SQS API."""
_MOST_DELAY_SECONDS = 900
"""Of one message, by the SQS API; the longest wait between two attempts is as long."""
_PERIOD_SECONDS = 30
"""Announcements of one period are one message: SQS drops those that repeat an id within five minutes.

Half the delay of the queue, so that the message that stands for an announcement comes 30 to 60 seconds after it, and
never before what was announced is committed.
"""


def message_of(ring: Ring) -> str:
    """Return the message that stands for a ring."""
    return json.dumps({"job_id": str(ring.job_id), "kind": ring.kind, "correlation_id": ring.correlation_id})


class SqsDoorbell:
    """Rings by sending `{"job_id", "kind", "correlation_id"}` to the queue of the job's kind.

    `sweep_queue_url` names a FIFO queue whose messages are delayed by a minute, each of which brings a round of the
    sweep. Nothing comes by the clock, so that the database may sleep while nothing is promised.
    """

    def __init__(
        self, clients: Clients, *, queue_urls_by_kind: Mapping[str, str], sweep_queue_url: str, clock: Clock
    ) -> None:
        self._clients = clients
        self._queue_urls_by_kind = queue_urls_by_kind
        self._sweep_queue_url = sweep_queue_url
        self._clock = clock
        self._asked: tuple[int, bool] = (-1, False)

    def announce(self) -> bool:
        """Ask for a round of the sweep, once a period; tell whether it was asked for. Never raises for SQS."""
        period = int(self._clock.now().timestamp() // _PERIOD_SECONDS)
        if self._asked[0] != period:
            self._asked = (period, self._ask_for_sweep(period))
        return self._asked[1]

    def _ask_for_sweep(self, period: int) -> bool:
        try:
            self._clients.sqs.send_message(
                QueueUrl=self._sweep_queue_url,
                MessageBody=json.dumps({"period": period}),
                MessageGroupId="sweep",
                MessageDeduplicationId=str(period),
            )
        except (ClientError, BotoCoreError) as error:
            _LOGGER.warning("The sweep could not be asked for, and comes with the day's schedule: %s", error)
            return False
        return True

    def ring(self, rings: Sequence[Ring]) -> None:
        """Send each ring; those that could not be sent are left to the sweep, and logged.

        Never raises for SQS: the work is committed already, and the caller's answer must say so.
        """
        rings_by_queue_url = defaultdict[str, list[Ring]](list)
        for ring in rings:
            if ring.kind in self._queue_urls_by_kind:
                rings_by_queue_url[self._queue_urls_by_kind[ring.kind]].append(ring)
            else:
                _LOGGER.error("No queue is set for jobs of kind %s; job %s waits.", ring.kind, ring.job_id)
        for queue_url, ringing in rings_by_queue_url.items():
            if unsent := self._send_all(queue_url, ringing):
                shown = unsent[:_BATCH]
                _LOGGER.warning("%d rings were not sent and are left to the sweep, as are %s", len(unsent), shown)

    def _send_all(self, queue_url: str, rings: Sequence[Ring]) -> Sequence[Ring]:
        """Send rings in batches and return what was not sent; what SQS answers nothing good to ends it."""
        unsent: list[Ring] = []
        for start in range(0, len(rings), _BATCH):
            batch = rings[start : start + _BATCH]
            try:
                unsent += self._send(queue_url, self._send(queue_url, batch))
            except (ClientError, BotoCoreError) as error:
                # botocore has tried again by then; a thousand rings that waited as long each would outlast a function.
                _LOGGER.warning("SQS did not take a batch of %d rings: %s", len(batch), error)
                return [*unsent, *rings[start:]]
        return unsent

    def _send(self, queue_url: str, rings: Sequence[Ring]) -> Sequence[Ring]:
        """Send one batch and return what was not sent: SQS reports single entries as failed with status 200."""
        if not rings:
            return []
        entries: list[SendMessageBatchRequestEntryTypeDef] = [
            {"Id": str(number), "MessageBody": message_of(ring), "DelaySeconds": _delay_of(ring)}
            for number, ring in enumerate(rings)
        ]
        answer = self._clients.sqs.send_message_batch(QueueUrl=queue_url, Entries=entries)
        return [rings[int(failed["Id"])] for failed in answer.get("Failed", [])]


def _delay_of(ring: Ring) -> int:
    return min(ceil(ring.after.total_seconds()), _MOST_DELAY_SECONDS)
