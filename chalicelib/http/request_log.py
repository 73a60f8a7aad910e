"""The log of requests: structured JSON, never bodies, keys or query strings."""

import sys
from logging import StreamHandler

from aws_lambda_powertools import Logger

LOGGER = Logger(service="lorebase", level="INFO", logger_handler=StreamHandler(sys.stderr), use_rfc3339=True)


def log_answer(*, route: str, status: int, request_id: str, milliseconds: float) -> None:
    """Note that a request was answered."""
    LOGGER.info(
        "answered",
        extra={"route": route, "status": status, "request_id": request_id, "milliseconds": round(milliseconds, 1)},
    )


def log_defect(error: BaseException, *, route: str, request_id: str) -> None:
    """Note an error that nobody foresaw, with its traceback."""
    LOGGER.error("defect", extra={"route": route, "request_id": request_id}, exc_info=error)
