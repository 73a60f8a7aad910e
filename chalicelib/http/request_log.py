"""The log of requests: structured JSON, never bodies, keys or query strings."""

import sys
from logging import StreamHandler
from traceback import extract_tb

from aws_lambda_powertools import Logger

LOGGER = Logger(service="lorebase", level="INFO", logger_handler=StreamHandler(sys.stderr), use_rfc3339=True)


def log_answer(*, route: str, status: int, request_id: str, milliseconds: float) -> None:
    """Note that a request was answered."""
    LOGGER.info(
        "answered",
        extra={"route": route, "status": status, "request_id": request_id, "milliseconds": round(milliseconds, 1)},
    )


def log_defect(error: BaseException, *, route: str, request_id: str) -> None:
    """Note an error that nobody foresaw: where it came from and its class, but not its message.

    A message may quote what a client sent or a row holds, and the log is read by people who may not.
    """
    causes: list[BaseException] = [error]
    while (cause := causes[-1].__cause__ or causes[-1].__context__) is not None and cause not in causes:
        causes.append(cause)
    LOGGER.error(
        "defect",
        extra={
            "route": route,
            "request_id": request_id,
            "causes": [f"{type(cause).__module__}.{type(cause).__qualname__}" for cause in causes],
            "frames": [
                f"{frame.filename}:{frame.lineno} {frame.name}" for frame in extract_tb(error.__traceback__)[-20:]
            ],
        },
    )
