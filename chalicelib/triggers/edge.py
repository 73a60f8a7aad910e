"""The edge of a function: what it logs bears an id, and what it raises bears no values."""

import logging
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, Protocol, TypeVar

from chalicelib.telemetry.correlation import correlated

_LOGGER = logging.getLogger(__name__)
AnswerT_co = TypeVar("AnswerT_co", covariant=True)


class OfLambda(Protocol[AnswerT_co]):
    """What Lambda calls."""

    def __call__(self, event: Mapping[str, Any], context: object = None) -> AnswerT_co:
        """Answer an event; the context is there on Lambda alone."""
        ...


class FunctionFailed(Exception):
    """A function came to nothing; its log says why.

    Lambda's runtime writes the messages of errors out, so this one's quotes nothing.
    """


def at_the_edge(handle: Callable[[Mapping[str, Any]], AnswerT_co]) -> OfLambda[AnswerT_co]:
    """Return what Lambda calls for a handler; log lines bear the invocation's id until a record has one of its own.

    Raises FunctionFailed for whatever the handler raises, so that Lambda counts the error and tries again.
    """

    @wraps(handle)
    def handle_invocation(event: Mapping[str, Any], context: object = None) -> AnswerT_co:
        request_id = getattr(context, "aws_request_id", None)
        with correlated(request_id):
            try:
                return handle(event)
            except Exception as error:
                _LOGGER.exception("The function failed.")
                raise FunctionFailed(f"{type(error).__name__}; the log has the rest under {request_id}.") from None

    return handle_invocation
