"""What goes wrong with jobs."""

from chalicelib.errors import Conflict, NotFound


class JobNotFound(NotFound):
    """There is no such job."""


class LeaseLost(Conflict):
    """The job was taken over, cancelled or deleted while it was worked on."""


class JobIsOver(Conflict):
    """The job is over already."""


class JobIsNotDead(Conflict):
    """Only a dead job can be redriven."""


class JobCancelled(Conflict):
    """The job was cancelled before it was done."""


class WorkerDied(Conflict):
    """The worker stopped without a word in each attempt."""
