"""The edge of a queue: each record is taken alone, and only what failed is delivered again."""

import json
import logging
from collections.abc import Callable, Mapping
from typing import Any

from aws_lambda_powertools.utilities.batch import BatchProcessor, EventType, process_partial_response
from aws_lambda_powertools.utilities.data_classes.sqs_event import SQSRecord

from chalicelib.errors import Unavailable
from chalicelib.telemetry.correlation import correlated, correlation_id_of

_LOGGER = logging.getLogger(__name__)


class RecordNotDone(Exception):
    """A record has to come again; what there is to say has been logged."""


def answer_records(event: Mapping[str, Any], is_done: Callable[[Mapping[str, Any]], bool]) -> Mapping[str, Any]:
    """Give each record of an SQS event to `is_done`; return the partial batch response (ReportBatchItemFailures).

    Log lines, and jobs that a record leads to, bear the correlation id that its body names, or its message's id.
    A record comes again where `is_done` says no or raises, and ends among the dead letters where that goes on.
    """
    if not event["Records"]:
        return {"batchItemFailures": []}
    # Where all have failed, each is told apart as well: an error would bring back the same, and lose the log's order.
    processor = BatchProcessor(EventType.SQS, raise_on_entire_batch_failure=False)

    def handle(record: SQSRecord) -> None:
        if not _is_done(record.raw_event, is_done):
            raise RecordNotDone

    return process_partial_response(event=dict(event), record_handler=handle, processor=processor)


def _is_done(record: Mapping[str, Any], is_done: Callable[[Mapping[str, Any]], bool]) -> bool:
    message_id = record["messageId"]
    with correlated(_correlation_id_of(record)):
        try:
            return is_done(record)
        except Unavailable as error:
            _LOGGER.warning("The record %s has to wait: %s", message_id, error.detail)
            return False
        except Exception:  # the edge of a queue record: one bad message must not harm the others
            _LOGGER.exception("The record %s failed.", message_id)
            return False


def _correlation_id_of(record: Mapping[str, Any]) -> str:
    try:
        named = correlation_id_of(json.loads(record["body"])["correlation_id"])
    except (KeyError, TypeError, ValueError, RecursionError):
        named = None
    return named or str(record["messageId"])
