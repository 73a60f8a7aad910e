"""Brings the embedded PostgreSQL back where it ends under a running application: killed, or out of memory."""

import logging
import threading

from chalicelib.errors import LorebaseError
from chalicelib.platform.local.postgres.launcher import RunningPostgres

_LOGGER = logging.getLogger(__name__)
_REST_ROUNDS = 10
"""One that will not start (its disk is full) is not tried at every look."""


def keep_running(postgres: RunningPostgres, stop: threading.Event, *, every_seconds: float) -> None:
    """Look after the server until `stop` is set, and start it anew, at the same address, where it has died."""
    while not stop.wait(every_seconds):
        if postgres.is_listening():
            continue
        _LOGGER.warning("The database has ended by itself and is started again.")
        try:
            if postgres.revive():
                _LOGGER.warning("The database is back; nothing that was accepted is lost.")
        except LorebaseError as error:
            _LOGGER.error("%s Trying again.", error.detail)  # noqa: TRY400  the sentence says it all
            stop.wait(every_seconds * _REST_ROUNDS)
