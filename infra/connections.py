"""How many functions may run at once, so that the database has a connection for each that asks for one."""

from dataclasses import dataclass

from infra.configuration import DatabaseChoice

WORKER_POOL = 2
"""A job and its heartbeat want a connection each."""
SINGLE_POOL = 1
API_POOL = 2
"""A search asks both lanes at once."""
_MIGRATIONS = 2
_LEAST = 2
"""The least that Lambda takes as an event source's maximum concurrency.

https://docs.aws.amazon.com/lambda/latest/api/API_ScalingConfig.html.
"""


@dataclass(frozen=True, slots=True)
class ConnectionShares:
    """Functions at once by kind; the API has what the others leave."""

    originals: int
    intake: int
    index: int
    sweep: int
    api: int

    @property
    def connections(self) -> int:
        """Return what all of them hold at most, when everything runs at once."""
        workers = WORKER_POOL * (self.intake + self.index) + SINGLE_POOL * (self.originals + self.sweep)
        return workers + API_POOL * self.api + _MIGRATIONS


def shares_of(database: DatabaseChoice) -> ConnectionShares:
    """Divide the database's connections: about a third for workers, who can wait, the rest for the API.

    The API's share is a number of functions at once, which nothing holds it to: a new account cannot reserve any.
    The sweep's counts the daily schedule besides the queue's two.
    """
    jobs = max(_LEAST, min(10, database.connections // 12))
    originals = max(_LEAST, min(5, database.connections // 30))
    sweep = _LEAST + 1
    taken = ConnectionShares(originals=originals, intake=jobs, index=jobs, sweep=sweep, api=0).connections
    api = (database.connections - taken) // API_POOL
    return ConnectionShares(originals=originals, intake=jobs, index=jobs, sweep=sweep, api=api)
