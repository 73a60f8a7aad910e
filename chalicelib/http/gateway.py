"""What is answered to requests that reach no route: by API Gateway on AWS, by the local server here.

infra/ defines one gateway response for each entry of GATEWAY_PROBLEMS, so that both say the same.
"""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from chalicelib.errors import LorebaseError
from chalicelib.http.edge import Reply, reply_to_refused
from chalicelib.http.errors import (
    InternalError,
    LengthRequired,
    MalformedRequest,
    MethodNotAllowed,
    RequestTimeout,
    RequestTooLarge,
    RouteNotFound,
)

GATEWAY_PROBLEMS: Mapping[int, tuple[type[LorebaseError], str]] = MappingProxyType(
    {
        400: (MalformedRequest, "The request is malformed."),
        404: (RouteNotFound, "There is no such route; see /v1/openapi.json."),
        405: (MethodNotAllowed, "The route does not know this method."),
        408: (RequestTimeout, "The request did not arrive in time; send it again."),
        411: (LengthRequired, "Send a Content-Length; chunked bodies are not taken here."),
        413: (RequestTooLarge, "The body is too large; ask for a presigned upload instead."),
        500: (InternalError, "Something went wrong; it was logged."),
    }
)
"""The problem and its detail for each status that is answered before a route is reached."""


def refuse_request(status: int, headers: Mapping[str, str], *, allow: Sequence[str] = ()) -> Reply:
    """Answer a request that reaches no route; `headers` have lower-case names, `allow` is for 405."""
    leaf, detail = GATEWAY_PROBLEMS[status]
    members = {"allow": ", ".join(allow)} if allow else {}
    return reply_to_refused(leaf(detail, **members), headers)
