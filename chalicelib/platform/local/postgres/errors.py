"""What can go wrong with the embedded PostgreSQL, each with its remedy."""

from chalicelib.errors import Conflict, Rejected, Unavailable


class PostgresBinariesMissing(Unavailable):
    """The PostgreSQL binaries are not installed."""


class PostgresNotStarted(Unavailable):
    """The embedded PostgreSQL did not start."""


class PostgresNotStopped(Unavailable):
    """The embedded PostgreSQL did not stop."""


class PostgresVersionMismatch(Conflict):
    """The data folder belongs to another major version of PostgreSQL."""


class ServerAccountMissing(Rejected):
    """No operating system account can run the embedded PostgreSQL."""
