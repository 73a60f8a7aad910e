"""What AWS Lambda calls outside the network to fetch what issuers publish: it knows no database and no secret."""

import logging
from collections.abc import Mapping
from typing import Any

from chalicelib.errors import LorebaseError
from chalicelib.platform.public_documents import fetch_document
from chalicelib.telemetry.correlation import correlated, correlation_id_of
from chalicelib.telemetry.log_lines import JsonLines, write_log_lines

_LOGGER = logging.getLogger(__name__)


class FetchFailed(Exception):
    """A document could not be fetched for a reason that nobody foresaw; the log has it."""


def handle(event: Mapping[str, Any], _context: object = None) -> Mapping[str, Any]:
    """Answer {"url": …} with {"document": {…}}, or with an error: what raises is taken for a defect.

    Log lines bear the `correlation_id` of the event. Raises FetchFailed.
    """
    write_log_lines(JsonLines(), level="INFO")
    with correlated(correlation_id_of(event.get("correlation_id"))):
        try:
            return {"document": fetch_document(str(event.get("url", "")))}
        except LorebaseError as problem:
            _LOGGER.warning("a document was not fetched", extra={"problem": problem.problem_type()})
            return {"error": {"type": problem.problem_type(), "detail": problem.detail, **problem.members}}
        except Exception as error:
            _LOGGER.exception("a document was not fetched")
            raise FetchFailed(type(error).__name__) from None
