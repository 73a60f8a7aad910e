"""Reads what moving a folder would touch, and moves it in the database."""

from collections.abc import Sequence
from dataclasses import dataclass

from chalicelib.access.model import Audiences, FolderId
from chalicelib.database.statements import filled, load_statements
from chalicelib.database.transaction import Transaction
from chalicelib.identity.model import PrincipalId, WorkspaceId
from chalicelib.items.trash_store import ITEM_STATE

_SQL = filled(load_statements(__package__, "folder_moves.sql"), ITEM_STATE)


@dataclass(frozen=True, slots=True)
class Survey:
    """What lies in a folder, the trash included: how many items are readable, how many of these live, how many not.

    `longest` and `deepest` are the most characters and levels that a path among them has.
    """

    readable: int
    living: int
    kept: int
    longest: int
    deepest: int


@dataclass(frozen=True, slots=True)
class Taken:
    """That a place is taken; `path` is None where the asker may not know which."""

    path: str | None


def survey_folder(tx: Transaction, workspace_id: WorkspaceId, folder: str, *, audiences: Audiences) -> Survey:
    """Count what lies in a folder."""
    row = tx.fetch_one(_SQL["survey_folder"], workspace_id=workspace_id, folder=folder, audiences=audiences)
    if row is None:
        raise LookupError("a count without a row")
    return Survey(**row)


def find_taken(
    tx: Transaction, workspace_id: WorkspaceId, source: str, target: str, *, audiences: Audiences
) -> Taken | None:
    """Find a living item that lies where one of the folder `source` would come to lie in `target`."""
    row = tx.fetch_one(_SQL["find_taken"], workspace_id=workspace_id, source=source, target=target, audiences=audiences)
    return Taken(row["path"]) if row else None


def find_crowded(tx: Transaction, workspace_id: WorkspaceId, folders: Sequence[str], *, source: str) -> str | None:
    """Return one of some folders in which something lies that does not lie in `source`."""
    row = tx.fetch_one(_SQL["find_crowded"], workspace_id=workspace_id, folders=list(folders), source=source)
    return row["path"] if row else None


def move_items(
    tx: Transaction, workspace_id: WorkspaceId, source: str, target: str, *, principal_id: PrincipalId
) -> int:
    """Move all that lies in a folder, with the uploads that it came from; return how many items that were.

    The places are held, and no path is taken.
    """
    where = {"workspace_id": workspace_id, "source": source}
    if source.startswith(f"{target}/"):
        # One item may come to lie where another lies that is yet to move.
        tx.execute(_SQL["set_aside"], **where)
    moved = tx.execute(_SQL["move_items"], target=target, principal_id=principal_id, **where)
    tx.execute(_SQL["move_uploads"], target=target, **where)
    return moved


def move_folder(tx: Transaction, workspace_id: WorkspaceId, folder_id: FolderId, *, path: str) -> None:
    """Give a folder about which something is said its new path."""
    tx.execute(_SQL["move_folder"], workspace_id=workspace_id, folder_id=folder_id, path=path)
