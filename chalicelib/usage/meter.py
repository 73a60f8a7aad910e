"""Counts what models use: at once in this process, and in the ledger a little later."""

import logging
import threading
from datetime import datetime, timedelta

from chalicelib.database.database import Database
from chalicelib.database.ids import new_id
from chalicelib.errors import Unavailable
from chalicelib.platform.ports import Clock
from chalicelib.usage import store
from chalicelib.usage.model import Counts, Tally

_LOGGER = logging.getLogger(__name__)

FLUSH_SECONDS = 5
"""How long a call may wait to be written: what a process that is killed takes with it at most."""


class Meter:
    """One a process; thread-safe. What could not be written stays, and goes with a later flush.

    Where it `flushes_by_itself` a thread writes every few seconds while there is something to write, so that nobody
    waits for it. Otherwise (a function on AWS stands still between two requests) `flush_if_due` is to be called at
    the end of each request and job.
    """

    def __init__(self, database: Database, clock: Clock, *, flushes_by_itself: bool = False) -> None:
        self._database = database
        self._clock = clock
        self._flushes_by_itself = flushes_by_itself
        self._id = new_id()
        self._counting = threading.Lock()
        self._counts: dict[Tally, Counts] = {}
        self._timer: threading.Timer | None = None
        self._is_closed = False
        self._writing = threading.Lock()
        self._unwritten: dict[Tally, Counts] = {}
        self._flush = 0
        self._flushed_at: datetime | None = None

    def count(self, tally: Tally, counts: Counts) -> None:
        """Count a call that was made; the day is that of the tally."""
        with self._counting:
            self._counts[tally] = self._counts.get(tally, Counts()) + counts
            if self._flushes_by_itself and not self._is_closed:
                self._start_timer()
            is_late = self._is_closed
        if is_late:
            self.flush()

    def flush_if_due(self) -> None:
        """Write what was counted, unless something was written a moment ago, or a thread sees to it."""
        if self._flushes_by_itself:
            return
        last = self._flushed_at
        if last is None or self._clock.now() - last >= timedelta(seconds=FLUSH_SECONDS):
            self.flush()

    def flush(self) -> bool:
        """Write all that was counted; False where the database is out of reach, and it will be tried again.

        A flush whose answer was lost is sent again under its number, and the ledger takes each number once.
        """
        with self._writing:
            # What an earlier flush could not write goes first, as it was, and what came since after it.
            return self._write() and self._write()

    def close(self) -> None:
        """Write what is left; whatever is counted later is written at once."""
        with self._counting:
            self._is_closed = True
            timer, self._timer = self._timer, None
        if timer is not None:
            timer.cancel()
        self.flush()

    def _write(self) -> bool:
        if not self._unwritten:
            with self._counting:
                self._unwritten, self._counts = self._counts, {}
            self._flush += 1
        if not self._unwritten:
            return True
        now = self._clock.now()
        try:
            with self._database.transaction() as tx:
                store.add_usage(tx, self._unwritten, meter_id=self._id, flush=self._flush, now=now)
        except Unavailable as error:
            _LOGGER.warning("What models used is written later: %s", error.detail)
            return False
        self._unwritten, self._flushed_at = {}, now
        return True

    def _start_timer(self) -> None:
        if self._timer is None:
            self._timer = threading.Timer(FLUSH_SECONDS, self._flush_by_timer)
            self._timer.daemon = True
            self._timer.start()

    def _flush_by_timer(self) -> None:
        with self._counting:
            self._timer = None
        if not self.flush():
            with self._counting:
                if not self._is_closed:
                    self._start_timer()
