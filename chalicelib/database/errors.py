"""What the driver reports, in our words; translated in one place (`translation.py`)."""

from typing import ClassVar

from chalicelib.errors import Rejected, Unavailable


class DatabaseUnavailable(Unavailable):
    """The database is out of reach."""


class DatabaseBusy(Unavailable):
    """The database is too busy to answer in time."""


class TransactionConflict(Unavailable):
    """Two changes met at the same rows; the same request will pass when repeated."""


class DatabaseUrlMalformed(Rejected):
    """The URL of the database cannot be read."""


class TextRefused(Rejected):
    """The text holds a NUL character, which the database cannot keep or look for."""

    status: ClassVar[int] = 422
