"""Reads and writes jobs in the database. Whatever depends on time is told the time."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import fields
from datetime import datetime
from uuid import UUID

from psycopg import errors as pg
from psycopg.types.json import Jsonb
from pydantic import JsonValue

from chalicelib.database.statements import load_statements
from chalicelib.database.transaction import Row, Transaction
from chalicelib.jobs.model import Backlog, Job, JobId, JobState
from chalicelib.platform.ports import Ring

_SQL = load_statements(__package__, "jobs.sql")
_JOB_FIELDS = [field.name for field in fields(Job)]


def insert_job(
    tx: Transaction,
    *,
    job_id: UUID,
    kind: str,
    key: str,
    payload: Mapping[str, JsonValue],
    workspace_id: UUID | None,
    serial_key: str | None,
    not_before: datetime,
    correlation_id: str | None,
    created_by: UUID | None,
    now: datetime,
) -> JobId:
    """Add a job and return its id, or that of the untouched one of the same kind and key, brought up to date."""
    row = tx.fetch_one(
        _SQL["insert_job"],
        id=job_id,
        kind=kind,
        key=key,
        payload=Jsonb(dict(payload)),
        workspace_id=workspace_id,
        serial_key=serial_key,
        not_before=not_before,
        correlation_id=correlation_id,
        created_by=created_by,
        now=now,
    )
    assert row is not None  # noqa: S101  an upsert that updates always returns its row
    return JobId(row["id"])


def supersede(tx: Transaction, *, kind: str, key: str, now: datetime) -> int:
    """Give up the dead letters of a kind and key, and what of them is put off; return how many there were."""
    return tx.execute(_SQL["supersede"], kind=kind, key=key, now=now)


def claim_job(
    tx: Transaction, job_id: JobId, *, worker: str, max_attempts: int, lease_expires_at: datetime, now: datetime
) -> Job | None:
    """Take the lease, or return None where the job is not to be had now."""
    try:
        with tx.savepoint():
            row = tx.fetch_one(
                _SQL["claim_job"],
                job_id=job_id,
                worker=worker,
                max_attempts=max_attempts,
                lease_expires_at=lease_expires_at,
                now=now,
            )
    except pg.UniqueViolation:  # another job of the serial key was claimed in the same moment
        return None
    return _job(row)


def find_job(tx: Transaction, job_id: JobId) -> Job | None:
    """Read a job of whatever workspace."""
    return _job(tx.fetch_one(_SQL["find_job"], job_id=job_id))


def find_workspace_job(tx: Transaction, job_id: JobId, *, workspace_id: UUID) -> Job | None:
    """Read a job of the workspace."""
    return _job(tx.fetch_one(_SQL["find_workspace_job"], job_id=job_id, workspace_id=workspace_id))


def lock_workspace_job(tx: Transaction, job_id: JobId, *, workspace_id: UUID) -> Job | None:
    """Read a job of the workspace and keep it from everyone else until the end of the transaction."""
    return _job(tx.fetch_one(_SQL["lock_workspace_job"], job_id=job_id, workspace_id=workspace_id))


def lock_leased_job(tx: Transaction, job_id: JobId, *, fence: int) -> Job | None:
    """Keep the job until the end of the transaction; None where the lease is lost."""
    return _job(tx.fetch_one(_SQL["lock_leased_job"], job_id=job_id, fence=fence))


def lock_exhausted_job(tx: Transaction, job_id: JobId, *, max_attempts: int, now: datetime) -> Job | None:
    """Keep the job until the end of the transaction; None where it has attempts left, or another has it locked."""
    return _job(tx.fetch_one(_SQL["lock_exhausted_job"], job_id=job_id, max_attempts=max_attempts, now=now))


def extend_lease(tx: Transaction, job_id: JobId, *, fence: int, lease_expires_at: datetime) -> bool:
    """Renew the lease; False where it is lost."""
    return tx.execute(_SQL["extend_lease"], job_id=job_id, fence=fence, lease_expires_at=lease_expires_at) == 1


def finish_job(
    tx: Transaction, job_id: JobId, *, state: JobState, last_error: Mapping[str, JsonValue] | None, now: datetime
) -> None:
    """End a job that the transaction has locked."""
    error = None if last_error is None else Jsonb(dict(last_error))
    tx.execute(_SQL["finish_job"], job_id=job_id, state=state, last_error=error, now=now)


def return_job(
    tx: Transaction,
    job_id: JobId,
    *,
    attempts: int,
    not_before: datetime,
    is_put_off: bool,
    last_error: Mapping[str, JsonValue],
    now: datetime,
) -> datetime:
    """Give a job that the transaction has locked back for a later attempt, so many having counted; return when.

    One that was woken while it ran is due now. Those behind one that `is_put_off` do not wait for it.
    """
    row = tx.fetch_one(
        _SQL["return_job"],
        job_id=job_id,
        attempts=attempts,
        not_before=not_before,
        is_put_off=is_put_off,
        last_error=Jsonb(dict(last_error)),
        now=now,
    )
    due: datetime = row["not_before"] if row else not_before
    return due


def redrive_job(tx: Transaction, job_id: JobId, *, now: datetime) -> None:
    """Let a dead job wait again, with all its attempts."""
    tx.execute(_SQL["redrive_job"], job_id=job_id, now=now)


def cancel_key(tx: Transaction, *, key: str, workspace_id: UUID, now: datetime) -> int:
    """Cancel the live jobs of a key and return how many there were."""
    return tx.execute(_SQL["cancel_key"], key=key, workspace_id=workspace_id, now=now)


def next_of_serial_key(tx: Transaction, serial_key: str, *, now: datetime) -> Ring | None:
    """Return the due job whose turn it is."""
    row = tx.fetch_one(_SQL["next_of_serial_key"], serial_key=serial_key, now=now)
    return Ring(row["id"], row["kind"], row["correlation_id"]) if row else None


def list_due(
    tx: Transaction, *, now: datetime, due_before: datetime, limit: int, except_ids: Collection[UUID] = ()
) -> Sequence[Ring]:
    """Return what can be claimed: due before the given time, or left by a dead worker."""
    rows = tx.fetch_all(_SQL["list_due"], now=now, due_before=due_before, limit=limit, except_ids=list(except_ids))
    return [Ring(row["id"], row["kind"], row["correlation_id"]) for row in rows]


def next_moment(tx: Transaction, *, now: datetime) -> datetime | None:
    """Return when something will next be due by itself."""
    row = tx.fetch_one(_SQL["next_moment"], now=now)
    moment: datetime | None = row["moment"] if row else None
    return moment


def list_exhausted(tx: Transaction, *, max_attempts: int, limit: int, now: datetime) -> Sequence[JobId]:
    """Return jobs without attempts left whose last worker died."""
    rows = tx.fetch_all(_SQL["list_exhausted"], max_attempts=max_attempts, limit=limit, now=now)
    return [JobId(row["id"]) for row in rows]


def read_backlog(tx: Transaction, *, before: datetime) -> Backlog:
    """Count what waits and runs; for now is what runs, or is due before the given time."""
    row = tx.fetch_one(_SQL["read_backlog"], before=before)
    return Backlog(row["open"], row["due_since"], row["open_for_now"]) if row else Backlog(0, None)


def delete_old_jobs(tx: Transaction, *, before: datetime, limit: int) -> int:
    """Forget at most `limit` jobs that were done or cancelled before the given time."""
    return tx.execute(_SQL["delete_old_jobs"], before=before, limit=limit)


def release_leases(tx: Transaction, *, worker: str, now: datetime) -> int:
    """Give back what the worker holds, its attempts uncounted."""
    return tx.execute(_SQL["release_leases"], worker=worker, now=now)


def expire_leases(tx: Transaction, *, prefix: str, worker: str, now: datetime) -> int:
    """End the leases of all workers whose names begin with `prefix`, but for this one's."""
    return tx.execute(_SQL["expire_leases"], prefix=prefix, worker=worker, now=now)


