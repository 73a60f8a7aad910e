"""The log of requests: never bodies, keys or query strings."""

import logging

LOGGER = logging.getLogger(__name__)


def log_answer(*, route: str, status: int, request_id: str, milliseconds: float) -> None:
    """Note that a request was answered."""
    LOGGER.info(
        "answered",
        extra={"route": route, "status": status, "request_id": request_id, "milliseconds": round(milliseconds, 1)},
    )


def log_defect(error: BaseException, *, route: str, request_id: str) -> None:
    """Note an error that nobody foresaw: where it came from and its class; its message is left out of every line."""
    LOGGER.error("defect", exc_info=error, extra={"route": route, "request_id": request_id})
