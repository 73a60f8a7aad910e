"""Records what was done, in the transaction that does it."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from enum import StrEnum
from typing import Any
from uuid import UUID

from chalicelib.audit import store
from chalicelib.audit.model import ActivityAction, Actor, Outcome, SubjectKind
from chalicelib.audit.moments import moment_of
from chalicelib.database.ids import new_id
from chalicelib.database.transaction import Transaction
from chalicelib.telemetry.correlation import current_correlation_id

CONTENT = frozenset(
    {"body", "title", "path", "text", "query", "question", "token", "secret", "password", "url", "filename", "email"}
)
"""Names of fields that are never recorded: they may be said to have changed, not what to."""


def record(
    tx: Transaction,
    *,
    principal: Actor | None,
    workspace_id: UUID | None,
    action: ActivityAction,
    subject_kind: SubjectKind,
    subject_id: UUID | None,
    organization_id: UUID | None = None,
    before: Mapping[str, Any] | None = None,
    after: Mapping[str, Any] | None = None,
    audience_id: int | None = None,
    outcome: Outcome = Outcome.DONE,
    is_read: bool = False,
) -> None:
    """Add one entry, committed with the change or not at all; to be called after the change, unless it deletes the row.

    `principal` is None where none did it: a drop, the operator at the machine, or the program by itself. The
    organization is by default the principal's, or else the workspace's. `before` and `after` hold what changed (ids,
    times, enums and the like are written as JSON), and never content: a name out of CONTENT raises ValueError, at
    any depth; say `{"changed": ["title"]}` instead. `audience_id` is who may read a thing that is neither an
    item nor an upload (a folder, a grant on one), whose audiences are looked up; None is every owner of the workspace.
    What `is_read` and changes nothing is recorded where the workspace asks for it.
    """
    activity_id = new_id()
    store.insert_activity(
        tx,
        activity_id=activity_id,
        recorded_at=moment_of(activity_id),
        organization_id=organization_id or (principal.organization_id if principal else None),
        workspace_id=workspace_id,
        actor=principal,
        request_id=current_correlation_id(),
        action=action,
        outcome=outcome,
        subject_kind=subject_kind,
        subject_id=subject_id,
        audience_id=audience_id,
        before=_recorded(before),
        after=_recorded(after),
        is_read=is_read,
    )


def differences(before: Mapping[str, Any], after: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return what of two states of one thing differs, as it was and as it is: for `before` and `after`."""
    names = [name for name in after if before.get(name) != after[name]]
    return {name: before.get(name) for name in names}, {name: after[name] for name in names}


def _recorded(fields: Mapping[str, Any] | None) -> dict[str, Any] | None:
    if fields is None:
        return None
    said = CONTENT.intersection(_names_in(fields))
    if said:
        raise ValueError(f"content is not recorded: {sorted(said)}")
    return {str(name): _json_of(value) for name, value in fields.items()}


def _names_in(value: object) -> Iterator[str]:
    if isinstance(value, Mapping):
        for name, entry in value.items():
            yield str(name)
            yield from _names_in(entry)
    elif isinstance(value, list | tuple | set | frozenset):
        for entry in value:
            yield from _names_in(entry)


def _json_of(value: Any) -> Any:  # noqa: ANN401  whatever JSON or identity knows
    if isinstance(value, Mapping):
        return {str(name): _json_of(entry) for name, entry in value.items()}
    if isinstance(value, set | frozenset):
        return sorted(str(entry) for entry in value)
    if isinstance(value, list | tuple):
        return [_json_of(entry) for entry in value]
    if isinstance(value, datetime):
        return value.isoformat()
    return str(value) if isinstance(value, UUID | StrEnum) else value
