"""Tells how far a workspace's knowledge is searchable, and what went wrong where, within the asker's audience."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from chalicelib.access.audience import tokens_of
from chalicelib.database.transaction import Transaction
from chalicelib.identity.model import Principal, WorkspaceId
from chalicelib.identity.rights import Action, authorize
from chalicelib.intake import store as uploads
from chalicelib.intake.model import UploadState
from chalicelib.items import store as items
from chalicelib.items.model import IndexState
from chalicelib.items.quotas import Quotas, Use, read_usage

FAILURES = 500
EXAMPLES = 20
_NO_TEXT = {"type": "no-text-found", "title": "The document holds no text", "detail": "There is nothing to find in it."}


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
class Coverage:
    """Counts by state, failures by reason, and use beside limits."""

    items: Mapping[IndexState, int]
    uploads: Mapping[UploadState, int]
    failures: Sequence[Failure]
    usage: Mapping[str, Use]


def read_coverage(tx: Transaction, *, principal: Principal, workspace_id: WorkspaceId, quotas: Quotas) -> Coverage:
    """Return the coverage of a workspace. An upload that failed and its failed item count once."""
    authorize(principal, workspace_id, Action.READ)
    tokens = tokens_of(principal)
    grouped: dict[tuple[str, str], list[FailureExample]] = defaultdict(list)
    failed_paths = set()
    for row in items.list_failed(tx, workspace_id, tokens=tokens, limit=FAILURES):
        reason = row["reason"] or _NO_TEXT
        failed_paths.add(row["path"])
        example = FailureExample(row["path"], reason["detail"], row["id"], None)
        grouped[reason["type"], reason["title"]].append(example)
    for row in uploads.list_failed(tx, workspace_id, tokens=tokens, limit=FAILURES):
        if row["path"] not in failed_paths:
            reason = row["reason"]
            example = FailureExample(row["path"], reason["detail"], None, row["id"])
            grouped[reason["type"], reason["title"]].append(example)
    failures = [
        Failure(type_, title, len(examples), examples[:EXAMPLES])
        for (type_, title), examples in sorted(grouped.items(), key=lambda entry: (-len(entry[1]), entry[0]))
    ]
    return Coverage(
        items=items.count_states(tx, workspace_id, tokens=tokens),
        uploads=uploads.count_states(tx, workspace_id, tokens=tokens),
        failures=failures,
        usage=read_usage(tx, workspace_id, quotas),
    )
