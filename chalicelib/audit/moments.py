"""What the id of an entry says of its time: a UUIDv7 begins with milliseconds since 1970 (RFC 9562, 5.7)."""

from datetime import UTC, datetime, timedelta
from uuid import UUID

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_BITS_BEHIND = 80
_GREATEST = (1 << 48) - 1


def moment_of(activity_id: UUID) -> datetime:
    """Return when an entry was made, to the millisecond, in UTC."""
    return _EPOCH + timedelta(milliseconds=activity_id.int >> _BITS_BEHIND)


def first_id_at(moment: datetime) -> UUID:
    """Return the least id that an entry of this moment or later can have. Times before 1970 count as 1970."""
    passed = moment - _EPOCH
    milliseconds = -(-passed // timedelta(milliseconds=1))
    return UUID(int=min(max(milliseconds, 0), _GREATEST) << _BITS_BEHIND)
