"""What a process meters with: one meter, one gate and the prices."""

from chalicelib.database.database import Database
from chalicelib.identity.model import OrganizationId, WorkspaceId
from chalicelib.platform.ports import Clock
from chalicelib.usage.account import Account
from chalicelib.usage.gate import Gate
from chalicelib.usage.meter import Meter
from chalicelib.usage.model import Purpose
from chalicelib.usage.prices import Prices


class Metering:
    """One a process; thread-safe. See Meter for when it writes."""

    def __init__(self, database: Database, clock: Clock, prices: Prices, *, flushes_by_itself: bool = False) -> None:
        self.prices = prices
        self.meter = Meter(database, clock, flushes_by_itself=flushes_by_itself)
        self._gate = Gate(database, clock, self.meter, prices)
        self._clock = clock

    def account(
        self,
        purpose: Purpose,
        *,
        workspace_id: WorkspaceId | None = None,
        organization_id: OrganizationId | None = None,
    ) -> Account:
        """Return where calls are counted: for a workspace, or else for an organization as a whole."""
        return Account(
            meter=self.meter,
            gate=self._gate,
            clock=self._clock,
            purpose=purpose,
            workspace_id=workspace_id,
            organization_id=organization_id,
        )
