"""What is answered to requests that reach no route: by API Gateway on AWS, by the local server here.

infra/gateway_responses.py says the same to API Gateway, and a test holds the two together.
"""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from chalicelib.errors import LorebaseError
from chalicelib.http.edge import Reply, reply_to_preflight, reply_to_refused, reply_without_body
from chalicelib.http.errors import (
    AnswerMissing,
    AnswerTooLate,
    InternalError,
    LengthRequired,
    MalformedRequest,
    MethodNotAllowed,
    RequestFiltered,
    RequestTimeout,
    RequestTooLarge,
    RouteNotFound,
    TooManyRequests,
)

GATEWAY_PROBLEMS: Mapping[int, tuple[type[LorebaseError], str]] = MappingProxyType(
    {
        400: (MalformedRequest, "The request is malformed."),
        403: (RequestFiltered, "Something in the request looked like an attack."),
        404: (RouteNotFound, "There is no such route; see /v1/openapi.json."),
        405: (MethodNotAllowed, "The route does not know this method."),
        408: (RequestTimeout, "The request did not arrive in time; send it again."),
        411: (LengthRequired, "Send a Content-Length; chunked bodies are not taken here."),
        413: (RequestTooLarge, "The body is too large; ask for a presigned upload instead."),
        429: (TooManyRequests, "Send the request again a little later."),
        500: (InternalError, "Something went wrong; it was logged."),
        502: (AnswerMissing, "The function ended without an answer; send the request again."),
        504: (AnswerTooLate, "A database that had paused may be awake by now; send the request again."),
    }
)
"""The problem and its detail for each status that is answered before a route is reached."""


def refuse_request(status: int, headers: Mapping[str, str], *, allow: Sequence[str] = ()) -> Reply:
    """Answer a request that reaches no route; `headers` have lower-case names, `allow` is for 405."""
    leaf, detail = GATEWAY_PROBLEMS.get(status, GATEWAY_PROBLEMS[400])
    members = {"allow": ", ".join(allow)} if allow else {}
    return reply_to_refused(leaf(detail, **members), headers)


class LocalGateway:
    """What the local server asks for its answers, as it knows neither problems nor origins."""

    def refuse(self, reason: int | LorebaseError, headers: Mapping[str, str]) -> Reply:
        """Answer a request that reaches no route, or whose presigned URL was of no use."""
        if isinstance(reason, LorebaseError):
            return reply_to_refused(reason, headers)
        return refuse_request(reason, headers)

    def preflight(self, methods: Sequence[str], headers: Mapping[str, str]) -> Reply:
        """Answer OPTIONS."""
        return reply_to_preflight(methods, headers)

    def accept(self, status: int, answer_headers: Mapping[str, str], headers: Mapping[str, str]) -> Reply:
        """Answer a request that the server has done by itself; a body may follow."""
        return reply_without_body(status, answer_headers, headers)
