"""What the driver reports, in our words; translated in one place (`translation.py`)."""

from chalicelib.errors import Unavailable


class DatabaseUnavailable(Unavailable):
    """The database is out of reach."""


class DatabaseBusy(Unavailable):
    """The database is too busy to answer in time."""


class TransactionConflict(Unavailable):
    """Two changes met at the same rows; the same request will pass when repeated."""
