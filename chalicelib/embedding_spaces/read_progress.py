"""Tells how far a space is filled."""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime

from chalicelib.database.transaction import Row, Transaction
from chalicelib.embedding_spaces import fills_store
from chalicelib.embedding_spaces.model import ChangeState, FillState, Progress
from chalicelib.identity.model import OrganizationId

MOST_FAILED_SHARE = 0.02
"""Of all chunks; words find those that failed. More of them hold a change back."""

FAILED_AT_LEAST = 5
"""So many may fail however few chunks there are."""


def read_progress(
    tx: Transaction, organization_id: OrganizationId, *, space: str, since: datetime | None = None
) -> Progress:
    """Return how far all workspaces are. One that has no fill was empty: its chunks got their vectors as they came."""
    rows = fills_store.list_fills(tx, organization_id, space)
    failures: Counter[str] = Counter()
    for row in rows:
        failures.update(row["failures"])
    filled = [row for row in rows if row["state"] is not None]
    return Progress(
        space=space,
        state=_state(rows, failed=failures.total()),
        since=since,
        chunks_total=sum(row["chunks"] if row["started_at"] is None else row["chunks_total"] for row in filled),
        chunks_done=sum(row["chunks_done"] for row in filled),
        chunks_reused=sum(row["chunks_reused"] for row in filled),
        chunks_failed=failures.total(),
        tokens=sum(row["tokens"] for row in filled),
        seconds=sum(row["seconds"] for row in filled),
        failures=dict(failures),
        problems=[{**row["problem"], "workspace_id": str(row["workspace_id"])} for row in filled if row["problem"]],
    )


def _state(rows: Sequence[Row], *, failed: int) -> ChangeState:
    states = {row["state"] for row in rows if row["state"] is not None}
    if FillState.STOPPED in states:
        return ChangeState.BLOCKED
    if states - {FillState.DONE}:
        return ChangeState.FILLING
    chunks = sum(row["chunks"] for row in rows)
    return ChangeState.READY if failed <= max(FAILED_AT_LEAST, MOST_FAILED_SHARE * chunks) else ChangeState.BLOCKED
