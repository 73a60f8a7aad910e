"""New ids: UUIDs of version 7 (RFC 9562), so that rows made together lie together."""

from uuid import UUID

from uuid_utils.compat import uuid7


def new_id() -> UUID:
    """Return a UUIDv7; ids made later in a process sort later."""
    return uuid7()
