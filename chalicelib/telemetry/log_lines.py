"""How log lines look: one JSON object each on AWS, a readable line at a terminal, and no values of errors in either.

Whoever reads logs may not read what people stored and asked, and messages of errors quote it: PostgreSQL names the
row that was there already, pydantic the value that it refused. So an error is told by its classes and by the lines of
code that it came through, never by its message.
"""

import json
import logging
import re
import sys
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime
from traceback import extract_tb
from typing import TextIO

from chalicelib.telemetry.correlation import current_correlation_id

_FRAMES = 20
_ATTRIBUTES_OF_EVERY_RECORD = frozenset({*vars(logging.makeLogRecord({})), "message", "asctime"})
_OURS = ("chalicelib", "functions", "app")
_RUNTIME = "awslambdaric"
# What moves a terminal's cursor, begins a line, turns the order of letters, or is no text at all. DEL does nothing.
_UNPRINTABLE = re.compile(r"[\x00-\x1f\x80-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def write_log_lines(formatter: logging.Formatter, *, level: str, stream: TextIO | None = None) -> None:
    """Let the process log in one form, to standard error unless told otherwise; calling it again replaces the first.

    `level` is for our own lines. Other packages' are kept from WARNING on alone: botocore's at DEBUG quote secrets
    and signatures. The handler of Lambda's runtime goes, as it writes messages of errors.
    """
    root = logging.getLogger()
    for handler in root.handlers[:]:
        if isinstance(handler, _Lines) or type(handler).__module__.split(".")[0] == _RUNTIME:
            root.removeHandler(handler)
    root.addHandler(_Lines(formatter, stream))
    root.setLevel(logging.WARNING)
    for name in _OURS:
        logging.getLogger(name).setLevel(level)


class _Lines(logging.Handler):
    """Writes each record as one piece, to what standard error is at that moment unless a stream is given."""

    def __init__(self, formatter: logging.Formatter, stream: TextIO | None) -> None:
        super().__init__()
        self.setFormatter(formatter)
        self._stream = stream

    def emit(self, record: logging.LogRecord) -> None:
        stream = self._stream or sys.stderr
        try:
            stream.write(self.format(record) + "\n")
            stream.flush()
        except Exception as error:  # noqa: BLE001 - as of every handler: what cannot be logged must not stop the work
            # Not handleError, which would write the arguments out.
            with suppress(Exception):
                stream.write(f"{record.name}:{record.lineno} could not be logged: {type(error).__name__}\n")


class JsonLines(logging.Formatter):
    """One JSON object a record. `timestamp` and `level` are what Lambda looks for in lines that are JSON already.

    https://docs.aws.amazon.com/lambda/latest/dg/monitoring-cloudwatchlogs-logformat.html
    """

    def format(self, record: logging.LogRecord) -> str:
        """Return the record as a line."""
        line = {
            "timestamp": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
            "correlation_id": current_correlation_id(),
            **{name: value for name, value in vars(record).items() if name not in _ATTRIBUTES_OF_EVERY_RECORD},
        }
        if error := _error_of(record):
            line |= {"causes": _causes_of(error), "frames": _frames_of(error)}
        return _printable(json.dumps(line, ensure_ascii=False, default=str))


class ReadableLines(logging.Formatter):
    """One line a record, and one more for each step that an error came through."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the record as text."""
        moment = datetime.fromtimestamp(record.created).astimezone().isoformat(sep=" ", timespec="milliseconds")
        correlation_id = current_correlation_id()
        about = f" [{correlation_id}]" if correlation_id else ""
        text = f"{moment} {record.levelname} {record.name}{about}: {record.getMessage()}"
        added = {name: value for name, value in vars(record).items() if name not in _ATTRIBUTES_OF_EVERY_RECORD}
        text = _printable(text + "".join(f" {name}={value}" for name, value in added.items()))
        if error := _error_of(record):
            text += "".join(f"\n  {step}" for step in (*_causes_of(error), *_frames_of(error)))
        return text


def _printable(text: str) -> str:
    """Return text that cannot pass for lines of its own or command a terminal, escaped as JSON has it."""
    return _UNPRINTABLE.sub(lambda found: json.dumps(found[0])[1:-1], text)


def _error_of(record: logging.LogRecord) -> BaseException | None:
    return record.exc_info[1] if record.exc_info else None


def _causes_of(error: BaseException) -> Sequence[str]:
    """Name the classes of an error and of what led to it, the latest first."""
    return [f"{type(cause).__module__}.{type(cause).__qualname__}" for cause in _chain(error)]


def _frames_of(error: BaseException) -> Sequence[str]:
    """Name the lines of code that an error came through, those of its first cause first; no line's text or values."""
    return [
        f"{frame.filename}:{frame.lineno} {frame.name}"
        for cause in reversed(_chain(error))
        for frame in extract_tb(cause.__traceback__)[-_FRAMES:]
    ]


def _chain(error: BaseException) -> Sequence[BaseException]:
    chain = [error]
    while (cause := chain[-1].__cause__ or chain[-1].__context__) is not None and cause not in chain:
        chain.append(cause)
    return chain
