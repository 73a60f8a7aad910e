"""Adds to the activity and reads it in the database."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from psycopg.types.json import Jsonb

from chalicelib.audit.model import ActivityAction, Actor, Outcome, SubjectKind
from chalicelib.database.statements import load_statements
from chalicelib.database.transaction import Transaction

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
) -> None:
    """Add an entry; without an organization, to that of the workspace."""
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
    )
