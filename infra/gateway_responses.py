"""What API Gateway answers by itself, as the problem details that the API answers otherwise.

A test holds the entries to chalicelib/http/gateway.py, which answers for the local server.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class GatewayProblem:
    """A problem that is known before a route is reached, or when the function gives no answer."""

    status: int
    name: str
    title: str
    detail: str
    can_be_repeated: bool = False


_MALFORMED = GatewayProblem(
    400,
    "malformed-request",
    "The request is not HTTP that the server understands",
    "The request is malformed.",
)
_NO_ROUTE = GatewayProblem(
    404,
    "route-not-found",
    "There is no such route",
    "There is no such route; see /v1/openapi.json.",
)
_TOO_LARGE = GatewayProblem(
    413,
    "request-too-large",
    "The request's body is too large",
    "The body is too large; ask for a presigned upload instead.",
)
_TOO_MANY = GatewayProblem(
    429,
    "too-many-requests",
    "Requests come faster than this deployment takes them",
    "Send the request again a little later.",
    can_be_repeated=True,
)
_FILTERED = GatewayProblem(
    403,
    "request-filtered",
    "The firewall of this deployment refused the request",
    "Something in the request looked like an attack.",
)
_INTERNAL = GatewayProblem(
    500,
    "internal-error",
    "Something went wrong on our side",
    "Something went wrong; it was logged.",
)
_NO_ANSWER = GatewayProblem(
    502,
    "answer-missing",
    "The function behind the API gave no answer",
    "The function ended without an answer; send the request again.",
    can_be_repeated=True,
)
_TOO_LATE = GatewayProblem(
    504,
    "answer-too-late",
    "The answer took longer than the gateway waits",
    "A database that had paused may be awake by now; send the request again.",
    can_be_repeated=True,
)

# The kinds of response: docs.aws.amazon.com/apigateway/latest/developerguide/supported-gateway-response-types.html.
# A path or method that does not exist is reported as a missing token, since it might have been signed for IAM.
PROBLEMS_BY_RESPONSE: Mapping[str, GatewayProblem] = {
    "DEFAULT_4XX": _MALFORMED,
    "DEFAULT_5XX": _INTERNAL,
    "BAD_REQUEST_BODY": _MALFORMED,
    "BAD_REQUEST_PARAMETERS": _MALFORMED,
    "MISSING_AUTHENTICATION_TOKEN": _NO_ROUTE,
    "RESOURCE_NOT_FOUND": _NO_ROUTE,
    "INVALID_SIGNATURE": _NO_ROUTE,
    "ACCESS_DENIED": _NO_ROUTE,
    "REQUEST_TOO_LARGE": _TOO_LARGE,
    "THROTTLED": _TOO_MANY,
    "QUOTA_EXCEEDED": _TOO_MANY,
    "WAF_FILTERED": _FILTERED,
    "API_CONFIGURATION_ERROR": _INTERNAL,
    "INTEGRATION_FAILURE": _NO_ANSWER,
    "INTEGRATION_TIMEOUT": _TOO_LATE,
}


def gateway_responses(origins: Sequence[str]) -> dict[str, object]:
    """Return the property GatewayResponses of an AWS::Serverless::Api whose pages of `origins` may read answers."""
    return {name: _response(problem, origins) for name, problem in PROBLEMS_BY_RESPONSE.items()}


def _response(problem: GatewayProblem, origins: Sequence[str]) -> dict[str, object]:
    document = {
        "type": f"urn:lorebase:problem:{problem.name}",
        "title": problem.title,
        "status": problem.status,
        "detail": problem.detail,
        "instance": "urn:lorebase:request:$context.requestId",
    }
    headers = {
        "Content-Type": "'application/problem+json'",
        "Cache-Control": "'no-store'",
        "X-Content-Type-Options": "'nosniff'",
        "X-Request-Id": "context.requestId",
        "Vary": "'Origin'",
        **_cors(origins),
    }
    if problem.can_be_repeated:
        headers["Retry-After"] = "'2'"
    return {
        "StatusCode": problem.status,
        "ResponseParameters": {"Headers": headers},
        "ResponseTemplates": {"application/json": json.dumps(document)},
    }


def _cors(origins: Sequence[str]) -> dict[str, str]:
    """Return CORS headers, which cannot choose among origins here.

    Where there are several, everyone may read these answers: they hold nothing of anybody's.
    """
    if not origins:
        return {}
    return {
        "Access-Control-Allow-Origin": f"'{origins[0] if len(origins) == 1 else '*'}'",
        "Access-Control-Expose-Headers": "'Retry-After, X-Request-Id'",
    }
