"""Records what was refused: the first refusals of a principal in a minute one by one, the others as their number."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from chalicelib.audit import store
from chalicelib.audit.model import ActivityAction, Actor, CountedRefusals, Outcome, SubjectKind
from chalicelib.audit.record_activity import record
from chalicelib.database.transaction import Transaction

REFUSALS_A_MINUTE = 10
"""How many refusals of one principal are recorded one by one, so that a flood of them fills nothing."""


@dataclass(frozen=True, slots=True)
class _Absent:
    """A principal as it was when it was refused, who may be gone by now."""

    id: UUID
    organization_id: UUID
    kind: str
    name: str
    api_key_id: None = None
    on_behalf_of: None = None


def record_refusal(
    tx: Transaction, *, principal: Actor, workspace_id: UUID | None, route: str, reason: str, now: datetime
) -> None:
    """Record that a principal was refused a route, for a `reason` that is the type of a problem.

    `workspace_id` is one that the principal knows. Each principal has REFUSALS_A_MINUTE entries a minute; the next
    entry after that minute, or the sweep, says how many more there were.
    """
    minute = now.replace(second=0, microsecond=0)
    count = store.count_refusal(tx, principal, minute=minute)
    if count == 1:
        _record_counted(tx, minute=minute, actor_id=principal.id)
    if count <= REFUSALS_A_MINUTE:
        record(
            tx,
            principal=principal,
            workspace_id=workspace_id,
            action=ActivityAction.REQUEST_REFUSED,
            subject_kind=SubjectKind.ROUTE,
            subject_id=None,
            after={"route": route, "reason": reason},
            outcome=Outcome.REFUSED,
        )


def record_counted_refusals(tx: Transaction, *, now: datetime) -> int:
    """Record the numbers of the minutes that are over; return how many principals and minutes that were."""
    return _record_counted(tx, minute=now.replace(second=0, microsecond=0), actor_id=None)


def _record_counted(tx: Transaction, *, minute: datetime, actor_id: UUID | None) -> int:
    counted = store.take_counted_refusals(tx, minute=minute, actor_id=actor_id)
    for entry in counted:
        if entry.count > REFUSALS_A_MINUTE:
            _record_number(tx, entry)
    return len(counted)


def _record_number(tx: Transaction, counted: CountedRefusals) -> None:
    record(
        tx,
        principal=_Absent(counted.actor_id, counted.organization_id, counted.actor_kind, counted.actor_name),
        workspace_id=None,
        action=ActivityAction.REQUEST_REFUSED,
        subject_kind=SubjectKind.ROUTE,
        subject_id=None,
        after={"minute": counted.minute, "count": counted.count - REFUSALS_A_MINUTE},
        outcome=Outcome.REFUSED,
    )
