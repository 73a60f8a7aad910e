"""Reads and writes how far workspaces are filled in a space, and which chunks failed in it."""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from uuid import UUID

from pydantic import JsonValue

from chalicelib.database.statements import load_statements
from chalicelib.database.transaction import Row, Transaction
from chalicelib.embedding_spaces.model import FillState
from chalicelib.identity.model import OrganizationId, WorkspaceId

_SQL = load_statements(__package__, "fills.sql")


def put_fill(tx: Transaction, workspace_id: WorkspaceId, space: str, *, state: FillState) -> None:
    """Promise that a workspace is filled in a space, or rid of it, from the beginning."""
    tx.execute(_SQL["put_fill"], workspace_id=workspace_id, space=space, state=state)


def reopen_fill(tx: Transaction, workspace_id: WorkspaceId, space: str) -> None:
    """Promise that the rest is filled."""
    tx.execute(_SQL["reopen_fill"], workspace_id=workspace_id, space=space)


def begin_fill(tx: Transaction, workspace_id: WorkspaceId, space: str, *, lacking: int | None) -> None:
    """Say that the work goes on, and how many chunks it has before it, if they were counted."""
    tx.execute(_SQL["begin_fill"], workspace_id=workspace_id, space=space, lacking=lacking)


def count_filled(
    tx: Transaction, workspace_id: WorkspaceId, space: str, *, done: int, reused: int, tokens: int, seconds: float
) -> None:
    """Add to what was done."""
    tx.execute(
        _SQL["count_filled"],
        workspace_id=workspace_id,
        space=space,
        done=done,
        reused=reused,
        tokens=tokens,
        seconds=seconds,
    )


def end_fill(
    tx: Transaction,
    workspace_id: WorkspaceId,
    space: str,
    *,
    state: FillState,
    problem: Mapping[str, JsonValue] | None = None,
) -> None:
    """Say that it is over for now, with the problem that stopped it, if one did."""
    shown = None if problem is None else json.dumps(dict(problem))
    tx.execute(_SQL["end_fill"], workspace_id=workspace_id, space=space, state=state, problem=shown)


def show_problem(tx: Transaction, workspace_id: WorkspaceId, space: str, problem: Mapping[str, JsonValue]) -> None:
    """Say what the work waits for."""
    tx.execute(_SQL["show_problem"], workspace_id=workspace_id, space=space, problem=json.dumps(dict(problem)))


def delete_fill(tx: Transaction, workspace_id: WorkspaceId, space: str) -> None:
    """Forget how far a workspace was that is rid of the space."""
    tx.execute(_SQL["delete_fill"], workspace_id=workspace_id, space=space)


def list_fills(tx: Transaction, organization_id: OrganizationId, space: str) -> Sequence[Row]:
    """Read a row a workspace: how far it is, its chunks, and how many failed by reason."""
    return tx.fetch_all(_SQL["list_fills"], organization_id=organization_id, space=space)


def list_stopped_fills(
    tx: Transaction, *, spaces: Sequence[str], problem_type: str, limit: int
) -> Sequence[tuple[WorkspaceId, str]]:
    """Find fills of these spaces that a problem stopped."""
    rows = tx.fetch_all(_SQL["list_stopped_fills"], spaces=list(spaces), problem_type=problem_type, limit=limit)
    return [(WorkspaceId(row["workspace_id"]), row["space"]) for row in rows]


def insert_failures(tx: Transaction, workspace_id: WorkspaceId, space: str, failed: Sequence[tuple[UUID, str]]) -> None:
    """Remember which chunks have no usable vector, each with its reason."""
    tx.execute(
        _SQL["insert_failures"],
        workspace_id=workspace_id,
        space=space,
        chunk_ids=[chunk_id for chunk_id, _ in failed],
        reasons=[reason for _, reason in failed],
    )


def forget_failures(tx: Transaction, workspace_id: WorkspaceId, space: str) -> None:
    """Let what failed be tried again."""
    tx.execute(_SQL["forget_failures"], workspace_id=workspace_id, space=space)


def look_around(tx: Transaction, *, job_id: UUID, now: datetime) -> tuple[int, bool]:
    """Return how many fills run that were promised before this one, and whether other work waits."""
    row = tx.fetch_one(_SQL["look_around"], job_id=job_id, now=now)
    return (row["fills"], row["is_busy"]) if row else (0, False)


def lock_fill(tx: Transaction, workspace_id: WorkspaceId, space: str) -> None:
    """Keep everybody from promising more of a fill until the transaction ends."""
    tx.fetch_one(_SQL["lock_fill"], workspace_id=workspace_id, space=space)