def wake_returned(tx: Transaction, *, now: datetime) -> int:
    """Let every job that waits for its next attempt be due now; return how many there were."""
    return tx.execute(_SQL["wake_returned"], now=now)


def wake_waiting(tx: Transaction, *, organization_id: UUID, problem_type: str, now: datetime) -> Sequence[Ring]:
    """Let an organization's jobs that wait for the end of a problem be due now, and return a ring for each.

    Those without a workspace are woken whosever they are. One that runs is due at once when it
    comes back.
    """
    rows = tx.fetch_all(_SQL["wake_waiting"], organization_id=organization_id, problem_type=problem_type, now=now)
    return [Ring(row["id"], row["kind"], row["correlation_id"]) for row in rows if row["state"] == JobState.WAITING]


def list_jobs(
    tx: Transaction,
    *,
    workspace_id: UUID,
    states: Collection[JobState] | None = None,
    kind: str | None = None,
    after: tuple[datetime, UUID] | None = None,
    limit: int,
) -> Sequence[Job]:
    """Return a page of a workspace's jobs, the newest first; `after` is (created_at, id) of the last one seen."""
    rows = tx.fetch_all(
        _SQL["list_jobs"],
        workspace_id=workspace_id,
        states=None if states is None else [str(state) for state in states],
        kind=kind,
        after_created_at=after[0] if after else None,
        after_id=after[1] if after else None,
        limit=limit,
    )
    return [_existing_job(row) for row in rows]


def count_jobs(tx: Transaction, *, workspace_id: UUID) -> Mapping[JobState, int]:
    """Return how many jobs are in each state; states without any are absent."""
    return {JobState(row["state"]): row["jobs"] for row in tx.fetch_all(_SQL["count_jobs"], workspace_id=workspace_id)}


def _job(row: Row | None) -> Job | None:
    return _existing_job(row) if row else None


def _existing_job(row: Row) -> Job:
    # Not whatever the row has: a later version's migration runs before this one's functions are replaced.
    return Job(**{name: row[name] for name in _JOB_FIELDS} | {"state": JobState(row["state"])})
