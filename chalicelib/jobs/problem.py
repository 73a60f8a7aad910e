"""What went wrong in an attempt, as it is kept in a row and shown to people: bounded, and without secrets."""

from dataclasses import dataclass
from datetime import datetime

from pydantic import JsonValue

from chalicelib.errors import LorebaseError

_DETAIL_CHARACTERS = 500


@dataclass(frozen=True, slots=True)
class Problem:
    """The stable type, the title and one sentence on what happened."""

    type: str
    title: str
    detail: str

    def recorded(self, *, attempt: int, at: datetime) -> dict[str, JsonValue]:
        """Return the shape of `jobs.last_error`."""
        return {
            "type": self.type,
            "title": self.title,
            "detail": self.detail,
            "attempt": attempt,
            "at": at.isoformat(),
        }


def problem_of(error: Exception, *, correlation_id: str) -> Problem:
    """Describe an error. A defect is named by its class alone: its message may quote anything, and is in the log."""
    if isinstance(error, LorebaseError):
        return Problem(error.problem_type(), error.title(), _printable(error.detail))
    return Problem(
        "defect",
        "Something went wrong inside Lorebase",
        f"{type(error).__name__}; the log has the rest under the correlation id {correlation_id}."
        " Retry, and report it if it stays.",
    )


def _printable(detail: str) -> str:
    """Cut to size, and drop what PostgreSQL's jsonb refuses (NUL and lone surrogates)."""
    text = detail.replace("\x00", "").encode("utf-8", "replace").decode("utf-8")
    return text if len(text) <= _DETAIL_CHARACTERS else text[: _DETAIL_CHARACTERS - 1] + "…"
