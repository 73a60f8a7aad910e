"""Reads and writes what is said of documents, and which workspaces have them described."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from chalicelib.database.statements import load_statements
from chalicelib.database.transaction import Row, Transaction
from chalicelib.identity.model import PrincipalId, WorkspaceId
from chalicelib.items.model import Caveat, ItemId

_SQL = load_statements(__package__, "contexts.sql")

NO_CONTEXT = "no_context"
"""The code of the warning on an item that no summary could be had of."""


@dataclass(frozen=True, slots=True)
class Kept:
    """What is kept of an item in a workspace that has its documents described; None where nothing was said yet.

    `described` is the body that the summary is of, where it is another than the present one and still there.
    """

    summary: str | None
    body_sha256: bytes | None
    described: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """A workspace's items with text. Of `failed` ones no summary could be had; they may have an older one."""

    described: int
    undescribed: int
    failed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Undescribed:
    """What is to be read to describe the items that nothing was said of, and what to be embedded again."""

    bytes: int
    chunks: int
    chunk_tokens: int


def find_setting(tx: Transaction, workspace_id: WorkspaceId, *, share: bool = False) -> datetime | None:
    """Read since when a workspace has its documents described; `share` keeps that until the transaction ends."""
    row = tx.fetch_one(_SQL["share_setting" if share else "find_setting"], workspace_id=workspace_id)
    return row["switched_on_at"] if row else None


def put_setting(tx: Transaction, workspace_id: WorkspaceId, *, is_on: bool, principal_id: PrincipalId) -> None:
    """Switch it on or off."""
    if is_on:
        tx.execute(_SQL["insert_setting"], workspace_id=workspace_id, principal_id=principal_id)
    else:
        tx.execute(_SQL["delete_setting"], workspace_id=workspace_id)


def find_context(tx: Transaction, workspace_id: WorkspaceId, item_id: ItemId, *, body_sha256: bytes) -> Kept | None:
    """Read what was said of an item; None where the workspace does not have its documents described."""
    row = tx.fetch_one(_SQL["find_context"], workspace_id=workspace_id, item_id=item_id, body_sha256=body_sha256)
    return Kept(row["summary"], row["body_sha256"], row["described"]) if row else None


def put_context(
    tx: Transaction,
    workspace_id: WorkspaceId,
    item_id: ItemId,
    *,
    revision: int,
    body_sha256: bytes,
    model: str,
    summary: str,
) -> bool:
    """Keep what a model says of an item's body; False where the item is gone."""
    row = tx.fetch_one(
        _SQL["put_context"],
        workspace_id=workspace_id,
        item_id=item_id,
        revision=revision,
        body_sha256=body_sha256,
        model=model,
        summary=summary,
    )
    return row is not None


def take_contexts(tx: Transaction, workspace_id: WorkspaceId, *, limit: int) -> Sequence[ItemId]:
    """Forget what was said of at most `limit` items, and return them."""
    return _ids(tx.fetch_all(_SQL["take_contexts"], workspace_id=workspace_id, limit=limit))


def list_undescribed(tx: Transaction, workspace_id: WorkspaceId, *, after: ItemId, limit: int) -> Sequence[ItemId]:
    """Read which items in search nothing was said of yet, in order, from behind `after`."""
    return _ids(tx.fetch_all(_SQL["list_undescribed"], workspace_id=workspace_id, after=after, limit=limit))


def count_open(tx: Transaction, workspace_id: WorkspaceId) -> int:
    """Count the items that a language model is still to be asked about."""
    row = tx.fetch_one(_SQL["count_open"], workspace_id=workspace_id)
    return int(row["open"]) if row else 0


def count_contexts(tx: Transaction, workspace_id: WorkspaceId) -> Counts:
    """Count items by how far they are."""
    row = tx.fetch_one(_SQL["count_contexts"], workspace_id=workspace_id, warning_code=NO_CONTEXT)
    return Counts(**row) if row else Counts(described=0, undescribed=0, failed=0)


def measure_undescribed(tx: Transaction, workspace_id: WorkspaceId, *, most_bytes: int) -> Undescribed:
    """Measure what is left to describe, of each body `most_bytes` at most."""
    row = tx.fetch_one(_SQL["measure_undescribed"], workspace_id=workspace_id, most_bytes=most_bytes)
    return Undescribed(**row) if row else Undescribed(bytes=0, chunks=0, chunk_tokens=0)


def set_warning(tx: Transaction, workspace_id: WorkspaceId, item_id: ItemId, warning: Caveat | None) -> None:
    """Show on an item that no summary could be had of it, or that this is over."""
    said = [] if warning is None else [{"code": warning.code, "detail": warning.detail, "count": warning.count}]
    tx.execute(
        _SQL["set_warning"],
        workspace_id=workspace_id,
        item_id=item_id,
        warning_code=NO_CONTEXT,
        warnings=json.dumps(said),
    )


def _ids(rows: Sequence[Row]) -> list[ItemId]:
    return [ItemId(row["item_id"]) for row in rows]
