"""Tells how far a workspace's knowledge is searchable, and what went wrong where, within the asker's audience."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from chalicelib.access.readers import audiences_of
from chalicelib.database.transaction import Transaction
from chalicelib.identity.model import Principal, WorkspaceId
from chalicelib.identity.rights import Action, authorize
from chalicelib.intake import store as uploads
from chalicelib.intake.model import UploadState
from chalicelib.items import store as items
from chalicelib.items.model import NO_TEXT, IndexState
from chalicelib.items.quotas import Quotas, Use, read_usage

FAILURES = 500
EXAMPLES = 20


@dataclass(frozen=True, slots=True)
class FailureExample:
    """One thing that failed. `item_id` or `upload_id` is what to retry."""

    path: str
    detail: str
    item_id: UUID | None
    upload_id: UUID | None


@dataclass(frozen=True, slots=True)
class Failure:
    """All that failed for one reason, the most recent first; at most EXAMPLES of `count` are named."""

    type: str
    title: str
    count: int
    examples: Sequence[FailureExample]


@dataclass(frozen=True, slots=True)
class WithoutText:
    """The documents that hold no text, which is no failure; at most EXAMPLES of `count` are named."""

    detail: str
    count: int
    examples: Sequence[tuple[UUID, str]]


@dataclass(frozen=True, slots=True)
class Wait:
    """Items that are found by their words, and by meaning once what they wait for has come."""

    type: str
    title: str
    detail: str
    count: int


@dataclass(frozen=True, slots=True)
class Coverage:
    """Counts by state, failures and waits by reason, what has no text, and use beside limits."""

    items: Mapping[IndexState, int]
    uploads: Mapping[UploadState, int]
    failures: Sequence[Failure]
    waits: Sequence[Wait]
    without_text: WithoutText
    usage: Mapping[str, Use]


def read_coverage(tx: Transaction, *, principal: Principal, workspace_id: WorkspaceId, quotas: Quotas) -> Coverage:
    """Return the coverage of a workspace. An upload that failed and its failed item count once."""
    authorize(principal, workspace_id, Action.READ)
    audiences = audiences_of(tx, principal, workspace_id)
    grouped: dict[tuple[str, str], list[FailureExample]] = defaultdict(list)
    failed_paths = set()
    for row in items.list_in_state(tx, workspace_id, IndexState.FAILED, audiences=audiences, limit=FAILURES):
        reason = row["reason"]
        failed_paths.add(row["path"])
        example = FailureExample(row["path"], reason["detail"], row["id"], None)
        grouped[reason["type"], reason["title"]].append(example)
    for row in uploads.list_failed(tx, workspace_id, audiences=audiences, limit=FAILURES):
        if row["path"] not in failed_paths:
            reason = row["reason"]
            example = FailureExample(row["path"], reason["detail"], None, row["id"])
            grouped[reason["type"], reason["title"]].append(example)
    failures = [
        Failure(type_, title, len(examples), examples[:EXAMPLES])
        for (type_, title), examples in sorted(grouped.items(), key=lambda entry: (-len(entry[1]), entry[0]))
    ]
    counts = items.count_states(tx, workspace_id, audiences=audiences)
    blank = items.list_in_state(tx, workspace_id, IndexState.NO_TEXT, audiences=audiences, limit=EXAMPLES)
    return Coverage(
        items=counts,
        uploads=uploads.count_states(tx, workspace_id, audiences=audiences),
        failures=failures,
        waits=[
            Wait(reason["type"], reason["title"], reason["detail"], count)
            for reason, count in items.count_waits(tx, workspace_id, audiences=audiences)
        ],
        without_text=WithoutText(
            NO_TEXT["detail"], counts[IndexState.NO_TEXT], [(row["id"], row["path"]) for row in blank]
        ),
        usage=read_usage(tx, workspace_id, quotas),
    )
