"""What goes wrong between a client and the API, before or around a use case."""

from typing import ClassVar

from chalicelib.errors import Conflict, Forbidden, LorebaseError, NotFound, Rejected, Unavailable


class RouteNotFound(NotFound):
    """There is no such route."""


class MethodNotAllowed(Rejected):
    """The route does not know this method."""

    status: ClassVar[int] = 405


class MalformedRequest(Rejected):
    """The request is not HTTP that the server understands."""


class RequestTimeout(Rejected):
    """The request did not arrive in time."""

    status: ClassVar[int] = 408


class LengthRequired(Rejected):
    """The request does not say how long its body is."""

    status: ClassVar[int] = 411


class RequestTooLarge(Rejected):
    """The request's body is too large."""

    status: ClassVar[int] = 413


class AnswerTooLarge(Rejected):
    """The answer is larger than this deployment can send."""

    status: ClassVar[int] = 413


class RequestFiltered(Forbidden):
    """The firewall of this deployment refused the request."""


class TooManyRequests(Unavailable):
    """Requests come faster than this deployment takes them."""

    status: ClassVar[int] = 429


class AnswerMissing(Unavailable):
    """The function behind the API gave no answer."""

    status: ClassVar[int] = 502


class AnswerTooLate(Unavailable):
    """The answer took longer than the gateway waits."""

    status: ClassVar[int] = 504


class UnsupportedContentType(Rejected):
    """The body's content type is not supported here."""

    status: ClassVar[int] = 415


class MalformedJson(Rejected):
    """The body is not JSON."""


class InvalidBody(Rejected):
    """The body does not have the form that this route takes."""

    status: ClassVar[int] = 422


class InvalidQuery(Rejected):
    """The query parameters are not those that this route takes."""


class InvalidHeader(Rejected):
    """A request header cannot be understood."""


class InvalidCursor(Rejected):
    """The cursor was not given out for this list."""


class IdempotencyKeyReused(Rejected):
    """The idempotency key was used for another request."""

    status: ClassVar[int] = 422


class RequestInProgress(Conflict):
    """A request with this idempotency key is being worked on."""


class AnswerNotKept(Conflict):
    """The request was done before, and its answer, which held a secret, was not kept."""


class InternalError(LorebaseError):
    """Something went wrong on our side."""
