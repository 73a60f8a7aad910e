"""Reads and writes the ledger of what models used."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from uuid import UUID

from chalicelib.database.statements import load_statements
from chalicelib.database.transaction import Transaction
from chalicelib.identity.model import OrganizationId, WorkspaceId
from chalicelib.usage.model import Counts, Grouping, Tally

_SQL = load_statements(__package__, "usage.sql")

MOST = 2**63 - 1
"""Where counting ends: the largest bigint."""


@dataclass(frozen=True, slots=True)
class Line:
    """What one model used under one name: a day, a workspace (by id; None for none), a purpose or a model.

    `slug` is that of the workspace where the name is one that is still there.
    """

    name: str | None
    model: str
    slug: str | None
    counts: Counts


def add_usage(
    tx: Transaction, counts_by_tally: Mapping[Tally, Counts], *, meter_id: UUID, flush: int, now: datetime
) -> None:
    """Count all of it, once however often a meter's flush of this number comes; a later flush has a larger number.

    What belongs to no organization that is still there is left out.
    """
    tallies, counts = list(counts_by_tally), list(counts_by_tally.values())
    tx.execute(
        _SQL["add_usage"],
        meter_id=meter_id,
        flush=flush,
        now=now,
        most=MOST,
        organization_ids=[tally.organization_id for tally in tallies],
        workspace_ids=[tally.workspace_id for tally in tallies],
        days=[tally.day for tally in tallies],
        purposes=[str(tally.purpose) for tally in tallies],
        kinds=[str(tally.kind) for tally in tallies],
        models=[tally.model for tally in tallies],
        calls=[_counted(each.calls) for each in counts],
        input_tokens=[_counted(each.input_tokens) for each in counts],
        output_tokens=[_counted(each.output_tokens) for each in counts],
    )


def sum_usage(
    tx: Transaction,
    organization_id: OrganizationId,
    *,
    workspace_id: WorkspaceId | None,
    by: Grouping,
    since: date,
    until: date,
) -> Sequence[Line]:
    """Add up the ledger from `since` to before `until`, ordered by name and model."""
    rows = tx.fetch_all(
        _SQL["sum_usage"],
        organization_id=organization_id,
        workspace_id=workspace_id,
        by=str(by),
        since=since,
        until=until,
    )
    return [
        Line(
            row["name"],
            row["model"],
            row["slug"] if by is Grouping.WORKSPACE else None,
            Counts(int(row["calls"]), int(row["input_tokens"]), int(row["output_tokens"])),
        )
        for row in rows
    ]


def forget_meters(tx: Transaction, *, before: datetime, limit: int) -> int:
    """Forget at most `limit` processes that have written nothing since; return how many that were."""
    return tx.execute(_SQL["forget_meters"], before=before, limit=limit)


def _counted(amount: int) -> int:
    return max(0, min(amount, MOST))
