"""What goes wrong with questions."""

from chalicelib.errors import Rejected, Unavailable


class QueryEmpty(Rejected):
    """The question is empty."""


class QueryTooLong(Rejected):
    """The question is too long."""


class SearchRefused(Rejected):
    """The search cannot be done as it was asked for."""


class SearchUnavailable(Unavailable):
    """No search lane answered in time."""
