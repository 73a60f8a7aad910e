"""Where the calls of one piece of work are counted, and whether they may be made."""

from dataclasses import dataclass

from chalicelib.identity.model import OrganizationId, WorkspaceId
from chalicelib.platform.ports import Clock
from chalicelib.usage.gate import Gate
from chalicelib.usage.meter import Meter
from chalicelib.usage.model import ALWAYS_DONE, Counts, ModelKind, Purpose, Tally


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """A workspace (or an organization as a whole) and a purpose."""

    meter: Meter
    gate: Gate
    clock: Clock
    purpose: Purpose
    workspace_id: WorkspaceId | None
    organization_id: OrganizationId | None

    def require_budget(self) -> None:
        """Ask before each call, outside of transactions. Raises BudgetSpent, never for questions."""
        if self.purpose not in ALWAYS_DONE:
            self.gate.require(organization_id=self.organization_id, workspace_id=self.workspace_id)

    def count(self, *, kind: ModelKind, model: str, input_tokens: int, output_tokens: int = 0, calls: int = 1) -> None:
        """Count a call right after it, whatever becomes of its result. Tokens below 0 count as none."""
        tally = Tally(
            self.organization_id, self.workspace_id, self.clock.now().date(), self.purpose, kind, _storable(model)
        )
        self.meter.count(tally, Counts(calls, max(0, input_tokens), max(0, output_tokens)))


def _storable(name: str) -> str:
    """Return a name that the ledger takes, so that none keeps the others from being written."""
    return name.replace("\x00", "").encode("utf-8", "replace").decode()[:200] or "unnamed"
