"""Says which web pages may read the answers (https://fetch.spec.whatwg.org/#http-cors-protocol).

Credentials are bearer tokens, never cookies, so no answer allows credentials mode.
"""

from collections.abc import Mapping, Sequence

_REQUEST_HEADERS = (
    "Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, X-On-Behalf-Of, X-Request-Id, X-Simulate-As"
)
_ANSWER_HEADERS = "Allow, ETag, Link, Location, Retry-After, WWW-Authenticate, X-Request-Id"
_PREFLIGHT_SECONDS = "600"


def cors_headers(request_headers: Mapping[str, str], *, allowed_origins: Sequence[str]) -> dict[str, str]:
    """Return the CORS headers of any answer, errors included; a foreign origin gets none but Vary."""
    origin = request_headers.get("origin")
    headers = {"Vary": "Origin"}
    if origin is not None and (origin in allowed_origins or "*" in allowed_origins):
        headers["Access-Control-Allow-Origin"] = origin
        headers["Access-Control-Expose-Headers"] = _ANSWER_HEADERS
    return headers


def preflight_headers(
    request_headers: Mapping[str, str], *, methods: Sequence[str], allowed_origins: Sequence[str]
) -> dict[str, str]:
    """Return the headers that answer a pre-flight for a path that knows `methods`."""
    headers = cors_headers(request_headers, allowed_origins=allowed_origins)
    headers["Allow"] = ", ".join(methods)
    if "Access-Control-Allow-Origin" in headers:
        headers["Access-Control-Allow-Methods"] = ", ".join(methods)
        headers["Access-Control-Allow-Headers"] = _REQUEST_HEADERS
        headers["Access-Control-Max-Age"] = _PREFLIGHT_SECONDS
    return headers
