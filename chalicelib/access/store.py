"""Reads and writes audiences, and what was said about the places on the way to an item, in the database."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from psycopg.types.json import Jsonb

from chalicelib.access.model import (
    AccessSettings,
    Audience,
    AudienceId,
    AudienceKind,
    Audiences,
    FolderId,
    GrantAction,
    Place,
)
from chalicelib.database.statements import filled, load_statements
from chalicelib.database.transaction import Row, Transaction
from chalicelib.identity.model import OrganizationId, WorkspaceId

_LOADED = load_statements(__package__, "access.sql")
_SQL = filled(_LOADED, {"said": _LOADED["said"]})


@dataclass(frozen=True, slots=True)
class Holder:
    """Somebody's tokens; an agent is bound to an environment, None being the default one."""

    tokens: frozenset[str]
    is_agent: bool = False
    environment: str | None = None


def hold_places(tx: Transaction, workspace_id: WorkspaceId) -> None:
    """Wait for all who write at paths of the workspace, and keep others from it until commit."""
    tx.fetch_one(_SQL["hold_places"], workspace_id=workspace_id)


def share_places(tx: Transaction, workspace_id: WorkspaceId) -> None:
    """Wait for who changes what is said about places, and keep others from that until commit."""
    tx.fetch_one(_SQL["share_places"], workspace_id=workspace_id)


def list_audiences(tx: Transaction, workspace_id: WorkspaceId, *, holders: Sequence[Holder]) -> Audiences:
    """Read the audiences that all holders are in; there is at least one holder. Raises ValueError without."""
    if not holders:
        raise ValueError("nobody is in an audience, and no holder would be in all")
    return sorted(set.intersection(*(_audiences_of(tx, workspace_id, holder) for holder in holders)))


def put_audience(tx: Transaction, workspace_id: WorkspaceId, audience: Audience) -> AudienceId:
    """Return the number of an audience, new or kept."""
    return put_audiences(tx, workspace_id, [audience])[audience.digest()]


def put_audiences(
    tx: Transaction, workspace_id: WorkspaceId, audiences: Iterable[Audience]
) -> Mapping[bytes, AudienceId]:
    """Return the numbers of audiences, new or kept, by their digests."""
    audiences_by_digest = {audience.digest(): audience for audience in audiences}
    numbers = _numbers_of(tx, workspace_id, audiences_by_digest)
    missing = [
        {"digest": digest.hex(), "clauses": audience.texts(), "environment": audience.environment}
        for digest, audience in audiences_by_digest.items()
        if digest not in numbers
    ]
    if missing:
        tx.execute(_SQL["add_audiences"], workspace_id=workspace_id, said=Jsonb(missing))
        # Another may have put some meanwhile; it has committed by now.
        numbers = _numbers_of(tx, workspace_id, audiences_by_digest)
    if len(numbers) < len(audiences_by_digest):
        raise LookupError("an audience that was put is not there")
    return numbers


def delete_unused_audiences(tx: Transaction, workspace_id: WorkspaceId) -> None:
    """Forget audiences that no item and no upload has; while places are held."""
    tx.fetch_one(_SQL["look_by_index"])
    tx.execute(_SQL["delete_unused_audiences"], workspace_id=workspace_id)
    tx.fetch_one(_SQL["look_freely"])


def list_places(tx: Transaction, workspace_id: WorkspaceId, path: str, *, item_id: UUID | None) -> Sequence[Place]:
    """Read the places on the way to a path about which something is said, and the item, the outermost first."""
    rows = tx.fetch_all(_SQL["list_places"], workspace_id=workspace_id, path=path, item_id=item_id)
    return _in_order(rows)


def list_places_around(tx: Transaction, workspace_id: WorkspaceId, folder: str) -> Sequence[Place]:
    """Read the places above, at and in a folder about which something is said; `""` is the root."""
    return _in_order(tx.fetch_all(_SQL["list_places_around"], workspace_id=workspace_id, folder=folder))


def give_audiences(
    tx: Transaction,
    workspace_id: WorkspaceId,
    folder: str,
    *,
    by_folder: Mapping[str, AudienceId],
    by_item: Mapping[UUID, AudienceId],
) -> int:
    """Give what lies in a folder its audiences: items that are named theirs, others those of the nearest folder.

    Returns how many items changed.
    """
    tx.fetch_one(_SQL["plan_once"])
    folders = Jsonb([{"path": path, "audience_id": audience_id} for path, audience_id in by_folder.items()])
    changed = tx.execute(
        _SQL["put_audiences_by_folder"],
        workspace_id=workspace_id,
        folder=folder,
        audiences_by_folder=folders,
        said_themselves=list(by_item),
    )
    changed += put_audiences_of_items(tx, workspace_id, by_item)
    tx.execute(_SQL["put_audiences_of_placed_uploads"], workspace_id=workspace_id, folder=folder, item_id=None)
    tx.execute(
        _SQL["put_audiences_of_other_uploads"], workspace_id=workspace_id, folder=folder, audiences_by_folder=folders
    )
    return changed


