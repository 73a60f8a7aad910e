"""Adds to the activity and reads it in the database."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from psycopg.types.json import Jsonb

from chalicelib.audit.model import (
    Activity,
    ActivityAction,
    ActivityFilters,
    Actor,
    CountedRefusals,
    Outcome,
    SubjectKind,
)
from chalicelib.audit.moments import first_id_at
from chalicelib.database.statements import load_statements
from chalicelib.database.transaction import Row, Transaction

_SQL = load_statements(__package__, "activity.sql")


def insert_activity(
    tx: Transaction,
    *,
    activity_id: UUID,
    recorded_at: datetime,
    organization_id: UUID | None,
    workspace_id: UUID | None,
    actor: Actor | None,
    request_id: str | None,
    action: ActivityAction,
    outcome: Outcome,
    subject_kind: SubjectKind,
    subject_id: UUID | None,
    audience_id: int | None,
    before: Mapping[str, Any] | None,
    after: Mapping[str, Any] | None,
    is_read: bool,
) -> None:
    """Add an entry; without an organization, to that of the workspace; of a read, where the workspace asks for it."""
    behalf = actor.on_behalf_of if actor else None
    tx.execute(
        _SQL["insert_activity"],
        id=activity_id,
        recorded_at=recorded_at,
        organization_id=organization_id,
        workspace_id=workspace_id,
        actor_id=actor.id if actor else None,
        actor_kind=str(actor.kind) if actor else None,
        actor_name=actor.name if actor else None,
        api_key_id=actor.api_key_id if actor else None,
        on_behalf_of=behalf.id if behalf else None,
        request_id=request_id,
        action=str(action),
        outcome=str(outcome),
        subject_kind=str(subject_kind),
        subject_id=subject_id,
        audience_id=audience_id,
        before=None if before is None else Jsonb(before),
        after=None if after is None else Jsonb(after),
        is_read=is_read,
    )


def records_reads(tx: Transaction, workspace_id: UUID) -> bool:
    """Tell whether a workspace asks for its reads to be recorded."""
    row = tx.fetch_one(_SQL["records_reads"], workspace_id=workspace_id)
    return row is not None and row["record_reads"]


def list_activity(
    tx: Transaction,
    *,
    organization_id: UUID,
    workspace_id: UUID | None,
    filters: ActivityFilters,
    principal_id: UUID,
    audiences: Sequence[int],
    before: UUID | None,
    limit: int,
) -> Sequence[Activity]:
    """Read entries that somebody in these audiences may see, the latest first, behind `before`."""
    ends = [end for end in (before, first_id_at(filters.until) if filters.until else None) if end is not None]
    rows = tx.fetch_all(
        _SQL["list_activity"],
        organization_id=organization_id,
        workspace_id=workspace_id,
        below=min(ends, default=None),
        principal_id=principal_id,
        audiences=list(audiences),
        limit=limit,
        actor_id=filters.actor_id,
        action=filters.action,
        outcome=filters.outcome,
        subject_kind=filters.subject_kind,
        subject_id=filters.subject_id,
        **{"from": first_id_at(filters.since) if filters.since else None},
    )
    return [Activity(outcome=Outcome(row["outcome"]), **_but_outcome(row)) for row in rows]


def count_refusal(tx: Transaction, actor: Actor, *, minute: datetime) -> int:
    """Count a refusal; return how many there were in this minute. Two at once wait for each other."""
    row = tx.fetch_one(
        _SQL["count_refusal"],
        organization_id=actor.organization_id,
        actor_id=actor.id,
        actor_kind=str(actor.kind),
        actor_name=actor.name,
        minute=minute,
    )
    if row is None:
        raise LookupError("a statement that returns its row returned none")
    return int(row["count"])


def take_counted_refusals(tx: Transaction, *, minute: datetime, actor_id: UUID | None) -> Sequence[CountedRefusals]:
    """Take away and return the counts of minutes before this one, of one principal or (None) of all."""
    rows = tx.fetch_all(_SQL["take_counted_refusals"], minute=minute, actor_id=actor_id)
    return [CountedRefusals(**row) for row in rows]


def _but_outcome(row: Row) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name != "outcome"}
