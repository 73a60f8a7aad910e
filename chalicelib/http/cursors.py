"""Cursors of lists: opaque, signed, and good only for the list and the caller they were given to."""

import base64
import binascii
import hashlib
import hmac
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar
from uuid import UUID

from pydantic import BaseModel, Field

from chalicelib.http.errors import InvalidCursor
from chalicelib.http.routing import Call, Query

_MAC_BYTES = 16
_Entry = TypeVar("_Entry")


class Page(Query):
    """How much of a list to answer, and from where on."""

    limit: int = Field(50, ge=1, le=200, description="How many entries to answer at most.")
    cursor: str | None = Field(None, max_length=4000, description="The `next_cursor` of the page before.")


def read_position(call: Call[Any, Any]) -> list[Any] | None:
    """Return the position that the call's cursor holds, or None for the first page. Raises InvalidCursor."""
    cursor = call.query.cursor
    if cursor is None:
        return None
    try:
        raw = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))
    except (ValueError, binascii.Error) as error:
        raise _refusal() from error
    payload, mac = raw[:-_MAC_BYTES], raw[-_MAC_BYTES:]
    if not hmac.compare_digest(mac, _mac(call, payload)):
        raise _refusal()
    position: list[Any] = json.loads(payload)
    return position


def read_id_position(call: Call[Any, Any]) -> UUID | None:
    """Return the id that the call's cursor holds, for lists in order of ids. Raises InvalidCursor."""
    position = read_position(call)
    return None if position is None else UUID(position[0])


def cut_page(
    call: Call[Any, Any], entries: Sequence[_Entry], *, position_of: Callable[[_Entry], Sequence[Any]]
) -> tuple[Sequence[_Entry], str | None]:
    """Return the entries of the page, and the cursor that continues after them where there are more.

    `entries` are those from the cursor on, one more than the call's limit where there are as many; `position_of` an
    entry are the JSON values that the list goes on behind.
    """
    shown = entries[: call.query.limit]
    has_more = len(entries) > len(shown)
    return shown, write_cursor(call, position_of(shown[-1])) if has_more else None


def write_cursor(call: Call[Any, Any], position: Sequence[Any]) -> str:
    """Return a cursor that continues this list after `position` (JSON values)."""
    payload = json.dumps(list(position), ensure_ascii=False, separators=(",", ":")).encode()
    return base64.urlsafe_b64encode(payload + _mac(call, payload)).decode().rstrip("=")


def _mac(call: Call[Any, Any], payload: bytes) -> bytes:
    askers = [str(principal.id) for principal in call.principal.chain]
    context = json.dumps([call.route.name, askers, _strings(call.ids), _filters(call.query)], sort_keys=True)
    message = len(context).to_bytes(4) + context.encode() + payload
    return hmac.new(call.application.cursor_key, message, hashlib.sha256).digest()[:_MAC_BYTES]


def _filters(query: BaseModel) -> dict[str, Any]:
    return query.model_dump(mode="json", exclude={"cursor", "limit"})


def _strings(ids: Mapping[str, Any]) -> dict[str, str]:
    return {name: str(value) for name, value in ids.items()}


def _refusal() -> InvalidCursor:
    return InvalidCursor("The cursor was not given out for this list; begin without one.")