def put_audiences_of_items(tx: Transaction, workspace_id: WorkspaceId, by_item: Mapping[UUID, AudienceId]) -> int:
    """Give items their audiences; returns how many changed."""
    rows = [{"id": str(item_id), "audience_id": audience_id} for item_id, audience_id in by_item.items()]
    if not rows:
        return 0
    return tx.execute(_SQL["put_audiences_of_items"], workspace_id=workspace_id, audiences_by_item=Jsonb(rows))


def put_audiences_of_uploads_of(tx: Transaction, workspace_id: WorkspaceId, item_id: UUID) -> None:
    """Give the uploads that became this item its audience."""
    tx.execute(_SQL["put_audiences_of_placed_uploads"], workspace_id=workspace_id, folder="", item_id=item_id)


def put_audiences_of_uploads_to(tx: Transaction, workspace_id: WorkspaceId, item_id: UUID) -> None:
    """Give the uploads to where this item lives that became none yet its audience."""
    tx.execute(_SQL["put_audiences_of_uploads_to"], workspace_id=workspace_id, item_id=item_id)


def finds_new_reader(
    tx: Transaction,
    organization_id: OrganizationId,
    workspace_id: WorkspaceId,
    *,
    audience: Audience,
    present: Audience,
) -> bool:
    """Tell whether some living member of the organization is in an audience and not in the present one."""
    row = tx.fetch_one(
        _SQL["find_new_reader"],
        organization_id=organization_id,
        workspace_id=workspace_id,
        clauses=Jsonb([list(clause) for clause in audience.texts()]),
        environment=audience.environment,
        present_clauses=Jsonb([list(clause) for clause in present.texts()]),
        present_environment=present.environment,
    )
    return row is not None


def find_buried(tx: Transaction, workspace_id: WorkspaceId, path: str) -> Row | None:
    """Find the item buried last at a path about which something was said: its id, audience_kind and creator."""
    return tx.fetch_one(_SQL["find_buried"], workspace_id=workspace_id, path=path)


def copy_said(tx: Transaction, workspace_id: WorkspaceId, *, from_id: UUID, item_id: UUID, with_opening: bool) -> None:
    """Say about an item, of which nothing is said yet, what was said about another.

    Without `with_opening` neither grants are copied nor that nothing is inherited.
    """
    tx.execute(
        _SQL["copy_settings"], workspace_id=workspace_id, from_id=from_id, item_id=item_id, with_opening=with_opening
    )
    if with_opening:
        tx.execute(_SQL["copy_grants"], workspace_id=workspace_id, from_id=from_id, item_id=item_id)


def _audiences_of(tx: Transaction, workspace_id: WorkspaceId, holder: Holder) -> set[AudienceId]:
    row = tx.fetch_one(
        _SQL["list_audiences"],
        workspace_id=workspace_id,
        tokens="\n".join(sorted(holder.tokens)),
        is_agent=holder.is_agent,
        environment=holder.environment,
    )
    return set(row["audiences"]) if row else set()


def _numbers_of(tx: Transaction, workspace_id: WorkspaceId, digests: Collection[bytes]) -> Mapping[bytes, AudienceId]:
    rows = tx.fetch_all(_SQL["find_audiences"], workspace_id=workspace_id, digests=list(digests))
    return {row["digest"]: AudienceId(row["id"]) for row in rows}


def _in_order(rows: Sequence[Row]) -> Sequence[Place]:
    return sorted(map(_place_of, rows), key=lambda place: (place.item_id is not None, len(place.path), place.path))


def _place_of(row: Row) -> Place:
    return Place(
        path=row["path"],
        folder_id=None if row["folder_id"] is None else FolderId(row["folder_id"]),
        item_id=row["item_id"],
        creator=row["creator"],
        settings=AccessSettings(
            audience_kind=None if row["audience_kind"] is None else AudienceKind(row["audience_kind"]),
            audience=None if row["audience"] is None else frozenset(row["audience"]),
            inherits=row["inherits"],
            is_restricted=row["is_restricted"],
            environment=row["environment"],
        ),
        readers=frozenset(token for token, _ in row["grants"]),
        writers=frozenset(token for token, action in row["grants"] if action == GrantAction.WRITE),
    )
