"""The edge of a queue: each record is taken alone, and only what failed is delivered again."""

import logging
from collections.abc import Callable, Mapping
from typing import Any, TypedDict

from chalicelib.errors import LorebaseError, Unavailable

_LOGGER = logging.getLogger(__name__)


class _ItemFailure(TypedDict):
    itemIdentifier: str


class BatchResponse(TypedDict):
    """What Lambda needs to keep some records in their queue (ReportBatchItemFailures)."""

    batchItemFailures: list[_ItemFailure]


def handle_records(event: Mapping[str, Any], handle: Callable[[Mapping[str, Any]], None]) -> BatchResponse:
    """Give each record of an SQS event to `handle`.

    What raises Unavailable stays in the queue and comes again; another error of ours is the record's own,
    is logged and acknowledged; anything else is a defect, comes again and ends among the dead letters.
    """
    failures: list[_ItemFailure] = []
    for record in event["Records"]:
        message_id = str(record["messageId"])
        try:
            handle(record)
        except Unavailable as error:
            _LOGGER.warning("Message %s has to wait: %s", message_id, error.detail)
            failures.append({"itemIdentifier": message_id})
        except LorebaseError as error:
            _LOGGER.warning("Message %s is refused (%s): %s", message_id, error.problem_type(), error.detail)
        except Exception:
            _LOGGER.exception("Message %s met a defect.", message_id)
            failures.append({"itemIdentifier": message_id})
    return {"batchItemFailures": failures}
