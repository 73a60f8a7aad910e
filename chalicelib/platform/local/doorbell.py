"""The doorbell inside one process."""

import threading
from collections.abc import Sequence

from chalicelib.platform.ports import Ring


class LocalDoorbell:
    """Wakes whoever waits in this process. Which job rang does not matter: the dispatcher reads the table."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._rung = False

    def ring(self, rings: Sequence[Ring]) -> None:
        """Wake the dispatcher, or let its next wait end at once."""
        if rings:
            self.wake()

    def announce(self) -> bool:
        """Do nothing: the ticker's rounds come by themselves."""
        return True

    def wake(self) -> None:
        """Do as if a job had rung."""
        with self._changed:
            self._rung = True
            self._changed.notify_all()

    def wait(self, seconds: float) -> bool:
        """Sleep until it rings, or for so long; tell whether it rang."""
        with self._changed:
            rang = self._changed.wait_for(lambda: self._rung, timeout=seconds)
            self._rung = False
            return rang
