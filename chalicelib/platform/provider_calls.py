"""What can become of a call to a provider of models, said alike for all of them.

Nothing that a provider says reaches a person by this way: its messages may quote texts, or parts of a key. `said` is
for telling one refusal from another.
"""

from enum import Enum


class Outcome(Enum):
    """Why a call came to nothing, by what helps."""

    BUSY = "busy"
    """Too many calls or too few machines: the same call later, perhaps at a time that was named."""
    BROKEN = "broken"
    """No answer, half an answer, or an error of the server: the same call again, unless it is the content."""
    TOO_LARGE = "too large"
    """Less of it at once."""
    REFUSED = "refused"
    """Another content, or another form."""
    DENIED = "denied"
    """Nothing but a person: the key, the rights, the address, the name of the model, the bill."""
    UNREADABLE = "unreadable"
    """Nothing: the answer is complete, and not what was asked for."""
    LATE = "late"
    """More time."""


class CallFailed(Exception):
    """A call to a provider came to nothing. `detail` continues a sentence that begins with the provider's name."""

    def __init__(self, outcome: Outcome, detail: str, *, said: str = "", wait: float | None = None) -> None:
        """`wait` is in seconds, where the provider named a time."""
        super().__init__(detail)
        self.outcome = outcome
        self.detail = detail
        self.said = said
        self.wait = wait
