"""The clock of the machine."""

from datetime import UTC, datetime


class SystemClock:
    """Tells the time of the operating system."""

    def now(self) -> datetime:
        """Return the present time in UTC."""
        return datetime.now(UTC)
