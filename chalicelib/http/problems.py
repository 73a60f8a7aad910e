"""Turns errors into problem details (RFC 9457)."""

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from chalicelib.errors import LorebaseError, Unavailable

CONTENT_TYPE = "application/problem+json"
_MOST_CHARACTERS = 2000
"""Of one text in a problem; a path has half of it. What clients sent is quoted, and may have megabytes."""
_RESERVED = frozenset({"type", "title", "status", "detail", "instance"})


class Problem(BaseModel):
    """What went wrong, for people (title, detail) and for programs (type and further members)."""

    model_config = ConfigDict(extra="allow", title="Problem")

    type: str = Field(description="A stable name, `urn:lorebase:problem:<kebab-case>`.")
    title: str
    status: int
    detail: str
    instance: str = Field(description="The id of the request, `urn:lorebase:request:<id>`.")


def type_of(leaf: type[LorebaseError]) -> str:
    """Return the URI that names a kind of problem."""
    return f"urn:lorebase:problem:{leaf.problem_type()}"


def problem_of(error: LorebaseError, *, request_id: str) -> dict[str, Any]:
    """Return the problem document of an error."""
    members = {name: _cut(value) for name, value in error.members.items() if name not in _RESERVED}
    return {
        "type": type_of(type(error)),
        "title": error.title(),
        "status": error.status,
        "detail": _cut(error.detail),
        "instance": f"urn:lorebase:request:{request_id}",
        **members,
    }


def _cut(value: object) -> object:
    if isinstance(value, str) and len(value) > _MOST_CHARACTERS:
        return value[: _MOST_CHARACTERS - 1] + "…"
    if isinstance(value, Mapping):
        return {name: _cut(entry) for name, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_cut(entry) for entry in value]
    return value


def headers_of(error: LorebaseError) -> Mapping[str, str]:
    """Return the headers that belong to an error's status."""
    if error.status == 401:
        return {"WWW-Authenticate": "Bearer"}
    if error.status == 405:
        return {"Allow": str(error.members.get("allow", ""))}
    if isinstance(error, Unavailable):
        return {"Retry-After": "2"}
    return {}
