"""Two transactions that meet: the second one begins while the first has not ended, and goes on when it has."""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Event
from typing import Any

from chalicelib.database.database import Database
from chalicelib.database.statements import Statement
from chalicelib.database.transaction import Transaction

Deed = Callable[[Transaction], Any]

_WAITING = Statement(
    "waiting",
    "Tell whether somebody waits for a lock.",
    b"select 1 as found from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' limit 1",
)
_PAUSE = Event()


def meet(database: Database, first: Deed, second: Deed) -> Any:
    """Do the first deed, begin with the second, and end the first once the second waits or is through."""
    with ThreadPoolExecutor(1) as pool:
        with database.transaction() as tx:
            first(tx)
            done = pool.submit(_alone, database, second)
            await_lock(database, done)
        return done.result(timeout=60)


def await_lock(database: Database, done: Future[Any]) -> None:
    while not done.done():
        with database.transaction() as tx:
            if tx.fetch_one(_WAITING):
                return
        _PAUSE.wait(0.01)


def _alone(database: Database, deed: Deed) -> Any:
    with database.transaction() as tx:
        return deed(tx)
