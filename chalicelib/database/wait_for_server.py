"""Waits for a server that sleeps: a paused Aurora resumes at the first knock."""

import time
from collections.abc import Callable

import psycopg

from chalicelib.database.conninfo import checked_conninfo
from chalicelib.database.errors import DatabaseUnavailable

# About 15 seconds to resume, more than 30 after a day's pause
# (docs.aws.amazon.com/AmazonRDS/latest/AuroraUserGuide/aurora-serverless-v2-auto-pause.html).
_KNOCK_SECONDS = 40
_PAUSE_SECONDS = 1.0


def wait_for_server(conninfo: str, *, seconds: float, pause: Callable[[float], None] = time.sleep) -> None:
    """Return once somebody can log in. Raises DatabaseUnavailable, with the server's or the driver's own words."""
    deadline = time.monotonic() + seconds
    while True:
        try:
            psycopg.connect(checked_conninfo(conninfo), connect_timeout=_KNOCK_SECONDS).close()
        except psycopg.OperationalError as error:
            if time.monotonic() >= deadline:
                raise DatabaseUnavailable(f"The database let nobody in for {seconds:.0f} s: {error}") from error
            pause(_PAUSE_SECONDS)
        else:
            return
