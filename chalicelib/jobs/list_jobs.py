"""Lists a workspace's jobs."""

from collections.abc import Collection, Sequence
from datetime import datetime
from uuid import UUID

from chalicelib.database.transaction import Transaction
from chalicelib.identity.model import Principal, WorkspaceId
from chalicelib.identity.rights import Action, authorize
from chalicelib.jobs import store
from chalicelib.jobs.model import Job, JobState


def list_jobs(
    tx: Transaction,
    *,
    principal: Principal,
    workspace_id: WorkspaceId,
    states: Collection[JobState] | None = None,
    kind: str | None = None,
    after: tuple[datetime, UUID] | None = None,
    limit: int = 50,
) -> Sequence[Job]:
    """Return at most `limit` jobs, the newest first; `after` is (created_at, id) of the last one seen."""
    authorize(principal, workspace_id, Action.OPERATE)
    return store.list_jobs(tx, workspace_id=workspace_id, states=states, kind=kind, after=after, limit=limit)
