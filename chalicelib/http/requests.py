"""Reads a request: ids out of the path, validated query parameters, a validated body, headers."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any
from urllib.parse import quote
from uuid import UUID

import pydantic_core
from pydantic import ValidationError

from chalicelib.database.ids import new_id
from chalicelib.http.errors import (
    InvalidBody,
    InvalidHeader,
    InvalidQuery,
    MalformedJson,
    RequestTooLarge,
    UnsupportedContentType,
)
from chalicelib.http.routing import NIL, Body, NoBody, Query, Route
from chalicelib.telemetry.correlation import correlation_id_of

_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_IDEMPOTENCY_KEY = re.compile(r"[\x21-\x7e]{1,255}")
_ETAG = re.compile(r'"(?P<revision>[1-9][0-9]{0,9})"')


@dataclass(frozen=True, slots=True)
class RawRequest:
    """A request as it came, with lower-case header names.

    `base_path` is what stands before the routes in the API's address, as in `/api`.
    """

    method: str
    pattern: str
    path_values: Mapping[str, str]
    query_values: Mapping[str, Sequence[str]]
    headers: Mapping[str, str]
    body: bytes
    base_path: str = ""


def request_id_of(headers: Mapping[str, str]) -> str:
    """Return the id that the client gave its request, where it is a sane one, or a new one."""
    return correlation_id_of(headers.get("x-request-id")) or str(new_id())


def ids_of(request: RawRequest) -> Mapping[str, UUID]:
    """Return the ids in the path; one that cannot be an id is NIL."""
    return {name: id_of(value) for name, value in request.path_values.items()}


def id_of(text: str) -> UUID:
    """Return the id that a text is, or NIL."""
    return UUID(text) if _UUID.fullmatch(text) else NIL


def read_query(route: Route, request: RawRequest) -> Query:
    """Validate the query parameters. Raises InvalidQuery."""
    values: dict[str, Any] = {}
    for name, entries in request.query_values.items():
        repeatable = name in _repeatable(route.query)
        if len(entries) > 1 and not repeatable:
            raise InvalidQuery(
                f"The parameter {name} may be given once.",
                errors=[{"parameter": name, "detail": "Given more than once"}],
            )
        values[name] = list(entries) if repeatable else entries[0]
    try:
        return route.query.model_validate(values)
    except ValidationError as error:
        faults = [{"parameter": str((*fault["loc"], "?")[0]), "detail": _said(fault)} for fault in _faults(error)]
        first = f"{faults[0]['parameter']} was refused: {faults[0]['detail']}"
        raise InvalidQuery(f"The query parameter {first}.", errors=faults) from error


def read_body(route: Route, request: RawRequest, *, limit: int) -> Body:
    """Validate the body. Raises RequestTooLarge, UnsupportedContentType, MalformedJson, InvalidBody."""
    if len(request.body) > limit:
        raise RequestTooLarge(f"A body may have {limit} bytes at most.", limit=limit)
    if request.body and request.headers.get("content-encoding", "").strip().lower() not in {"", "identity"}:
        raise UnsupportedContentType("Send the body without a Content-Encoding.", expected="identity")
    if route.takes_bytes:
        _require_content_type(request, "application/octet-stream")
        return NoBody()
    if route.method == "GET" or (not request.body and route.body is NoBody):
        return NoBody()
    _require_content_type(request, "application/json")
    return _validate_json(route.body, request.body)


def read_idempotency_key(headers: Mapping[str, str]) -> str | None:
    """Return the Idempotency-Key, or None. Raises InvalidHeader."""
    key = headers.get("idempotency-key")
    if key is not None and not _IDEMPOTENCY_KEY.fullmatch(key):
        raise InvalidHeader("An Idempotency-Key has 1 to 255 printable ASCII characters and no blanks.")
    return key


def read_if_match(headers: Mapping[str, str]) -> int | None:
    """Return the revision that a write is guarded by; None where it is not guarded, or by `*`. Raises InvalidHeader."""
    value = headers.get("if-match")
    if value is None or value.strip() == "*":
        return None
    match = _ETAG.fullmatch(value.strip())
    if match is None:
        raise InvalidHeader('If-Match takes the ETag of one revision, as in "3".')
    return int(match["revision"])


def is_known_revision(headers: Mapping[str, str], etag: str) -> bool:
    """Tell whether If-None-Match names this ETag, compared weakly (RFC 9110, 13.1.2)."""
    entries = [entry.strip().removeprefix("W/") for entry in headers.get("if-none-match", "").split(",")]
    return etag in entries or "*" in entries


@cache
def _repeatable(query: type[Query]) -> frozenset[str]:
    """Return the parameters that may be given several times: those whose values are lists."""
    properties = query.model_json_schema().get("properties", {})
    return frozenset(
        name
        for name, schema in properties.items()
        if schema.get("type") == "array" or any(part.get("type") == "array" for part in schema.get("anyOf", ()))
    )


def _require_content_type(request: RawRequest, expected: str) -> None:
    given = request.headers.get("content-type", "")
    if given.split(";")[0].strip().lower() != expected:
        raise UnsupportedContentType(f"Send the body as {expected}.", expected=expected)


def _validate_json(model: type[Body], raw: bytes) -> Body:
    try:
        parsed = pydantic_core.from_json(raw, allow_inf_nan=False)
    except ValueError as error:
        raise MalformedJson(f"The body is not JSON: {error}.") from error
    _refuse_infinity(parsed)
    try:
        return model.model_validate_json(raw)
    except ValidationError as error:
        faults = [{"pointer": _pointer(fault["loc"]), "detail": _said(fault)} for fault in _faults(error)]
        first = f"{faults[0]['pointer']}: {faults[0]['detail']}"
        raise InvalidBody(f"The body was refused at {first}.", errors=faults) from error


def _refuse_infinity(value: object) -> None:
    # A number too large for a double parses as infinity, which neither JSON nor jsonb can hold.
    if isinstance(value, float) and not math.isfinite(value):
        raise MalformedJson("The body holds a number that is too large.")
    if isinstance(value, dict):
        for entry in value.values():
            _refuse_infinity(entry)
    elif isinstance(value, list):
        for entry in value:
            _refuse_infinity(entry)


def _faults(error: ValidationError) -> Sequence[Any]:
    return error.errors(include_url=False, include_context=False, include_input=False)[:20]


def _said(fault: Mapping[str, Any]) -> str:
    """Return what is wrong, for people; what the validator says of a name that it does not know is no reason."""
    return "There is no such name here" if fault["type"] == "extra_forbidden" else str(fault["msg"]).rstrip(".")


def _pointer(location: Sequence[str | int]) -> str:
    """Return a JSON Pointer as a URI fragment (RFC 6901, section 6)."""
    return "#" + "".join("/" + quote(str(part).replace("~", "~0").replace("/", "~1")) for part in location)
