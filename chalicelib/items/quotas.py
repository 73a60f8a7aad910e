"""What a workspace may hold, counted in the transaction of each change."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass

from chalicelib.database.transaction import Transaction
from chalicelib.identity.model import WorkspaceId
from chalicelib.items import usage_store
from chalicelib.items.errors import QuotaExceeded


@dataclass(frozen=True, slots=True)
class Quotas:
    """Limits of a workspace where its own settings do not say otherwise."""

    items: int
    uploads: int
    original_bytes: int
    body_bytes: int
    chunks: int
    citations: int


@dataclass(frozen=True, slots=True)
class Use:
    """How much of a limit is used."""

    used: int
    limit: int


def charge(tx: Transaction, workspace_id: WorkspaceId, quotas: Quotas, **deltas: int) -> None:
    """Count what a change adds or (negative) frees, by the names of `Quotas`. Raises QuotaExceeded.

    Call it last in a transaction: it locks the workspace's counters until commit. Freeing always works,
    so that a workspace over its limit can be brought below it.
    """
    usage, own_limits = usage_store.add_usage(tx, workspace_id, deltas)
    for name, delta in deltas.items():
        limit = own_limits.get(name, getattr(quotas, name))
        if delta > 0 and usage[name] > limit:
            raise QuotaExceeded(
                f"The workspace may hold {limit} {name.replace('_', ' ')} and this would make it {usage[name]};"
                " delete something or ask an admin to raise the quota.",
                quota=name,
                limit=limit,
                used=usage[name] - delta,
            )


def read_usage(tx: Transaction, workspace_id: WorkspaceId, quotas: Quotas) -> Mapping[str, Use]:
    """Return use and limit by the names of `Quotas`."""
    usage, own_limits = usage_store.find_usage(tx, workspace_id)
    return {name: Use(usage[name], own_limits.get(name, limit)) for name, limit in asdict(quotas).items()}
